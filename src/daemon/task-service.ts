// The tasks of a daemon: opened on first use; each new task passes the pipeline, and every move is in the trace. Once a
// second tasks of dead workers are returned, which costs one index lookup.

import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { systemClock } from '../platform/engine-services.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import { type OpenTasks, openTasks } from '../tasks/service/open-tasks.ts'
import { logMoves } from '../tasks/service/task-log.ts'
import { admitBy } from '../tasks/service/task-supervision.ts'
import { omitMessageId } from './a2a/task-metadata.ts'
import type { SupervisorPool } from './hook-call/supervisor-pool.ts'
import { STORE_WAIT_MS } from './hook-call/supervisor-provider.ts'
import { TaskFeed } from './live/task-feed.ts'
import type { InFlight } from './process/in-flight.ts'

/** The parts of the daemon that tasks need. */
export interface TaskServiceOptions {
  readonly home: string
  readonly pool: Pick<SupervisorPool, 'find'>
  readonly inFlight: InFlight
  readonly report: (message: string) => void
  readonly clock?: Clock
}

/** The opened tasks and their feed. */
export interface DaemonTasks extends Pick<OpenTasks, 'delegator' | 'store'> {
  readonly feed: TaskFeed
}

const RECLAIM_MS = 1_000

/** Opens the tasks of a home on first use. */
export class TaskService {
  readonly #services: Required<TaskServiceOptions>
  #opened: Promise<DaemonTasks & { close(): void }> | undefined
  #stopTimer: (() => void) | undefined
  #isClosed = false
  #lastError = ''

  constructor(services: TaskServiceOptions) {
    this.#services = { clock: systemClock, ...services }
  }

  /** Opens the tasks if they are not open yet. */
  open(): Promise<DaemonTasks> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      // The next request tries again.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Starts to check for dead workers. */
  watch(): void {
    if (this.#isClosed || this.#stopTimer !== undefined) return
    this.#schedule()
  }

  /** Releases everything; safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTimer?.()
    const opened = this.#opened
    this.#opened = undefined
    // A failed open needs no close, and its caller got the error.
    await opened?.then(({ close }) => close()).catch(() => undefined)
  }

  async #open(): Promise<DaemonTasks & { close(): void }> {
    const { home, clock } = this.#services
    const { delegator, store, bus, close } = await openTasks({
      home,
      storeWaitMs: STORE_WAIT_MS,
      admit: async (draft) => {
        const { metadata = {} } = draft
        const checked = { ...draft, metadata: omitMessageId(metadata) }
        return { ...(await admitBy(withoutWaiting(await this.#findSupervisor()))(checked)), metadata }
      },
      onMove: (...move) => this.#log(move),
    })
    return { delegator, store, feed: new TaskFeed({ store, bus, clock }), close }
  }

  #findSupervisor(): Promise<Supervisor> {
    return this.#services.pool.find(undefined, undefined)
  }

  #log(move: Parameters<ReturnType<typeof logMoves>>): void {
    const { inFlight, report } = this.#services
    const written = this.#findSupervisor().then(({ trace, config }) => logMoves(trace, config.profile)(...move))
    inFlight
      .add(written)
      .catch((error: unknown) => report(`A move of a task could not be recorded: ${describe(error)}`))
  }

  #schedule(): void {
    this.#stopTimer = this.#services.clock.after(RECLAIM_MS, () => {
      void this.#reclaim().finally(() => {
        if (!this.#isClosed) this.#schedule()
      })
    })
  }

  async #reclaim(): Promise<void> {
    try {
      const { delegator } = await this.open()
      if (!this.#isClosed) delegator.reclaim()
      this.#lastError = ''
    } catch (error) {
      const message = describe(error)
      // Reported once, not every second.
      if (message !== this.#lastError) this.#services.report(`Tasks of dead workers cannot be returned: ${message}`)
      this.#lastError = message
    }
  }
}

// Does not wait for approval: the client gets the answer at once, and sends the task again once it is approved.
function withoutWaiting(supervisor: Supervisor): Pick<Supervisor, 'dispatch'> {
  const dispatch = (point: string, data: object, context?: object) =>
    supervisor.decide(point, data, context, { askMs: 0 })
  return { dispatch: dispatch as Supervisor['dispatch'] }
}
