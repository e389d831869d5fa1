// The moves of tasks as they happen, whichever process makes them. A message says which task has moved, the store what
// became of it; should a message get lost, a look now and then finds out as well. Nothing runs while nobody follows.

import type { Bus } from '../../bus/bus.ts'
import type { Clock } from '../../engine/clock.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { TaskStore } from '../../tasks/store.ts'
import type { TaskRecord } from '../../tasks/task.ts'
import { isTaskOver } from '../../tasks/transitions.ts'

/** What it needs from outside. */
export interface TaskFeedServices {
  readonly store: Pick<TaskStore, 'history'>
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
}

interface Subscriber {
  readonly id: string
  wake(): void
}

const LOOK_MS = 1_000
const MAX_FOLLOWERS = 256

/** Follows tasks. */
export class TaskFeed {
  readonly #services: TaskFeedServices
  readonly #followers = new Set<Subscriber>()
  #stop: (() => void) | undefined

  constructor(services: TaskFeedServices) {
    this.#services = services
  }

  /** How many follow a task. */
  get size(): number {
    return this.#followers.size
  }

  /** Do as many follow as should? */
  get isFull(): boolean {
    return this.#followers.size >= MAX_FOLLOWERS
  }

  /** Every move after a version, until the end of the task, its removal or the signal. */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<TaskRecord, void, undefined> {
    let isDue = false
    let resolve: (() => void) | undefined
    const wake = (): void => {
      isDue = true
      resolve?.()
    }
    const follower = { id, wake }
    this.#add(follower)
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
        // What came while the moves were read and handed on is seen to at once.
        if (!isDue) {
          await new Promise<void>((awake) => {
            resolve = awake
          })
        }
      }
    } finally {
      signal.removeEventListener('abort', wake)
      this.#remove(follower)
    }
  }

  #add(follower: Subscriber): void {
    this.#followers.add(follower)
    try {
      this.#stop ??= this.#start()
    } catch (error) {
      this.#remove(follower)
      throw error
    }
  }

  #remove(follower: Subscriber): void {
    this.#followers.delete(follower)
    if (this.#followers.size > 0) return
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
    const look = (): void => {
      stopTimer = clock.after(LOOK_MS, look)
      this.#wake(() => true)
    }
    stopTimer = clock.after(LOOK_MS, look)
    return () => {
      unsubscribe()
      stopTimer()
    }
  }

  #wake(isFor: (id: string) => boolean): void {
    for (const { id, wake } of this.#followers) if (isFor(id)) wake()
  }
}
