// Tasks that end with the process: for programs that need no other one to see them.

import { ArcError, show } from '../../engine/errors.ts'
import { frozenCopy } from '../../engine/plain-data.ts'
import type { Task, TaskDraft, TaskRecord } from '../../tasks/task.ts'
import {
  advanceTask,
  isTaskLeaseOver,
  isTaskOver,
  openTask,
  renewTaskLease,
  type TaskMove,
  unknownTask,
} from '../../tasks/transitions.ts'
import { PURGE_BATCH, TASK_RETENTION_MS, type TaskFilter, type TaskStore } from '../ports.ts'

/**
 * Tasks in memory.
 * @example
 * const store = new MemoryTaskStore()
 */
export class MemoryTaskStore implements TaskStore {
  readonly #tasks = new Map<string, { task: Task; readonly records: TaskRecord[] }>()
  // Those that are over, in the order of their ends.
  readonly #ended = new Map<string, number>()

  create(id: string, draft: TaskDraft, at: number): Task {
    if (this.#tasks.has(id)) throw new ArcError('ARC_OPTION_INVALID', `There is a task ${show(id)} already.`)
    const { task, records } = openTask(id, draft, at)
    this.#sweep(at - TASK_RETENTION_MS)
    const kept = { task: frozenCopy(task), records: records.map((record) => frozenCopy(record)) }
    this.#tasks.set(id, kept)
    return kept.task
  }

  get(id: string): Task | undefined {
    return this.#tasks.get(id)?.task
  }

  history(id: string): readonly TaskRecord[] {
    return [...(this.#tasks.get(id)?.records ?? [])]
  }

  list({ status, from, to, limit }: TaskFilter = {}): readonly Task[] {
    const wanted = [...this.#tasks.values()].flatMap(({ task }) => {
      const isWanted =
        (status ?? task.status) === task.status && (from ?? task.from) === task.from && (to ?? task.to) === task.to
      return isWanted ? [task] : []
    })
    const sorted = wanted.sort((a, b) => (a.id < b.id ? -1 : 1))
    return limit === undefined ? sorted : sorted.slice(Math.max(0, sorted.length - limit))
  }

  move(id: string, move: TaskMove): Task {
    const kept = this.#tasks.get(id)
    if (kept === undefined) throw unknownTask(id)
    const { task, record } = advanceTask(kept.task, move)
    if (isTaskOver(task.status)) this.#ended.set(id, task.updatedAt)
    kept.records.push(frozenCopy(record))
    // Frozen, so that a task changes only by a transition.
    kept.task = frozenCopy(task)
    return kept.task
  }

  renew(id: string, holder: string, at: number): boolean {
    const kept = this.#tasks.get(id)
    const renewed = kept && renewTaskLease(kept.task, holder, at)
    if (kept === undefined || renewed === undefined) return false
    kept.task = frozenCopy(renewed)
    return true
  }

  expired(at: number): readonly Task[] {
    return this.list({ status: 'working' }).filter((task) => isTaskLeaseOver(task, at))
  }

  close(): void {
    this.#tasks.clear()
    this.#ended.clear()
  }

  #sweep(before: number): void {
    let swept = 0
    for (const [id, at] of this.#ended) {
      if (at > before || swept++ >= PURGE_BATCH) return
      this.#ended.delete(id)
      this.#tasks.delete(id)
    }
  }
}
