// The tasks of a daemon: opened when first needed, each new one judged by the pipeline, every move in the log. Once a
// second it looks whether a worker died, which costs one look at an index, and nothing else where no task is held.

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

/** What it needs of the daemon. */
export interface TaskServiceOptions {
  readonly home: string
  readonly pool: Pick<SupervisorPool, 'find'>
  readonly inFlight: InFlight
  readonly report: (message: string) => void
  readonly clock?: Clock
}

/** Tasks that are open, and those who follow them. */
export interface DaemonTasks extends Pick<OpenTasks, 'delegator' | 'store'> {
  readonly feed: TaskFeed
}

const RECLAIM_MS = 1_000

/** Where a daemon keeps its tasks. */
export class TaskService {
  readonly #services: Required<TaskServiceOptions>
  #opened: Promise<DaemonTasks & { close(): void }> | undefined
  #stopTimer: (() => void) | undefined
  #isClosed = false
  #lastFault = ''

  constructor(services: TaskServiceOptions) {
    this.#services = { clock: systemClock, ...services }
  }

  /** Opens them if they are not open yet. */
  open(): Promise<DaemonTasks> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      // Tried anew with the next request.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Begins to look for workers that died. */
  watch(): void {
    if (this.#isClosed || this.#stopTimer !== undefined) return
    this.#plan()
  }

  /** Lets go of everything; safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTimer?.()
    const opened = this.#opened
    this.#opened = undefined
    // What could not be opened needs no closing, and who asked for it was told.
    await opened?.then(({ close }) => close()).catch(() => undefined)
  }

  async #open(): Promise<DaemonTasks & { close(): void }> {
    const { home, clock } = this.#services
    const { delegator, store, bus, close } = await openTasks({
      home,
      storeWaitMs: STORE_WAIT_MS,
      admit: async (draft) => {
        const { metadata = {} } = draft
        const judged = { ...draft, metadata: omitMessageId(metadata) }
        return { ...(await admitBy(atOnce(await this.#judge()))(judged)), metadata }
      },
      onMove: (...move) => this.#log(move),
    })
    return { delegator, store, feed: new TaskFeed({ store, bus, clock }), close }
  }

  #judge(): Promise<Supervisor> {
    return this.#services.pool.find(undefined, undefined)
  }

  #log(move: Parameters<ReturnType<typeof logMoves>>): void {
    const { inFlight, report } = this.#services
    const written = this.#judge().then(({ trace, config }) => logMoves(trace, config.profile)(...move))
    inFlight
      .add(written)
      .catch((error: unknown) => report(`A move of a task could not be recorded: ${describe(error)}`))
  }

  #plan(): void {
    this.#stopTimer = this.#services.clock.after(RECLAIM_MS, () => {
      void this.#reclaim().finally(() => {
        if (!this.#isClosed) this.#plan()
      })
    })
  }

  async #reclaim(): Promise<void> {
    try {
      const { delegator } = await this.open()
      if (!this.#isClosed) delegator.reclaim()
      this.#lastFault = ''
    } catch (error) {
      const fault = describe(error)
      // Once, and not every second.
      if (fault !== this.#lastFault) this.#services.report(`The tasks of workers that died stay with them: ${fault}`)
      this.#lastFault = fault
    }
  }
}

// Nobody waits for a person here: what is held is told at once, and sent again once it is approved.
function atOnce(supervisor: Supervisor): Pick<Supervisor, 'dispatch'> {
  const dispatch = (point: string, data: object, context?: object) =>
    supervisor.decide(point, data, context, { askMs: 0 })
  return { dispatch: dispatch as Supervisor['dispatch'] }
}
