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
}

/** Stores a risk if it is the highest of the turn. Where the host has no turn ids, a message starts a new turn. */
export function storeTurnRisk(state: StateStore, step: Step, risk: TurnRisk): void {
  if (step.session === undefined) return
  const begins = step.turn === undefined && step.point === 'pre:message'
  if (!begins && rank(risk) === 0) return
  const keepHigher = (before: TurnRisk | undefined): TurnRisk | undefined => {
    const isNews = begins ? before !== undefined || rank(risk) > 0 : rank(risk) > rank(before)
    return isNews ? risk : undefined
  }
  update(state, turnKey('risk', step.session, step.turn), keepHigher, SESSION_TTL_MS)
}

/** The highest risk of the turn so far. */
export function readTurnRisk(state: StateStore, step: Step): TurnRisk | undefined {
  if (step.session === undefined) return undefined
  return state.get(turnKey('risk', step.session, step.turn))?.value as TurnRisk | undefined
}

// A read-only action is not stored: it needs only the lightest checklist.
function rank(risk: TurnRisk | undefined): number {
  if (risk === undefined) return 0
  return risk.tier === 1 && risk.checklist === 'light' ? 0 : risk.tier + INTENSITIES.indexOf(risk.checklist) / 10
}
