// Renews the leases of this worker's tasks; tasks of a worker that died go back to their assignee.

import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import type { TaskStore } from '../storage/ports.ts'

interface LeaseServices {
  readonly store: TaskStore
  readonly clock: Clock
  readonly report: (message: string) => void
}

/** Renews the leases of one worker. */
export class LeaseRenewer {
  readonly #services: LeaseServices
  readonly #holder: string
  readonly #timers = new Map<string, () => void>()

  constructor(services: LeaseServices, holder: string) {
    this.#services = services
    this.#holder = holder
  }

  get count(): number {
    return this.#timers.size
  }

  /** Starts to renew: three times per lease, so that one failed renewal loses nothing. */
  start(id: string, leaseMs: number): void {
    this.stop(id)
    const everyMs = leaseMs / 3
    const renew = (): void => {
      this.#timers.set(id, this.#services.clock.after(everyMs, renew))
      if (!this.#renew(id)) this.stop(id)
    }
    this.#timers.set(id, this.#services.clock.after(everyMs, renew))
  }

  stop(id: string): void {
    this.#timers.get(id)?.()
    this.#timers.delete(id)
  }

  clear(): void {
    for (const id of [...this.#timers.keys()]) this.stop(id)
  }

  #renew(id: string): boolean {
    const { store, clock, report } = this.#services
    try {
      return store.renew(id, this.#holder, clock.wall())
    } catch (error) {
      report(`The lease of task ${id} could not be renewed: ${describe(error)}`)
      return true
    }
  }
}
