// A2A over HTTP: JSON-RPC in, JSON or a stream of events out. Loaded with the SDK at the first request, so that a daemon
// that nobody speaks A2A to does not pay for it.

import { A2A_VERSION_HEADER, AgentCard } from '@a2a-js/sdk'
import { A2A_ERROR_CODE, ContentTypeNotSupportedError, toJsonRpcError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { isRecord } from '../../engine/plain-data.ts'
import type { DaemonTasks } from '../task-service.ts'
import { toA2aError } from './a2a-errors.ts'
import { checkParams } from './params.ts'
import { type HandlerOptions, TaskAgent } from './task-agent.ts'

/** What a request is answered with. */
export interface EndpointOptions extends Omit<HandlerOptions, 'tasks'> {
  readonly open: () => Promise<DaemonTasks>
}

type RpcId = string | number | null

interface Reply {
  readonly jsonrpc: string
  readonly id: RpcId
  readonly result?: unknown
  readonly error?: unknown
}

/** Answers that come one after the other. */
interface Replies {
  readonly id: RpcId
  readonly first: IteratorResult<Reply, void>
  readonly rest: AsyncGenerator<Reply, void, undefined>
}

const JSON_TYPE = 'application/json'
const ALIVE_MS = 15_000
// What a client means that does not say which version it speaks.
const OLD_VERSION = '0.3'

/** Answers one request. `leave` is called when the answer is over, or nobody is there any more to read it. */
export async function answerA2a(request: Request, options: EndpointOptions, leave: () => void): Promise<Response> {
  const reply = await replyTo(request, options)
  if ('rest' in reply) return streamOf(reply, leave)
  leave()
  return new Response(JSON.stringify(reply), { headers: { 'content-type': JSON_TYPE } })
}

async function replyTo(request: Request, options: EndpointOptions): Promise<Reply | Replies> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && type !== JSON_TYPE) {
    return refusal(null, new ContentTypeNotSupportedError(`Send ${JSON_TYPE}, not ${type.slice(0, 100)}.`))
  }
  const body = tryJson(await request.text())
  if (body === undefined) return failure(A2A_ERROR_CODE.PARSE_ERROR, 'The body is not JSON.')
  if (!isRecord(body)) return failure(A2A_ERROR_CODE.INVALID_REQUEST, 'The body must be one JSON-RPC request.')
  const id = typeof body.id === 'string' || Number.isInteger(body.id) ? (body.id as RpcId) : null
  try {
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER) || OLD_VERSION
    validateVersion(requestedVersion, AgentCard.fromJSON(options.card), 'JSONRPC')
    if (body.jsonrpc === '2.0') checkParams(body.method, body.params)
    const agent = new TaskAgent({ ...options, tasks: await options.open() })
    const transport = new JsonRpcTransportHandler(agent)
    const answer = await transport.handle(body, new ServerCallContext({ requestedVersion }))
    if (!(Symbol.asyncIterator in answer)) return answer
    // What goes wrong before the first event is an answer like any other.
    return { id, first: await answer.next(), rest: answer }
  } catch (error) {
    return refusal(id, toA2aError(error, 'look', options.report))
  }
}

function streamOf({ id, first, rest }: Replies, leave: () => void): Response {
  const encoder = new TextEncoder()
  let alive: NodeJS.Timeout | undefined
  const end = (): void => {
    clearInterval(alive)
    leave()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(eventText(first.value)))
      // One that is gone is found out by writing to it.
      alive = setInterval(() => controller.enqueue(encoder.encode(': alive\n\n')), ALIVE_MS).unref()
    },
    async pull(controller) {
      try {
        const { done, value } = await rest.next()
        if (!done) return controller.enqueue(encoder.encode(eventText(value)))
      } catch (error) {
        controller.enqueue(encoder.encode(eventText(refusal(id, error))))
      }
      end()
      controller.close()
    },
    cancel: end,
  })
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
  return new Response(body, { headers })
}

function eventText(reply: Reply): string {
  return `data: ${JSON.stringify(reply)}\n\n`
}

function refusal(id: RpcId, error: unknown): Reply {
  return { jsonrpc: '2.0', id, error: toJsonRpcError(error) }
}

function failure(code: number, message: string): Reply {
  return { jsonrpc: '2.0', id: null, error: { code, message } }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
