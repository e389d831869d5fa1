// Where tasks are kept. Synchronous, as the state is; a store moves tasks through the state machine and no other way,
// reading and writing as one, so that of two who race exactly one wins.

import type { Task, TaskDraft, TaskRecord, TaskStatus } from './task.ts'
import type { TaskMove } from './transitions.ts'

/** Which tasks; all of what is given must hold. */
export interface TaskFilter {
  readonly status?: TaskStatus | undefined
  /** Delegated by this agent. */
  readonly from?: string | undefined
  /** Given to this agent. */
  readonly to?: string | undefined
  /** The newest so many. */
  readonly limit?: number | undefined
}

/** Tasks, each with the history of all its moves. */
export interface TaskStore {
  /** Makes a task, assigned already. Throws when the id is taken or the draft cannot be a task. */
  create(id: string, draft: TaskDraft, at: number): Task
  get(id: string): Task | undefined
  /** All moves of a task, from the first. */
  history(id: string): readonly TaskRecord[]
  /** In the order in which they were made, as their ids say. */
  list(filter?: TaskFilter): readonly Task[]
  /** Moves a task as the state machine allows, with its record, or throws and leaves all as it is. */
  move(id: string, move: TaskMove): Task
  /** Prolongs the hold of a worker; false when it has none. */
  renew(id: string, holder: string, at: number): boolean
  /** The tasks whose worker was silent for too long. */
  expired(at: number): readonly Task[]
  /** Safe to call twice. */
  close(): void
}

/** For how long a task is kept after its end. */
export const TASK_RETENTION_MS = 7 * 86_400_000

/** Each new task takes so many along whose time is over: nobody has to sweep. */
export const PURGE_BATCH = 4
