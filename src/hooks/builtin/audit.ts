// The completion audit: reads in an agent's own words whether it is done. Deterministic; no model is asked.

import type { Intensity } from './turn-risk.ts'

type AuditStatus = 'complete' | 'partial' | 'failed' | 'uncertain'
type Recommendation = 'complete' | 'continue' | 'retry' | 'escalate'

/** What an answer says about itself. */
export interface CompletionAudit {
  readonly status: AuditStatus
  readonly confidence: number
  readonly checksPassed: readonly string[]
  readonly checksFailed: readonly string[]
  /** What the checklist asks for and the answer does not have. */
  readonly missingSteps: readonly string[]
  readonly overreachDetected: boolean
  readonly recommendation: Recommendation
}

// Words count as words, phrases wherever they stand.
const SIGNALS = {
  completion: ['done', 'completed', 'finished', 'success', 'all tests pass'],
  failure: ['failed', 'error', 'exception', 'unable', 'cannot'],
  contradiction: ['but', 'however'],
  overreach: ['also', 'additionally', 'went ahead and'],
  verification: ['tested', 'verified', 'confirmed', 'checked', 'tests pass', 'test passes', 'backup', 'rollback'],
} as const

type Signal = keyof typeof SIGNALS
type Found = Readonly<Record<Signal, number>>

/** The named checks: what each wants of an answer. */
export const CHECKS = {
  'has-content': { asks: 'the answer says something', isMet: (_found: Found, text: string) => text !== '' },
  'completion-signals': { asks: 'it says that the work is done', isMet: ({ completion }: Found) => completion > 0 },
  'no-failure-signals': { asks: 'it tells of no failure', isMet: ({ failure }: Found) => failure === 0 },
  'no-contradictions': { asks: 'it takes nothing back', isMet: ({ contradiction }: Found) => contradiction === 0 },
  'no-overreach': { asks: 'it did no more than was asked', isMet: ({ overreach }: Found) => overreach === 0 },
  'verification-signals': {
    asks: 'it says how the result was checked, or how to go back',
    isMet: ({ verification }: Found) => verification > 0,
  },
} as const

type Check = keyof typeof CHECKS

/** What each intensity asks, and whether something missing is worth a flag. The source of docs/reference/hooks.md. */
export const CHECKLISTS: Readonly<Record<Intensity, { readonly asks: readonly Check[]; readonly flags: boolean }>> = {
  light: { asks: ['has-content'], flags: false },
  standard: { asks: ['has-content', 'completion-signals', 'no-failure-signals'], flags: false },
  strict: { asks: Object.keys(CHECKS) as Check[], flags: true },
}

// The checks that every answer is put to; the last is asked of grave turns only.
const ALWAYS: readonly Check[] = Object.keys(CHECKS).filter((check): check is Check => check !== 'verification-signals')

// Longer than any report: what follows is a pasted log, in which single words mean nothing.
const MAX_READ = 100_000

/** Audits an answer. */
export function auditCompletion(output: string, intensity: Intensity): CompletionAudit {
  const text = output.slice(0, MAX_READ).trim().toLowerCase()
  const found = countSignals(text)
  const { asks } = CHECKLISTS[intensity]
  const put = (Object.keys(CHECKS) as Check[]).filter((check) => ALWAYS.includes(check) || asks.includes(check))
  const checksPassed = put.filter((check) => CHECKS[check].isMet(found, text))
  const checksFailed = put.filter((check) => !checksPassed.includes(check))
  const status = readAuditStatus(found, text)
  const confidence = rateConfidence(found, text)
  return {
    status,
    confidence,
    checksPassed,
    checksFailed,
    missingSteps: checksFailed.filter((check) => asks.includes(check)),
    overreachDetected: found.overreach > 0,
    recommendation: recommend(status, confidence),
  }
}

function countSignals(text: string): Found {
  const words = new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? [])
  const isIn = (signal: string): boolean => (signal.includes(' ') ? text.includes(signal) : words.has(signal))
  const entries = Object.entries(SIGNALS).map(([name, signals]) => [name, signals.filter(isIn).length])
  return Object.fromEntries(entries) as Found
}

function readAuditStatus({ completion, failure, contradiction }: Found, text: string): AuditStatus {
  if (text === '') return 'uncertain'
  if (completion === 0) return failure > 0 ? 'failed' : 'uncertain'
  return failure + contradiction > 0 ? 'partial' : 'complete'
}

// In tenths, so that 0.5 - 0.1 is 0.4 and not a little less.
function rateConfidence({ completion, failure, contradiction }: Found, text: string): number {
  if (text === '') return 0
  const tenths = 5 + (completion > 0 ? 2 : 0) - failure - contradiction
  return Math.min(10, Math.max(0, tenths)) / 10
}

function recommend(status: AuditStatus, confidence: number): Recommendation {
  if (status === 'complete') return 'complete'
  if (status === 'partial') return 'continue'
  if (confidence < 0.3) return 'escalate'
  return status === 'failed' ? 'retry' : 'continue'
}
