// The filter of the feed in the URL: a link shows what its sender saw.

import { isShown } from '../../../src/protocol/feed.ts'
import type { Action } from '../../../src/protocol/views.ts'

export interface Filter {
  /** Any of these; empty for all. */
  readonly decision: readonly string[]
  readonly hook: string
  readonly tool: string
  readonly session: string
  readonly text: string
}

export const NO_FILTER: Filter = { decision: [], hook: '', tool: '', session: '', text: '' }

const KNOWN_DECISIONS = ['pass', 'flag', 'ask', 'block', 'error', 'would-block']
const TEXT_KEYS = ['hook', 'tool', 'session', 'text'] as const

/** Parses a filter from query parameters; unknown values are ignored. */
export function readFilter(params: URLSearchParams): Filter {
  const given = (params.get('decision') ?? '').split(',')
  return {
    decision: KNOWN_DECISIONS.filter((decision) => given.includes(decision)),
    hook: params.get('hook') ?? '',
    tool: params.get('tool') ?? '',
    session: params.get('session') ?? '',
    text: params.get('text') ?? '',
  }
}

/** Writes a filter into query parameters; other parameters stay. */
export function writeFilter(params: URLSearchParams, filter: Filter): URLSearchParams {
  const written = new URLSearchParams(params)
  const decision = KNOWN_DECISIONS.filter((name) => filter.decision.includes(name))
  const values = { ...filter, decision: decision.join(',') }
  for (const key of ['decision', ...TEXT_KEYS] as const) {
    if (values[key] === '') written.delete(key)
    else written.set(key, values[key])
  }
  return written
}

export function isFiltering(filter: Filter): boolean {
  return filter.decision.length > 0 || TEXT_KEYS.some((key) => filter[key].trim() !== '')
}

/** Does an action match the filter? The same rule as in the daemon. */
export function compileFilter(filter: Filter): (action: Action) => boolean {
  if (!isFiltering(filter)) return () => true
  const asked = { ...filter, decision: filter.decision.join(',') }
  return (action) => isShown(action, asked)
}
