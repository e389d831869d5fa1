// The completion audit: decides from the words of an answer whether the work is done. Deterministic, without a model.

import type { Intensity } from './turn-risk.ts'

type AuditStatus = 'complete' | 'partial' | 'failed' | 'uncertain'
type Recommendation = 'complete' | 'continue' | 'retry' | 'escalate'

/** The audit of an answer. */
export interface CompletionAudit {
  readonly status: AuditStatus
  readonly confidence: number
  readonly checksPassed: readonly string[]
  readonly checksFailed: readonly string[]
  /** The failed checks that the checklist requires. */
  readonly missingSteps: readonly string[]
  readonly overreachDetected: boolean
  readonly recommendation: Recommendation
}

// A single word is matched as a word, a phrase anywhere in the text.
const SIGNALS = {
  completion: ['done', 'completed', 'finished', 'success', 'all tests pass'],
  failure: ['failed', 'error', 'exception', 'unable', 'cannot'],
  contradiction: ['but', 'however'],
  overreach: ['also', 'additionally', 'went ahead and'],
  verification: ['tested', 'verified', 'confirmed', 'checked', 'tests pass', 'test passes', 'backup', 'rollback'],
} as const

type Signal = keyof typeof SIGNALS
type Found = Readonly<Record<Signal, number>>

/** The named checks. `says` completes the sentence "The answer says …". */
export const CHECKS = {
  'has-content': { says: 'anything', isMet: (_found: Found, text: string) => text !== '' },
  'completion-signals': { says: 'that the work is done', isMet: ({ completion }: Found) => completion > 0 },
  'no-failure-signals': { says: 'that nothing failed', isMet: ({ failure }: Found) => failure === 0 },
  'no-contradictions': {
    says: 'its result without "but" or "however"',
    isMet: ({ contradiction }: Found) => contradiction === 0,
  },
  'no-overreach': { says: 'that only the task was done', isMet: ({ overreach }: Found) => overreach === 0 },
  'verification-signals': {
    says: 'how the result was checked or how to undo it',
    isMet: ({ verification }: Found) => verification > 0,
  },
} as const

type Check = keyof typeof CHECKS

/** The checks that each intensity requires, and whether a failed check is flagged. The source of docs/reference/hooks.md. */
export const CHECKLISTS: Readonly<Record<Intensity, { readonly requires: readonly Check[]; readonly flags: boolean }>> =
  {
    light: { requires: ['has-content'], flags: false },
    standard: { requires: ['has-content', 'completion-signals', 'no-failure-signals'], flags: false },
    strict: { requires: Object.keys(CHECKS) as Check[], flags: true },
  }

// The checks of every answer; the last check is for high-risk turns only.
const ALWAYS: readonly Check[] = Object.keys(CHECKS).filter((check): check is Check => check !== 'verification-signals')

// Longer than any report: text beyond it is a pasted log, in which single words mean nothing.
const MAX_READ = 100_000

/** Audits an answer. */
export function auditCompletion(output: string, intensity: Intensity): CompletionAudit {
  const text = output.slice(0, MAX_READ).trim().toLowerCase()
  const found = countSignals(text)
  const { requires } = CHECKLISTS[intensity]
  const checks = (Object.keys(CHECKS) as Check[]).filter((check) => ALWAYS.includes(check) || requires.includes(check))
  const checksPassed = checks.filter((check) => CHECKS[check].isMet(found, text))
  const checksFailed = checks.filter((check) => !checksPassed.includes(check))
  const status = readAuditStatus(found, text)
  const confidence = rateConfidence(found, text)
  return {
    status,
    confidence,
    checksPassed,
    checksFailed,
    missingSteps: checksFailed.filter((check) => requires.includes(check)),
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

// In tenths: 0.5 - 0.1 must be exactly 0.4.
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
