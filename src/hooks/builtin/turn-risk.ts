// The highest risk in a turn: tool calls are rated one by one, and the end of the turn gets the checklist of the highest
// risk.

import type { Step } from '../../engine/step.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'

/** The intensities of the checklist, lowest first. */
export const INTENSITIES = ['light', 'standard', 'strict'] as const

export type Intensity = (typeof INTENSITIES)[number]

/** The stored risk of a turn. */
export interface TurnRisk {
  readonly tier: number
  readonly effect: string
  readonly checklist: Intensity
  /** A step of the turn was blocked. */
  readonly hasBlock?: boolean | undefined
  /** How often the audit made the turn continue. */
  readonly continues?: number | undefined
}

/** A step of a turn. */
export type TurnOf = Pick<Step, 'session' | 'turn'>

/** Stores a risk if it is the highest of the turn. Where the host has no turn ids, a message starts a new turn. */
export function storeTurnRisk(state: StateStore, step: Step, risk: TurnRisk): void {
  if (step.session === undefined) return
  const begins = step.turn === undefined && step.point === 'pre:message'
  if (!begins && rank(risk) === 0) return
  const keepHigher = (before: TurnRisk | undefined): TurnRisk | undefined => {
    if (begins) return before !== undefined || rank(risk) > 0 ? risk : undefined
    if (rank(risk) <= rank(before)) return undefined
    return { ...before, ...risk }
  }
  update(state, turnRiskKey(step.session, step.turn), keepHigher, SESSION_TTL_MS)
}

/** Marks the turn of a step that was blocked. */
export function markTurnBlocked(state: StateStore, { session, turn }: TurnOf): void {
  if (session === undefined) return
  const mark = (before: TurnRisk = NO_RISK): TurnRisk | undefined =>
    before.hasBlock === true ? undefined : { ...before, hasBlock: true }
  update(state, turnRiskKey(session, turn), mark, SESSION_TTL_MS)
}

/** The risk of a turn that only read. */
export const NO_RISK: TurnRisk = { tier: 1, effect: 'read-only', checklist: 'light' }

/** The highest risk of the turn so far. */
export function readTurnRisk(state: StateStore, step: TurnOf): TurnRisk | undefined {
  if (step.session === undefined) return undefined
  return state.get(turnRiskKey(step.session, step.turn))?.value as TurnRisk | undefined
}

/** The key of the stored risk of a turn. */
export function turnRiskKey(session: string, turn: string | undefined): string {
  return turnKey('risk', session, turn)
}

// A read-only action is not stored: it needs only the lightest checklist.
function rank(risk: TurnRisk | undefined): number {
  if (risk === undefined) return 0
  return risk.tier === 1 && risk.checklist === 'light' ? 0 : risk.tier + INTENSITIES.indexOf(risk.checklist) / 10
}
