// The A2A message and context ids of a task, stored in its metadata. Imports nothing from the SDK.

import { isRecord } from '../../engine/plain-data.ts'
import type { Task, TaskDraft } from '../../tasks/task.ts'

type Metadata = NonNullable<TaskDraft['metadata']>

/** The key in the metadata. */
const NOTE = 'a2a'

/** The metadata of a new task with the ids of its message. */
export function addA2aNote(
  metadata: Metadata,
  note: {
    readonly messageId: string
    readonly contextId: string
    readonly referenceTaskIds: readonly string[]
  },
): Metadata {
  const { messageId, contextId, referenceTaskIds } = note
  const context = contextId === '' ? {} : { contextId }
  const references = referenceTaskIds.length === 0 ? {} : { referenceTaskIds }
  return { ...metadata, [NOTE]: { messageId, ...context, ...references } }
}

/** The context id of a task; default: the id of the task. */
export function readContextId({ id, metadata }: Pick<Task, 'id' | 'metadata'>): string {
  const note = metadata[NOTE]
  return isRecord(note) && typeof note.contextId === 'string' ? note.contextId : id
}

/** The id of the message that created a task. */
export function readMessageId({ id, metadata }: Pick<Task, 'id' | 'metadata'>): string {
  const note = metadata[NOTE]
  return isRecord(note) && typeof note.messageId === 'string' ? note.messageId : `${id}-1`
}

/**
 * The metadata for the pipeline: without the message id, which is new each time a task is sent, so that an approved task is
 * recognized. Only a plain id is omitted, so that no other text can hide there.
 */
export function omitMessageId(metadata: Metadata): Metadata {
  const note = metadata[NOTE]
  if (!isRecord(note) || typeof note.messageId !== 'string' || !/^[\w.:-]{1,64}$/.test(note.messageId)) return metadata
  const { messageId: _, ...rest } = note
  return { ...metadata, [NOTE]: rest }
}
