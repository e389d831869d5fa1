// Tasks and messages as programs use them: `TaskDelegator` and `MessageBus` in memory, and `openTasks` for those of a
// home, which all its processes share. The database is loaded only when that is asked for.

import type { BusServices } from '../../bus/base-bus.ts'
import type { Bus } from '../../bus/bus.ts'
import { MemoryBus } from '../../bus/memory/memory-bus.ts'
import { rejectUnknownOptions } from '../../engine/errors.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { databaseFile } from '../../platform/home.ts'
import { newId } from '../../platform/ids.ts'
import { MemoryTaskStore } from '../../storage/memory/task-store.ts'
import type { TaskStore } from '../../storage/ports.ts'
import { Delegator, type DelegatorOptions } from '../delegator.ts'

const SERVICES: BusServices = {
  clock: systemClock,
  newId,
  report: (message) => void process.stderr.write(`arc: ${message}\n`),
}

/**
 * Messages between the agents of one process.
 * @example
 * const bus = new MessageBus()
 * const undo = bus.subscribe('build.*.done', ({ data }) => console.log(data))
 * bus.publish('build.web.done', { ok: true })
 */
export class MessageBus extends MemoryBus {
  constructor(services: Partial<BusServices> = {}) {
    super({ ...SERVICES, ...services })
  }
}

/**
 * Hands tasks from agent to agent; in memory unless it is given a store and a bus.
 * @example
 * const delegator = new TaskDelegator()
 * const { task } = await delegator.delegate({ from: 'lead', to: 'reviewer', description: 'Review the change' })
 * await delegator.accept(task.id, 'reviewer')
 */
export class TaskDelegator extends Delegator {
  readonly #ownBus: Bus | undefined

  constructor(
    store: TaskStore = new MemoryTaskStore(),
    bus?: Bus,
    { clock, ...options }: DelegatorOptions & Partial<Pick<BusServices, 'clock'>> = {},
  ) {
    const services = { ...SERVICES, ...(clock !== undefined && { clock }) }
    const used = bus ?? new MessageBus(services)
    super({ ...services, store, bus: used }, options)
    this.#ownBus = bus === undefined ? used : undefined
  }

  override dispose(): void {
    super.dispose()
    this.#ownBus?.close()
  }
}

/** Which tasks to open, and how to delegate them. */
export interface OpenTasksOptions extends DelegatorOptions {
  /** Default `$ARC_HOME`, or `~/.arc`. */
  readonly home?: string
  /** How long to wait for a locked database; default 30 s. */
  readonly storeWaitMs?: number
}

/** The tasks and messages of a home. */
export interface OpenTasks {
  readonly delegator: TaskDelegator
  readonly store: TaskStore
  readonly bus: Bus
  /** Lets go of everything; safe to call twice. */
  close(): void
}

/**
 * The tasks and messages of a home, shared with every other process that opens it and with `arc task`.
 * @example
 * const { delegator, close } = await openTasks()
 * delegator.onMessage('reviewer', ({ kind, task, text }) => console.log(kind, task, text))
 */
export async function openTasks({ home, storeWaitMs, ...options }: OpenTasksOptions = {}): Promise<OpenTasks> {
  rejectUnknownOptions(options, ['admit', 'onMove', 'leaseMs', 'maxAttempts'], 'openTasks')
  const [{ SqliteTaskStore }, { SqliteBus }] = await Promise.all([
    import('../../storage/sqlite/task-store.ts'),
    import('../../bus/sqlite/sqlite-bus.ts'),
  ])
  const file = databaseFile(home)
  const store = new SqliteTaskStore(file, { waitMs: storeWaitMs })
  const bus = new SqliteBus(file, SERVICES, { waitMs: storeWaitMs })
  const delegator = new TaskDelegator(store, bus, options)
  const close = (): void => {
    delegator.dispose()
    bus.close()
    store.close()
  }
  return { delegator, store, bus, close }
}
