// What a task is, and how a draft is checked: outside data is checked here and trusted afterwards.

import { checkAgent } from '../bus/subject.ts'
import { agentKey } from '../engine/agent-key.ts'
import { ArcError, rejectUnknownOptions, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'

/** The status of a task; the first is the initial status, the last three are ends. */
export const TASK_STATUSES = [
  'created',
  'assigned',
  'working',
  'input-required',
  'completed',
  'failed',
  'cancelled',
] as const

export type TaskStatus = (typeof TASK_STATUSES)[number]

/** How urgent a task is, from the least. */
export const TASK_PRIORITIES = ['low', 'medium', 'high', 'critical'] as const

export type TaskPriority = (typeof TASK_PRIORITIES)[number]

/** A worker's hold on a task: unless renewed in time, the task goes back. */
export interface Lease {
  /** The worker, not the agent: several processes may work under one name. */
  readonly holder: string
  readonly ms: number
  /** Wall-clock milliseconds. */
  readonly expiresAt: number
}

/** Work that one agent hands to another. */
export interface Task {
  readonly id: string
  /** Who delegated it. */
  readonly from: string
  /** Who is to do it. */
  readonly to: string
  readonly description: string
  readonly status: TaskStatus
  readonly priority: TaskPriority
  readonly riskTier?: number
  readonly metadata: Readonly<Record<string, unknown>>
  /** How often somebody began to work on it. */
  readonly attempts: number
  /** How often it has moved. */
  readonly version: number
  /** Wall-clock milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly lease?: Lease
  /** The result, once completed. */
  readonly output?: string
  /** Why it failed or was cancelled. */
  readonly reason?: string
  /** What the assignee asked last, and the answer to it. */
  readonly question?: string
  readonly answer?: string
}

/** One move of a task, as the history keeps it. */
export interface TaskRecord {
  readonly version: number
  /** Nothing for the first: the task was made. */
  readonly from: TaskStatus | null
  readonly to: TaskStatus
  /** The agent who did it; nothing when it was ARC itself. */
  readonly by: string | null
  /** Wall-clock milliseconds. */
  readonly at: number
  /** The beginning of what was said with it. */
  readonly text?: string
}

/** What somebody wants done. */
export interface TaskDraft {
  readonly from: string
  readonly to: string
  readonly description: string
  /** Default `medium`. */
  readonly priority?: TaskPriority | undefined
  /** From 0, harmless, to 5. */
  readonly riskTier?: number | undefined
  /** Plain JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** The longest text that a task takes in. */
const MAX_TASK_TEXT = 1_000_000

const MAX_METADATA = 100_000
const DRAFT_FIELDS = ['from', 'to', 'description', 'priority', 'riskTier', 'metadata'] as const

/** Checks a draft and fills in omitted fields. Self-delegation is refused, whatever the case of the name. */
export function readDraft(draft: TaskDraft): Required<Pick<TaskDraft, 'priority' | 'metadata'>> & TaskDraft {
  rejectUnknownOptions(draft, DRAFT_FIELDS, 'A task')
  const { from, to, description, priority = 'medium', riskTier, metadata = {} } = draft
  checkAgent(from, 'from')
  checkAgent(to, 'to')
  if (agentKey(from) === agentKey(to)) {
    throw new ArcError('ARC_TASK_SELF', `${show(from)} cannot delegate a task to itself.`)
  }
  checkText(description, 'description', { isNeeded: true })
  if (!TASK_PRIORITIES.includes(priority)) {
    throw invalid(`priority must be one of ${TASK_PRIORITIES.join(', ')}, not ${show(priority)}.`)
  }
  if (riskTier !== undefined && !(Number.isInteger(riskTier) && riskTier >= 0 && riskTier <= 5)) {
    throw invalid(`riskTier must be a whole number from 0 to 5, not ${show(riskTier)}.`)
  }
  return {
    ...{ from, to, description, priority, metadata: readMetadata(metadata) },
    ...(riskTier !== undefined && { riskTier }),
  }
}

/** Throws unless it is a text of a bearable length. */
export function checkText(text: unknown, name: string, { isNeeded = false } = {}): asserts text is string {
  if (typeof text !== 'string') throw invalid(`${name} must be a text, not ${show(text)}.`)
  if (isNeeded && text.trim() === '') throw invalid(`${name} must not be empty.`)
  if (text.length > MAX_TASK_TEXT) {
    throw invalid(`${name} must have at most ${MAX_TASK_TEXT} characters, not ${text.length}.`)
  }
}

function readMetadata(given: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(given)) throw invalid(`metadata must be an object, not ${show(given)}.`)
  const text = toJson(given)
  if (text === undefined || text.length > MAX_METADATA) {
    throw invalid(`metadata must be plain JSON of at most ${MAX_METADATA} characters.`)
  }
  // Copied by JSON, so that no caller shares the object.
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // In a circle, or with a number that JSON does not have.
    return undefined
  }
}

function invalid(message: string): ArcError {
  return new ArcError('ARC_OPTION_INVALID', message)
}
