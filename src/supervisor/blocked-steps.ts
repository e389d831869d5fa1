// What follows when a step ends blocked, by a hook or by the answer of a person: hooks undo what they prepared for the
// step, and the turn is marked, because its command did not run.

import { describe } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { markTurnBlocked, type TurnOf } from '../hooks/builtin/turn-risk.ts'
import type { StateStore } from '../storage/ports.ts'

type Work = () => Promise<void>

/** The steps of a supervisor that end blocked. */
export class BlockedSteps {
  readonly #work = new Map<string, readonly Work[]>()
  readonly #state: StateStore
  readonly #report: (message: string) => void

  constructor(state: StateStore, report: (message: string) => void) {
    this.#state = state
    this.#report = report
  }

  /** Adds work for the case that the step ends blocked. */
  readonly add = (stepId: string, work: Work): void => {
    this.#work.set(stepId, [...(this.#work.get(stepId) ?? []), work])
  }

  /** Ends a step: its work is done if it is blocked, and dropped otherwise. Never rejects. */
  end(step: TurnOf & { readonly id: string }, outcome: Outcome): Promise<void> | undefined {
    const work = this.#work.size === 0 ? undefined : this.#work.get(step.id)
    if (work !== undefined) this.#work.delete(step.id)
    if (outcome.decision !== 'block') return undefined
    if (outcome.control === 'stop') this.#attempt(() => markTurnBlocked(this.#state, step))
    return work === undefined ? undefined : this.#doAll(work)
  }

  async #doAll(work: readonly Work[]): Promise<void> {
    for (const failed of await Promise.allSettled(work.map((one) => one()))) {
      if (failed.status === 'rejected') this.#report(describe(failed.reason))
    }
  }

  #attempt(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.#report(describe(error))
    }
  }
}
