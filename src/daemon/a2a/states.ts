// Maps the statuses of tasks to the states of A2A: one table for both directions.

import { TaskState } from '@a2a-js/sdk'
import { TASK_STATUSES, type TaskStatus } from '../../tasks/task.ts'

/** The state of each status. A task is assigned as soon as it is created, so A2A has one state for both. */
export const STATES = {
  created: TaskState.TASK_STATE_SUBMITTED,
  assigned: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<TaskStatus, TaskState>

/** The statuses of a state; none for states that no stored task has, such as rejected. */
export function findStatuses(state: TaskState): readonly TaskStatus[] {
  return TASK_STATUSES.filter((status) => STATES[status] === state)
}
