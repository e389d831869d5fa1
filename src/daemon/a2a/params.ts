// Checks the parameters of A2A requests before the SDK reads them: the SDK accepts almost anything. A task accepts only text,
// since hooks evaluate text and agents receive it.

import type { SendMessageRequest } from '@a2a-js/sdk'
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
} from '@a2a-js/sdk/errors'
import * as z from 'zod'
import { clip, MAX_TEXT } from '../../engine/errors.ts'
import type { TaskDraft } from '../../tasks/task.ts'

const id = z
  .string()
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must be on one line')
const neededId = id.min(1)
const count = z.int().min(0).max(1_000_000)
const metadata = z.record(z.string(), z.unknown())
// The daemon has a single user: a request for a tenant is refused.
const tenant = z.literal('', { error: 'there are no tenants here' }).nullish()

const part = z.looseObject({
  text: z.string().nullish(),
  raw: z.string().nullish(),
  url: z.string().nullish(),
  filename: z.string().nullish(),
  mediaType: z.string().max(200).nullish(),
  metadata: metadata.nullish(),
})

const message = z.looseObject({
  messageId: neededId,
  contextId: id.nullish(),
  taskId: id.nullish(),
  role: z.literal(['ROLE_USER', 1], { error: 'must be ROLE_USER' }),
  parts: z.array(part).min(1).max(1_000),
  metadata: metadata.nullish(),
  extensions: z.array(z.string().max(1_000)).max(100).nullish(),
  referenceTaskIds: z.array(id).max(100).nullish(),
})

const configuration = z.looseObject({
  acceptedOutputModes: z.array(z.string().max(200)).max(100).nullish(),
  historyLength: count.nullish(),
  returnImmediately: z.boolean().nullish(),
})

const sendParams = z.looseObject({
  tenant,
  message,
  configuration: configuration.nullish(),
  metadata: metadata.nullish(),
})

/** The parameters of each method. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  SendMessage: sendParams,
  SendStreamingMessage: sendParams,
  GetTask: z.looseObject({ tenant, id: neededId, historyLength: count.nullish() }),
  ListTasks: z.looseObject({
    tenant,
    contextId: id.nullish(),
    status: z.union([z.string().max(100), z.int()]).nullish(),
    pageSize: z.int().min(1).max(100).nullish(),
    pageToken: z.string().max(500).nullish(),
    historyLength: count.nullish(),
    statusTimestampAfter: z.iso.datetime({ offset: true }).nullish(),
    includeArtifacts: z.boolean().nullish(),
  }),
  CancelTask: z.looseObject({ tenant, id: neededId, metadata: metadata.nullish() }),
  SubscribeToTask: z.looseObject({ tenant, id: neededId }),
}

/** Throws if the parameters do not fit the method. */
export function checkParams(method: unknown, params: unknown): void {
  const shape = typeof method === 'string' && Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined
  const read = shape?.safeParse(params)
  if (read === undefined || read.success) return
  throw new RequestMalformedError(`${String(method)}: ${clip(z.prettifyError(read.error), MAX_TEXT)}`)
}

/** A message: a new task or the input for a task. */
export interface A2aMessage {
  readonly messageId: string
  readonly taskId: string
  readonly contextId: string
  readonly text: string
  readonly from: string
  /** The assignee in the metadata. */
  readonly to: string | undefined
  readonly priority: TaskDraft['priority']
  readonly riskTier: number | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  readonly referenceTaskIds: readonly string[]
}

/** Reads a message; `client` is the sender if the metadata names none. */
export function readMessage({ message, configuration, metadata }: SendMessageRequest, client: string): A2aMessage {
  if (message === undefined) throw new RequestMalformedError('message is missing.')
  if (configuration?.taskPushNotificationConfig !== undefined) throw new PushNotificationNotSupportedError()
  const { from = client, to, priority, riskTier, ...rest } = { ...metadata, ...message.metadata }
  const { messageId, taskId, contextId, referenceTaskIds } = message
  const text = message.parts.map(readText).join('\n')
  // Not checked here: the delegator refuses invalid names, priorities and tiers.
  const given = { from, to, priority, riskTier } as Pick<A2aMessage, 'from' | 'to' | 'priority' | 'riskTier'>
  return { messageId, taskId, contextId, referenceTaskIds, text, metadata: rest, ...given }
}

/** The agent that cancels. */
export function readActor(metadata: Readonly<Record<string, unknown>> | undefined, client: string): string {
  return (metadata?.from ?? client) as string
}

type Part = NonNullable<SendMessageRequest['message']>['parts'][number]

function readText({ content, mediaType }: Part): string {
  const isText = mediaType === '' || /^text\//i.test(mediaType)
  if (content?.$case === 'text' && isText) return content.value
  const what = content === undefined ? 'a part without content' : `a part of ${mediaType || content.$case}`
  throw new ContentTypeNotSupportedError(`Only text parts are accepted, not ${clip(what, 200)}.`)
}
