// A task as A2A shows it. Everything is made from the task and its history, so nothing is kept twice.

import { type Task as A2aTask, type Message, Role, type StreamResponse, TaskState } from '@a2a-js/sdk'
import { newId } from '../../platform/ids.ts'
import type { TaskRefusal } from '../../tasks/service/task-supervision.ts'
import type { Task, TaskRecord } from '../../tasks/task.ts'
import { STATES } from './states.ts'
import { readContextId, readMessageId } from './task-metadata.ts'

type Artifact = A2aTask['artifacts'][number]

/** How much of a task is shown. */
export interface ViewOptions {
  /** So many messages, the last ones; all unless set. */
  readonly historyLength?: number | undefined
  readonly hasArtifacts?: boolean
}

/** The whole task. */
export function buildTaskView(
  task: Task,
  records: readonly TaskRecord[],
  { historyLength, hasArtifacts = true }: ViewOptions = {},
): A2aTask {
  const history = messagesOf(task, records)
  return {
    id: task.id,
    contextId: readContextId(task),
    status: { state: STATES[task.status], message: statusMessage(task), timestamp: timeOf(task.updatedAt) },
    artifacts: hasArtifacts ? artifactsOf(task) : [],
    history: historyLength === undefined ? history : history.slice(Math.max(0, history.length - historyLength)),
    metadata: metadataOf(task),
  }
}

/** What is told of one move: its new status, and before the end of a completed task what came of it. */
export function buildTaskEvents(task: Task, record: TaskRecord): readonly StreamResponse[] {
  const place = placeOf(task)
  const isLast = record.version === task.version
  const text = isLast ? textOf(task) : record.text
  const status = {
    state: STATES[record.to],
    message: text === undefined ? undefined : messageOf(place, `${task.id}-${record.version}`, text),
    timestamp: timeOf(record.at),
  }
  const told: StreamResponse = {
    payload: { $case: 'statusUpdate', value: { ...place, status, metadata: metadataOf(task) } },
  }
  const artifacts = record.to === 'completed' ? artifactsOf(task) : []
  const made = artifacts.map((artifact): StreamResponse => {
    const value = { ...place, artifact, append: false, lastChunk: true, metadata: undefined }
    return { payload: { $case: 'artifactUpdate', value } }
  })
  return [...made, told]
}

/** A task that the pipeline did not let through. It is not stored: the trace has the whole decision. */
export function buildRejectedTask(refusal: TaskRefusal, givenContext: string): A2aTask {
  const { code, message, hook = '', reason = '', suggestion = '', step } = refusal
  const id = newId()
  const contextId = givenContext || id
  const said = messageOf({ taskId: id, contextId }, `${id}-1`, message)
  return {
    ...{ id, contextId, artifacts: [], history: [] },
    status: { state: TaskState.TASK_STATE_REJECTED, message: said, timestamp: timeOf(Date.now()) },
    metadata: { code, hook, reason, suggestion, trace: step },
  }
}

function metadataOf({ from, to, priority, riskTier, attempts, version }: Task): Record<string, unknown> {
  return { from, to, priority, ...(riskTier !== undefined && { riskTier }), attempts, version }
}

// What belongs to the status that a task is in now, in full.
function textOf({ status, question, reason }: Task): string | undefined {
  if (status === 'input-required') return question
  return status === 'failed' || status === 'cancelled' ? reason || undefined : undefined
}

function statusMessage(task: Task): Message | undefined {
  const text = textOf(task)
  return text === undefined ? undefined : messageOf(placeOf(task), `${task.id}-${task.version}`, text)
}

function artifactsOf({ id, status, output }: Task): Artifact[] {
  if (status !== 'completed' || output === undefined || output === '') return []
  const artifactId = `${id}-output`
  return [{ artifactId, name: 'output', description: '', parts: partsOf(output), metadata: undefined, extensions: [] }]
}

// The task itself, then each question and answer; of those before the last only the beginning is kept.
function messagesOf(task: Task, records: readonly TaskRecord[]): Message[] {
  const { id, description, question, answer } = task
  const place = placeOf(task)
  const lastQuestion = records.findLast(isQuestion)
  const lastAnswer = records.findLast(isAnswer)
  const said = records.flatMap((record) => {
    if (!isQuestion(record) && !isAnswer(record)) return []
    const whole = record === lastQuestion ? question : record === lastAnswer ? answer : undefined
    const role = isQuestion(record) ? Role.ROLE_AGENT : Role.ROLE_USER
    return [messageOf(place, `${id}-${record.version}`, whole ?? record.text ?? '', role)]
  })
  return [messageOf(place, readMessageId(task), description, Role.ROLE_USER), ...said]
}

function isQuestion({ to }: TaskRecord): boolean {
  return to === 'input-required'
}

function isAnswer({ from, to }: TaskRecord): boolean {
  return from === 'input-required' && to === 'working'
}

interface Place {
  readonly taskId: string
  readonly contextId: string
}

function placeOf(task: Task): Place {
  return { taskId: task.id, contextId: readContextId(task) }
}

function messageOf(place: Place, messageId: string, text: string, role: Role = Role.ROLE_AGENT): Message {
  const base = { metadata: undefined, extensions: [], referenceTaskIds: [] }
  return { messageId, ...place, role, parts: partsOf(text), ...base }
}

function partsOf(text: string): Message['parts'] {
  return [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }]
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
