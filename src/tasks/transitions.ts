// The state machine of tasks: one table of transitions and who may make them. Pure; every store moves tasks only through
// `advanceTask`.

import { ArcError, clip, MAX_TEXT, show } from '../engine/errors.ts'
import {
  checkText,
  type Lease,
  readDraft,
  type Task,
  type TaskDraft,
  type TaskRecord,
  type TaskStatus,
} from './task.ts'

/** The role that moves a task: one of its two agents, or ARC. */
export type TaskRole = 'delegator' | 'assignee' | 'arc'

interface TransitionRow {
  readonly from: readonly TaskStatus[]
  readonly to: TaskStatus
  readonly by: TaskRole
  /** The field that stores the text of the move. */
  readonly keeps?: 'output' | 'reason' | 'question' | 'answer'
  /** Whether a text is required. */
  readonly isTextNeeded?: boolean
  /** The recipient of the message, and its kind. */
  readonly tells: Exclude<TaskRole, 'arc'>
  readonly kind: MessageKind
  /** The text of the message when the move has none. */
  readonly says: string
}

/** The kinds of messages about tasks. */
export type MessageKind = 'handoff' | 'notification' | 'response' | 'request'

const OPEN: readonly TaskStatus[] = ['created', 'assigned', 'working', 'input-required']

/** Every move there is. */
export const TRANSITIONS = {
  assign: {
    ...{ from: ['created'], to: 'assigned', by: 'delegator' },
    ...{ tells: 'assignee', kind: 'handoff', says: 'Task assigned' },
  },
  accept: {
    ...{ from: ['assigned'], to: 'working', by: 'assignee' },
    ...{ tells: 'delegator', kind: 'notification', says: 'Task accepted' },
  },
  complete: {
    ...{ from: ['working'], to: 'completed', by: 'assignee', keeps: 'output' },
    ...{ tells: 'delegator', kind: 'response', says: 'Task completed' },
  },
  fail: {
    ...{ from: ['working'], to: 'failed', by: 'assignee', keeps: 'reason' },
    ...{ tells: 'delegator', kind: 'response', says: 'Task failed' },
  },
  'request-input': {
    ...{ from: ['working'], to: 'input-required', by: 'assignee', keeps: 'question', isTextNeeded: true },
    ...{ tells: 'delegator', kind: 'request', says: 'Input required' },
  },
  'provide-input': {
    ...{ from: ['input-required'], to: 'working', by: 'delegator', keeps: 'answer', isTextNeeded: true },
    ...{ tells: 'assignee', kind: 'response', says: 'Input provided' },
  },
  cancel: {
    ...{ from: OPEN, to: 'cancelled', by: 'delegator', keeps: 'reason' },
    ...{ tells: 'assignee', kind: 'notification', says: 'Task cancelled' },
  },
  // The worker is gone: its task can be accepted again.
  return: {
    ...{ from: ['working'], to: 'assigned', by: 'arc' },
    ...{ tells: 'assignee', kind: 'handoff', says: 'The worker was lost; the task can be accepted again' },
  },
  // The worker was lost too often.
  abandon: {
    ...{ from: ['working'], to: 'failed', by: 'arc', keeps: 'reason' },
    ...{ tells: 'delegator', kind: 'response', says: 'Its workers were lost too often' },
  },
} as const satisfies Record<string, TransitionRow>

/** What can be done with a task. */
export type TaskAction = keyof typeof TRANSITIONS

/** The row of an action. */
export function getTransition(action: TaskAction): TransitionRow {
  return TRANSITIONS[action]
}

/** Is it an end? */
export function isTaskOver(status: TaskStatus): boolean {
  return !OPEN.includes(status)
}

/** A move of a task. */
export interface TaskMove {
  readonly action: TaskAction
  /** The agent that makes the move; undefined for ARC. */
  readonly actor: string | undefined
  /** Wall-clock milliseconds. */
  readonly at: number
  readonly text?: string | undefined
  /** The worker behind the actor, and for how long it holds the task without renewing. */
  readonly holder?: string | undefined
  readonly leaseMs?: number | undefined
  /** Only if the task is still at this version. */
  readonly version?: number | undefined
}

/** A task after a move, and the record of it. */
export interface MovedTask {
  readonly task: Task
  readonly record: TaskRecord
}

/** A new task: created and assigned in one step, so that none is left unassigned. */
export function openTask(
  id: string,
  draft: TaskDraft,
  at: number,
): { readonly task: Task; readonly records: readonly TaskRecord[] } {
  const read = readDraft(draft)
  const { from } = read
  const times = { createdAt: at, updatedAt: at }
  const created: Task = { id, ...read, status: 'created', attempts: 0, version: 1, ...times } as Task
  const first: TaskRecord = { version: 1, from: null, to: 'created', by: from, at }
  const { task, record } = advanceTask(created, { action: 'assign', actor: from, at })
  return { task, records: [first, record] }
}

/** Moves a task, or throws: wrong actor, invalid transition, lease of another worker. */
export function advanceTask(task: Task, move: TaskMove): MovedTask {
  const { action, actor, at, text } = move
  const row = getTransition(action)
  refuse(task, move, row)
  if (row.isTextNeeded === true || text !== undefined)
    checkText(text, row.keeps ?? 'text', { isNeeded: row.isTextNeeded === true })
  const version = task.version + 1
  const { lease: _lease, answer, ...rest } = task
  const lease = leaseAfter(task, move, row)
  const next: Task = {
    ...rest,
    ...(answer !== undefined && action !== 'request-input' && { answer }),
    ...(lease !== undefined && { lease }),
    ...(row.keeps !== undefined && text !== undefined && { [row.keeps]: text }),
    ...(action === 'abandon' && text === undefined && { reason: row.says }),
    status: row.to,
    attempts: task.attempts + (action === 'accept' ? 1 : 0),
    version,
    // A clock that was set back must not move `updatedAt` back.
    updatedAt: Math.max(at, task.updatedAt),
  }
  const said = text === undefined ? {} : { text: clip(text, MAX_TEXT) }
  return { task: next, record: { version, from: task.status, to: row.to, by: actor ?? null, at, ...said } }
}

/** The task with its lease renewed; nothing when this worker does not hold it. */
export function renewTaskLease(task: Task, holder: string, at: number): Task | undefined {
  const { lease } = task
  if (lease === undefined || lease.holder !== holder) return undefined
  return { ...task, lease: { ...lease, expiresAt: at + lease.ms } }
}

/** Whether the lease has expired. A task that waits for an answer keeps its lease. */
export function isTaskLeaseOver({ status, lease }: Task, at: number): boolean {
  return status === 'working' && lease !== undefined && lease.expiresAt <= at
}

/** The error for an unknown task. */
export function unknownTask(id: unknown): ArcError {
  return new ArcError('ARC_TASK_UNKNOWN', `There is no task ${show(id)}.`)
}

function refuse(task: Task, { action, actor, at, holder, version }: TaskMove, row: TransitionRow): void {
  const what = `Task ${task.id} cannot ${action.replace('-', ' ')}`
  if (!isRole(task, actor, row.by)) {
    const who = actor === undefined ? 'ARC' : show(actor)
    throw new ArcError('ARC_TASK_ACTOR', `${what}: that is for ${wordFor(task, row.by)}, not for ${who}.`)
  }
  if (!row.from.includes(task.status)) {
    throw wrongMove(`${what}: it is ${task.status}, and would have to be ${row.from.join(' or ')}.`)
  }
  if (version !== undefined && version !== task.version) {
    throw wrongMove(`${what}: somebody else moved it first (version ${task.version}, expected ${version}).`)
  }
  if (row.by === 'arc' && !isTaskLeaseOver(task, at)) throw wrongMove(`${what}: its worker is still there.`)
  if (row.by === 'assignee' && task.lease !== undefined && task.lease.holder !== holder) {
    throw new ArcError('ARC_TASK_ACTOR', `${what}: another worker of ${show(task.to)} holds it.`)
  }
}

function isRole(task: Task, actor: string | undefined, role: TaskRole): boolean {
  if (role === 'arc') return actor === undefined
  return actor !== undefined && actor === (role === 'delegator' ? task.from : task.to)
}

function wordFor(task: Task, role: TaskRole): string {
  if (role === 'arc') return 'ARC itself'
  return role === 'delegator' ? `${show(task.from)}, who delegated it` : `${show(task.to)}, to whom it was given`
}

function wrongMove(message: string): ArcError {
  return new ArcError('ARC_TASK_TRANSITION', message)
}

// A lease starts with the work, is paused by an open question, and ends with the task.
function leaseAfter({ lease }: Task, { at, holder, leaseMs }: TaskMove, row: TransitionRow): Lease | undefined {
  if (row.to === 'input-required') return lease
  if (row.to !== 'working') return undefined
  if (row.by === 'delegator') return lease && { ...lease, expiresAt: at + lease.ms }
  return holder === undefined || leaseMs === undefined ? undefined : { holder, ms: leaseMs, expiresAt: at + leaseMs }
}
