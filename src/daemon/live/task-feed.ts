// The moves of tasks as they happen, in any process. A bus message names the task, the store has its moves; a timer finds
// moves whose message was lost. Nothing runs without subscribers.

import type { Bus } from '../../bus/bus.ts'
import type { Clock } from '../../engine/clock.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { TaskStore } from '../../storage/ports.ts'
import type { TaskRecord } from '../../tasks/task.ts'
import { isTaskOver } from '../../tasks/transitions.ts'

/** The store, the bus and the clock of a feed. */
export interface TaskFeedServices {
  readonly store: Pick<TaskStore, 'history'>
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
}

interface Subscriber {
  readonly id: string
  wake(): void
}

const POLL_MS = 1_000
const MAX_SUBSCRIBERS = 256

/** Notifies subscribers about the moves of tasks. */
export class TaskFeed {
  readonly #services: TaskFeedServices
  readonly #subscribers = new Set<Subscriber>()
  #stop: (() => void) | undefined

  constructor(services: TaskFeedServices) {
    this.#services = services
  }

  /** The number of subscribers. */
  get size(): number {
    return this.#subscribers.size
  }

  /** Has the feed the maximum of subscribers? */
  get isFull(): boolean {
    return this.#subscribers.size >= MAX_SUBSCRIBERS
  }

  /** Every move after a version, until the end of the task, its removal or the signal. */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<TaskRecord, void, undefined> {
    let isDue = false
    let resolve: (() => void) | undefined
    const wake = (): void => {
      isDue = true
      resolve?.()
    }
    const subscriber = { id, wake }
    this.#add(subscriber)
    signal.addEventListener('abort', wake)
    try {
      for (let seen = after; !signal.aborted; ) {
        isDue = false
        const records = this.#services.store.history(id)
        for (const record of records.filter(({ version }) => version > seen)) {
          seen = record.version
          yield record
        }
        const last = records.at(-1)
        if (last === undefined || isTaskOver(last.to)) return
        // A move during the loop is read at once.
        if (!isDue) {
          await new Promise<void>((awake) => {
            resolve = awake
          })
        }
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#remove(subscriber)
    }
  }

  #add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber)
    try {
      this.#stop ??= this.#start()
    } catch (error) {
      this.#remove(subscriber)
      throw error
    }
  }

  #remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size > 0) return
    const stop = this.#stop
    this.#stop = undefined
    stop?.()
  }

  #start(): () => void {
    const { bus, clock } = this.#services
    const unsubscribe = bus.subscribe('task.>', ({ data }) => {
      if (isRecord(data)) this.#wake((id) => id === data.task)
    })
    let stopTimer: () => void
    const poll = (): void => {
      stopTimer = clock.after(POLL_MS, poll)
      this.#wake(() => true)
    }
    stopTimer = clock.after(POLL_MS, poll)
    return () => {
      unsubscribe()
      stopTimer()
    }
  }

  #wake(isFor: (id: string) => boolean): void {
    for (const { id, wake } of this.#subscribers) if (isFor(id)) wake()
  }
}
