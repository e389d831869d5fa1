// The gravest that was done or asked for in a turn: tool calls are judged one by one, and the end of the turn is held
// to the checklist of the gravest.

import type { Step } from '../../engine/step.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'

/** How much is asked of a turn, least first. */
export const INTENSITIES = ['light', 'standard', 'strict'] as const

export type Intensity = (typeof INTENSITIES)[number]

/** What is kept of a turn. */
export interface TurnRisk {
  readonly tier: number
  readonly effect: string
  readonly checklist: Intensity
}

/** Keeps a risk if it is graver than what the turn had. Where hosts do not number turns, a message begins a new one. */
export function storeTurnRisk(state: StateStore, step: Step, risk: TurnRisk): void {
  if (step.session === undefined) return
  const begins = step.turn === undefined && step.point === 'pre:message'
  if (!begins && rank(risk) === 0) return
  const keepGraver = (before: TurnRisk | undefined): TurnRisk | undefined => {
    const isNews = begins ? before !== undefined || rank(risk) > 0 : rank(risk) > rank(before)
    return isNews ? risk : undefined
  }
  update(state, turnKey('risk', step.session, step.turn), keepGraver, SESSION_TTL_MS)
}

/** The gravest of the turn so far. */
export function readTurnRisk(state: StateStore, step: Step): TurnRisk | undefined {
  if (step.session === undefined) return undefined
  return state.get(turnKey('risk', step.session, step.turn))?.value as TurnRisk | undefined
}

// Reading alone is not worth a write: it asks for nothing more than the least.
function rank(risk: TurnRisk | undefined): number {
  if (risk === undefined) return 0
  return risk.tier === 1 && risk.checklist === 'light' ? 0 : risk.tier + INTENSITIES.indexOf(risk.checklist) / 10
}
