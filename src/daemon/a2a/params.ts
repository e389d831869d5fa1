// What A2A clients send, checked before the SDK reads it: the SDK takes almost anything and turns it into text. Only
// text is taken as a task, since that is what the hooks judge and what an agent is told.

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
// The daemon is for one user: who believes to be one of several should hear that there is only one.
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

const sending = z.looseObject({ tenant, message, configuration: configuration.nullish(), metadata: metadata.nullish() })

/** What each method is given. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  SendMessage: sending,
  SendStreamingMessage: sending,
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

/** Throws unless the parameters can be those of the method. */
export function checkParams(method: unknown, params: unknown): void {
  const shape = typeof method === 'string' && Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined
  const read = shape?.safeParse(params)
  if (read === undefined || read.success) return
  throw new RequestMalformedError(`${String(method)}: ${clip(z.prettifyError(read.error), MAX_TEXT)}`)
}

/** A message as a task or an answer: who says what to whom. */
export interface A2aMessage {
  readonly messageId: string
  readonly taskId: string
  readonly contextId: string
  readonly text: string
  readonly from: string
  /** Whom the metadata names. */
  readonly to: string | undefined
  readonly priority: TaskDraft['priority']
  readonly riskTier: number | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  readonly referenceTaskIds: readonly string[]
}

/** Reads a message; `client` is who speaks unless the metadata names somebody. */
export function readMessage({ message, configuration, metadata }: SendMessageRequest, client: string): A2aMessage {
  if (message === undefined) throw new RequestMalformedError('message is missing.')
  if (configuration?.taskPushNotificationConfig !== undefined) throw new PushNotificationNotSupportedError()
  const { from = client, to, priority, riskTier, ...rest } = { ...metadata, ...message.metadata }
  const { messageId, taskId, contextId, referenceTaskIds } = message
  const text = message.parts.map(textIn).join('\n')
  // Not checked here: the delegator refuses what cannot be a name, a priority or a tier.
  const given = { from, to, priority, riskTier } as Pick<A2aMessage, 'from' | 'to' | 'priority' | 'riskTier'>
  return { messageId, taskId, contextId, referenceTaskIds, text, metadata: rest, ...given }
}

/** Who cancels. */
export function readActor(metadata: Readonly<Record<string, unknown>> | undefined, client: string): string {
  return (metadata?.from ?? client) as string
}

type Part = NonNullable<SendMessageRequest['message']>['parts'][number]

function textIn({ content, mediaType }: Part): string {
  const isText = mediaType === '' || /^text\//i.test(mediaType)
  if (content?.$case === 'text' && isText) return content.value
  const what = content === undefined ? 'a part without content' : `a part of ${mediaType || content.$case}`
  throw new ContentTypeNotSupportedError(`Only parts with text are taken, not ${clip(what, 200)}.`)
}
