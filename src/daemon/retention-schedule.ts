// Retention in the daemon: shortly after its start and then once an hour, in small parts beside the hooks.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from '../engine/errors.ts'
import { newId } from '../platform/ids.ts'
import { readKeepPolicy } from '../storage/keep-policy.ts'
import { runRetention } from '../storage/retention-run.ts'
import type { SupervisorPool } from './hook-call/supervisor-pool.ts'

interface RetentionScheduleOptions {
  readonly home: string
  readonly pool: SupervisorPool
  readonly report: (message: string) => void
  /** When the first run starts; default after a minute. */
  readonly firstMs?: number | undefined
}

const FIRST_MS = 60_000
const EVERY_MS = 3_600_000

/** Removes old records while a daemon runs. */
export class RetentionSchedule {
  readonly #options: RetentionScheduleOptions
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  #failure: string | undefined

  constructor(options: RetentionScheduleOptions) {
    this.#options = options
    this.#done = this.#repeat(options.firstMs ?? FIRST_MS)
  }

  /** Ends after the current batch. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #repeat(firstMs: number): Promise<void> {
    const { signal } = this.#stopping
    for (let waitMs = firstMs; !signal.aborted; waitMs = EVERY_MS) {
      // The wait is rejected when the daemon stops.
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.#run()
    }
  }

  // Never throws: supervision does not depend on it.
  async #run(): Promise<void> {
    // Reading would make a removed database anew.
    if (!existsSync(join(this.#options.home, 'arc.db'))) return
    try {
      const { config, stores } = await this.#options.pool.find(undefined, undefined)
      const retention = stores.openRetention()
      if (retention === undefined) return
      const { trace, state } = stores
      const keep = readKeepPolicy(config.trace.keep, Date.now())
      const { archive } = config.trace
      await runRetention({ retention, trace, state, keep, archive, newId, signal: this.#stopping.signal })
      this.#failure = undefined
    } catch (error) {
      await this.#fail(describe(error))
    }
  }

  // Reported and recorded once, until the reason changes.
  async #fail(reason: string): Promise<void> {
    if (this.#failure === reason) return
    this.#failure = reason
    this.#options.report(`Old records were not removed: ${reason}`)
    try {
      const { trace } = await this.#options.pool.find(undefined, undefined)
      const what = { component: 'trace', action: 'trace:cut-failed', level: 'error', reason } as const
      await trace.append({ ...what, id: newId(), time: Date.now() })
    } catch (error) {
      this.#options.report(`Could not write the trace: ${describe(error)}`)
    }
  }
}
