// A2A over HTTP: JSON-RPC in, JSON or a stream of events out. Loaded with the SDK at the first request, so that a daemon
// without A2A clients does not load the SDK.

import { A2A_VERSION_HEADER, AgentCard } from '@a2a-js/sdk'
import { A2A_ERROR_CODE, ContentTypeNotSupportedError, toJsonRpcError } from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { isRecord } from '../../engine/plain-data.ts'
import type { DaemonTasks } from '../task-service.ts'
import { toA2aError } from './a2a-errors.ts'
import { checkParams } from './params.ts'
import { type HandlerOptions, TaskAgent } from './task-agent.ts'

/** The options of the endpoint. */
export interface EndpointOptions extends Omit<HandlerOptions, 'tasks'> {
  readonly open: () => Promise<DaemonTasks>
}

type RpcId = string | number | null

interface RpcReply {
  readonly jsonrpc: string
  readonly id: RpcId
  readonly result?: unknown
  readonly error?: unknown
}

/** A stream of replies. */
interface RpcReplies {
  readonly id: RpcId
  readonly first: IteratorResult<RpcReply, void>
  readonly rest: AsyncGenerator<RpcReply, void, undefined>
}

const JSON_TYPE = 'application/json'
const ALIVE_MS = 15_000
// The protocol version of clients that do not name one.
const DEFAULT_VERSION = '0.3'

/** Answers a request. `leave` is called when the response has ended or the client has disconnected. */
export async function answerA2a(request: Request, options: EndpointOptions, leave: () => void): Promise<Response> {
  const reply = await handle(request, options)
  if ('rest' in reply) return createStream(reply, leave)
  leave()
  return new Response(JSON.stringify(reply), { headers: { 'content-type': JSON_TYPE } })
}

async function handle(request: Request, options: EndpointOptions): Promise<RpcReply | RpcReplies> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && type !== JSON_TYPE) {
    return refusal(null, new ContentTypeNotSupportedError(`Send ${JSON_TYPE}, not ${type.slice(0, 100)}.`))
  }
  const body = tryJson(await request.text())
  if (body === undefined) return failure(A2A_ERROR_CODE.PARSE_ERROR, 'The body is not JSON.')
  if (!isRecord(body)) return failure(A2A_ERROR_CODE.INVALID_REQUEST, 'The body must be one JSON-RPC request.')
  const id = typeof body.id === 'string' || Number.isInteger(body.id) ? (body.id as RpcId) : null
  try {
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER) || DEFAULT_VERSION
    validateVersion(requestedVersion, AgentCard.fromJSON(options.card), 'JSONRPC')
    if (body.jsonrpc === '2.0') checkParams(body.method, body.params)
    const agent = new TaskAgent({ ...options, tasks: await options.open() })
    const transport = new JsonRpcTransportHandler(agent)
    const answer = await transport.handle(body, new ServerCallContext({ requestedVersion }))
    if (!(Symbol.asyncIterator in answer)) return answer
    // An error before the first event is a normal error reply.
    return { id, first: await answer.next(), rest: answer }
  } catch (error) {
    return refusal(id, toA2aError(error, 'read', options.report))
  }
}

function createStream({ id, first, rest }: RpcReplies, leave: () => void): Response {
  const encoder = new TextEncoder()
  let alive: NodeJS.Timeout | undefined
  const end = (): void => {
    clearInterval(alive)
    leave()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (!first.done) controller.enqueue(encoder.encode(eventText(first.value)))
      // A write detects a client that has disconnected.
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

function eventText(reply: RpcReply): string {
  return `data: ${JSON.stringify(reply)}\n\n`
}

function refusal(id: RpcId, error: unknown): RpcReply {
  return { jsonrpc: '2.0', id, error: toJsonRpcError(error) }
}

function failure(code: number, message: string): RpcReply {
  return { jsonrpc: '2.0', id: null, error: { code, message } }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
