// A task in the format of A2A, built from the task and its history.

import { type Task as A2aTask, type Message, Role, type StreamResponse, TaskState } from '@a2a-js/sdk'
import { newId } from '../../platform/ids.ts'
import type { TaskRefusal } from '../../tasks/service/task-supervision.ts'
import type { Task, TaskRecord } from '../../tasks/task.ts'
import { STATES } from './states.ts'
import { readContextId, readMessageId } from './task-metadata.ts'

type Artifact = A2aTask['artifacts'][number]

/** The parts of a task to include. */
export interface ViewOptions {
  /** The number of last messages; default: all. */
  readonly historyLength?: number | undefined
  readonly hasArtifacts?: boolean
}

/** Builds the view of a task. */
export function buildTaskView(
  task: Task,
  records: readonly TaskRecord[],
  { historyLength, hasArtifacts = true }: ViewOptions = {},
): A2aTask {
  const history = buildHistory(task, records)
  return {
    id: task.id,
    contextId: readContextId(task),
    status: { state: STATES[task.status], message: buildStatusMessage(task), timestamp: formatTime(task.updatedAt) },
    artifacts: hasArtifacts ? buildArtifacts(task) : [],
    history: historyLength === undefined ? history : history.slice(Math.max(0, history.length - historyLength)),
    metadata: buildMetadata(task),
  }
}

/** Builds the events of a move: the new status, after the output of a completed task. */
export function buildTaskEvents(task: Task, record: TaskRecord): readonly StreamResponse[] {
  const ids = readTaskIds(task)
  const isLast = record.version === task.version
  const text = isLast ? findStatusText(task) : record.text
  const status = {
    state: STATES[record.to],
    message: text === undefined ? undefined : buildMessage(ids, `${task.id}-${record.version}`, text),
    timestamp: formatTime(record.at),
  }
  const update: StreamResponse = {
    payload: { $case: 'statusUpdate', value: { ...ids, status, metadata: buildMetadata(task) } },
  }
  const artifacts = record.to === 'completed' ? buildArtifacts(task) : []
  const made = artifacts.map((artifact): StreamResponse => {
    const value = { ...ids, artifact, append: false, lastChunk: true, metadata: undefined }
    return { payload: { $case: 'artifactUpdate', value } }
  })
  return [...made, update]
}

/** Builds a task that the pipeline blocked. It is not stored: the trace has the decision. */
export function buildRejectedTask(refusal: TaskRefusal, givenContext: string): A2aTask {
  const { code, message, hook = '', reason = '', suggestion = '', step } = refusal
  const id = newId()
  const contextId = givenContext || id
  const text = buildMessage({ taskId: id, contextId }, `${id}-1`, message)
  return {
    ...{ id, contextId, artifacts: [], history: [] },
    status: { state: TaskState.TASK_STATE_REJECTED, message: text, timestamp: formatTime(Date.now()) },
    metadata: { code, hook, reason, suggestion, trace: step },
  }
}

function buildMetadata({ from, to, priority, riskTier, attempts, version }: Task): Record<string, unknown> {
  return { from, to, priority, ...(riskTier !== undefined && { riskTier }), attempts, version }
}

// The complete text of the current status.
function findStatusText({ status, question, reason }: Task): string | undefined {
  if (status === 'input-required') return question
  return status === 'failed' || status === 'cancelled' ? reason || undefined : undefined
}

function buildStatusMessage(task: Task): Message | undefined {
  const text = findStatusText(task)
  return text === undefined ? undefined : buildMessage(readTaskIds(task), `${task.id}-${task.version}`, text)
}

function buildArtifacts({ id, status, output }: Task): Artifact[] {
  if (status !== 'completed' || output === undefined || output === '') return []
  const artifactId = `${id}-output`
  return [
    { artifactId, name: 'output', description: '', parts: buildParts(output), metadata: undefined, extensions: [] },
  ]
}

// The task, then each question and answer; the history has only the start of all but the last.
function buildHistory(task: Task, records: readonly TaskRecord[]): Message[] {
  const { id, description, question, answer } = task
  const ids = readTaskIds(task)
  const lastQuestion = records.findLast(isQuestion)
  const lastAnswer = records.findLast(isAnswer)
  const exchange = records.flatMap((record) => {
    if (!isQuestion(record) && !isAnswer(record)) return []
    const whole = record === lastQuestion ? question : record === lastAnswer ? answer : undefined
    const role = isQuestion(record) ? Role.ROLE_AGENT : Role.ROLE_USER
    return [buildMessage(ids, `${id}-${record.version}`, whole ?? record.text ?? '', role)]
  })
  return [buildMessage(ids, readMessageId(task), description, Role.ROLE_USER), ...exchange]
}

function isQuestion({ to }: TaskRecord): boolean {
  return to === 'input-required'
}

function isAnswer({ from, to }: TaskRecord): boolean {
  return from === 'input-required' && to === 'working'
}

interface TaskIds {
  readonly taskId: string
  readonly contextId: string
}

function readTaskIds(task: Task): TaskIds {
  return { taskId: task.id, contextId: readContextId(task) }
}

function buildMessage(ids: TaskIds, messageId: string, text: string, role: Role = Role.ROLE_AGENT): Message {
  const base = { metadata: undefined, extensions: [], referenceTaskIds: [] }
  return { messageId, ...ids, role, parts: buildParts(text), ...base }
}

function buildParts(text: string): Message['parts'] {
  return [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }]
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString()
}
