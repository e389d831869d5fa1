// Listeners for the end of a task. A message triggers them at once, also from another process; the store is polled in case
// a message is lost. Every listener has a time limit, because some tasks never end.

import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { TaskStore } from '../storage/ports.ts'
import type { Task } from './task.ts'
import { isTaskOver } from './transitions.ts'

/** Called with the task. Errors are reported. */
export type TaskListener = (task: Task) => void | Promise<void>

/** The listeners of one task. */
export interface TaskEndListeners {
  readonly onComplete?: TaskListener | undefined
  readonly onFailed?: TaskListener | undefined
}

interface WaitingListener extends TaskEndListeners {
  readonly id: string
  readonly stopTimer: () => void
}

export interface ListenerServices {
  readonly store: TaskStore
  readonly bus: Bus
  readonly clock: Clock
  readonly report: (message: string) => void
  /** Gives back the tasks of workers that died: somebody waits for them. */
  readonly reclaim: () => void
}

/** Every message about a task. */
const ALL_TASKS = 'task.>'

// A process that dies between moving a task and sending the message leaves only the moved task.
const POLL_MS = 1_000

export class TaskListeners {
  readonly #services: ListenerServices
  readonly #waiting = new Set<WaitingListener>()
  #stop: (() => void) | undefined

  constructor(services: ListenerServices) {
    this.#services = services
  }

  get count(): number {
    return this.#waiting.size
  }

  /** Waits for the end of a task, for so long at most. Returns its undo. */
  add(id: string, heard: TaskEndListeners, timeoutMs: number): () => void {
    const remove = (): void => this.#remove(waiting)
    const waiting: WaitingListener = { id, ...heard, stopTimer: this.#services.clock.after(timeoutMs, remove) }
    this.#waiting.add(waiting)
    try {
      this.#stop ??= this.#start()
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  /** A task has moved: tells those who wait, if that was its end. */
  hear(task: Task): void {
    if (!isTaskOver(task.status)) return
    for (const waiting of [...this.#waiting]) {
      if (waiting.id !== task.id) continue
      this.#remove(waiting)
      if (task.status === 'completed') this.#tell(waiting.onComplete, task)
      if (task.status === 'failed') this.#tell(waiting.onFailed, task)
    }
  }

  /** Removes the listener. */
  clear(): void {
    for (const waiting of [...this.#waiting]) this.#remove(waiting)
  }

  #start(): () => void {
    const { bus, clock } = this.#services
    // Only which task is taken from the message: what became of it is in the store.
    const unsubscribe = bus.subscribe(ALL_TASKS, ({ data }) => {
      if (isRecord(data) && typeof data.task === 'string') this.#lookAt(data.task)
    })
    let stopTimer: () => void
    const look = (): void => {
      stopTimer = clock.after(POLL_MS, look)
      this.#contain('The tasks of workers that died could not be given back', () => this.#services.reclaim())
      for (const id of new Set([...this.#waiting].map((waiting) => waiting.id))) this.#lookAt(id)
    }
    stopTimer = clock.after(POLL_MS, look)
    return () => {
      unsubscribe()
      stopTimer()
    }
  }

  #lookAt(id: string): void {
    if (![...this.#waiting].some((waiting) => waiting.id === id)) return
    this.#contain(`Task ${id} could not be looked up`, () => {
      const task = this.#services.store.get(id)
      if (task !== undefined) this.hear(task)
    })
  }

  // A store that cannot be read now may be at the next look.
  #contain(what: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#services.report(`${what}: ${describe(error)}`)
    }
  }

  #remove(waiting: WaitingListener): void {
    if (!this.#waiting.delete(waiting)) return
    waiting.stopTimer()
    if (this.#waiting.size > 0) return
    const stop = this.#stop
    this.#stop = undefined
    stop?.()
  }

  #tell(listener: TaskListener | undefined, task: Task): void {
    const fault = (error: unknown): void =>
      this.#services.report(`A listener of task ${task.id} failed: ${describe(error)}`)
    try {
      const done: unknown = listener?.(task)
      if (done instanceof Promise) done.catch(fault)
    } catch (error) {
      fault(error)
    }
  }
}
