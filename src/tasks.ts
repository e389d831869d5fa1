// `arc-supervisor/tasks`: tasks that agents delegate to each other, and the parts of a task store. Exports only.

export { TASK_RETENTION_MS, type TaskFilter, type TaskStore } from './storage/ports.ts'
export type { DelegateOptions, DelegatorOptions, TaskMessage } from './tasks/delegator.ts'
export { type OpenTasks, type OpenTasksOptions, openTasks, TaskDelegator } from './tasks/service/open-tasks.ts'
export { admitBy, TaskRefusal } from './tasks/service/task-supervision.ts'
export type { Task, TaskDraft, TaskPriority, TaskRecord, TaskStatus } from './tasks/task.ts'
export {
  advanceTask,
  isTaskLeaseOver,
  isTaskOver,
  openTask,
  renewTaskLease,
  type TaskAction,
  type TaskMove,
  unknownTask,
} from './tasks/transitions.ts'
