// What an A2A client said of its task beside the text, kept in the metadata of the task. Needs nothing of the SDK.

import { isRecord } from '../../engine/plain-data.ts'
import type { Task, TaskDraft } from '../../tasks/task.ts'

type Metadata = NonNullable<TaskDraft['metadata']>

/** Its key in the metadata. */
const NOTE = 'a2a'

/** The metadata of a new task, with what the client said. */
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

/** The context of a task. One that was given none is a context of its own. */
export function readContextId({ id, metadata }: Pick<Task, 'id' | 'metadata'>): string {
  const note = metadata[NOTE]
  return isRecord(note) && typeof note.contextId === 'string' ? note.contextId : id
}

/** The id of the message that a task came in. */
export function readMessageId({ id, metadata }: Pick<Task, 'id' | 'metadata'>): string {
  const note = metadata[NOTE]
  return isRecord(note) && typeof note.messageId === 'string' ? note.messageId : `${id}-1`
}

/**
 * The metadata as the pipeline judges it: without the id of the message, which is new each time a task is sent, so that
 * a task that was approved is known again. Only what is no more than an id is left out, so that nothing can hide there.
 */
export function omitMessageId(metadata: Metadata): Metadata {
  const note = metadata[NOTE]
  if (!isRecord(note) || typeof note.messageId !== 'string' || !/^[\w.:-]{1,64}$/.test(note.messageId)) return metadata
  const { messageId: _, ...rest } = note
  return { ...metadata, [NOTE]: rest }
}
