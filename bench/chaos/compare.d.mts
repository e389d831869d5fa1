// Types of compare.mjs, for its tests.

export interface LedgerCall {
  readonly marker: string
  readonly way: 'socket' | 'launcher' | 'process'
  readonly kind: 'harmless' | 'dangerous' | 'held'
  readonly sentAt: number
  readonly answeredAt: number
  readonly faults: readonly string[]
  readonly answer: 'allowed' | 'denied' | 'held' | 'error' | 'none'
  readonly traceId?: string
  readonly saysUnrecorded?: true
  readonly saysUnchecked?: true
  readonly text?: string
}

export interface Comparison {
  readonly figures: Readonly<Record<string, number>>
  readonly problems: readonly { readonly kind: string; readonly message: string }[]
}

export function compareLedger(options: {
  readonly calls: readonly LedgerCall[]
  readonly records: readonly object[]
  readonly setAside?: readonly { readonly records: readonly object[]; readonly until: number }[]
  readonly destroyedBefore?: number
}): Comparison
