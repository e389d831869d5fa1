// POST /v1/hook/HOST/EVENT: the payload of a host in, the reply of the hook process out. Hosts wait for it on every call,
// so on the socket it is answered without the HTTP framework; both ways use the same endpoint.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { withDeadline } from '../../../engine/deadline.ts'
import { ArcError, describe } from '../../../engine/errors.ts'
import type { HostName } from '../../../hosts/host.ts'
import { findHost } from '../../../hosts/list.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { newId } from '../../../platform/ids.ts'
import {
  CALLER_HEADER,
  CWD_HEADER,
  encodeReply,
  encodeTicket,
  HOOK_WIRE_TYPE,
  HOST_JSON_TYPE,
  type HookReply,
  PROFILE_HEADER,
  readPid,
  TICKET_AFTER_MS,
} from '../../../protocol/hook-wire.ts'
import { BUSY } from '../../hook-call/admission.ts'
import { answerHookCall, type HookCall } from '../../hook-call/answer.ts'
import type { SupervisorProvider } from '../../hook-call/supervisor-provider.ts'
import { CallerAccounts } from '../managed-sockets.ts'
import { COMMON_HEADERS, type Env, type HttpApp, INTERNAL_ERROR, MAX_BODY_BYTES, type Service } from '../service.ts'

/** Used instead of an event if the payload names it. */
const NO_EVENT = '-'
const REPLY_TTL_MS = 30_000
// Read even when the daemon is busy: the payload names the project, whose mode decides on the reply.
const MAX_BUSY_BYTES = 64 * 1024

/** A request, from the framework or from Node. */
interface HookRequest {
  readonly host: string
  readonly event: string | undefined
  /** The request of Node; its body may not have arrived yet. */
  readonly incoming?: IncomingMessage | undefined
  header(name: string): string | undefined
  text(): Promise<string>
}

interface HttpReply {
  readonly status: ContentfulStatusCode
  readonly type: string
  readonly body: string
  readonly retryAfter?: string
}

export function addHookRoutes(app: HttpApp, endpoint: HookEndpoint): void {
  app.post('/v1/hook/:host/:event?', async (c) => respond(c, await endpoint.answer(toRequest(c))))
  app.get('/v1/hook-answer/:ticket', async (c) => respond(c, await endpoint.answerTicket(c.req.param('ticket'))))
}

function toRequest(c: Context<Env>): HookRequest {
  const { req } = c
  const host = req.param('host') ?? ''
  const { incoming } = c.env
  return { host, event: req.param('event'), incoming, header: (name) => req.header(name), text: () => req.text() }
}

function respond(c: Context<Env>, { status, type, body, retryAfter }: HttpReply): Response {
  const headers = { 'content-type': type }
  return c.body(body, status, retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter })
}

const HOOK_URL = /^\/v1\/hook\/([\w-]+)(?:\/([\w-]+))?$/

/**
 * Answers hook calls without the framework and passes all other requests to it; also a body without a length, which the
 * framework counts. For the socket only: it checks no token.
 */
export function withHookCalls(endpoint: HookEndpoint, others: RequestListener): RequestListener {
  return (request, response) => {
    const [, host, event] = (request.method === 'POST' && HOOK_URL.exec(request.url ?? '')) || []
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    const hasKnownLength = length !== undefined && encoding === undefined && Number(length) <= MAX_BODY_BYTES
    if (host === undefined || !hasKnownLength) return void others(request, response)
    const header = (name: string): string | undefined => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    }
    void endpoint
      .answer({ host, event, incoming: request, header, text: () => readAwaitedBody(request) })
      .then((reply) => send(response, reply))
  }
}

const CALLER_GONE = new Error('The caller did not wait for the reply.')

/**
 * The body of a call whose caller still waits. A launcher that got no reply in time evaluates the call itself; a daemon that
 * was stopped meanwhile would record the call a second time. The end of a connection is read in the turn after its data.
 */
async function readAwaitedBody(request: IncomingMessage): Promise<string> {
  const text = await readBody(request)
  await new Promise((resolve) => setImmediate(resolve))
  const { destroyed, readableEnded } = request.socket
  if (destroyed || readableEnded) throw CALLER_GONE
  return text
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => resolve((parts.length === 1 ? parts[0] : Buffer.concat(parts))?.toString() ?? ''))
    request.on('error', reject)
  })
}

function send(response: ServerResponse, { status, type, body, retryAfter }: HttpReply): void {
  const headers: string[] = ['content-type', type, 'content-length', String(Buffer.byteLength(body))]
  for (const [name, value] of COMMON_HEADERS) headers.push(name, value)
  if (retryAfter !== undefined) headers.push('retry-after', retryAfter)
  response.writeHead(status, headers).end(body)
}

/** Answers hook calls. A reply that takes longer is collected with a ticket. */
export class HookEndpoint {
  readonly #service: Service
  readonly #report: (message: string) => void
  readonly #tickets = new Map<string, Promise<HookReply>>()
  readonly #accounts = new CallerAccounts()

  constructor(service: Service, report: (message: string) => void) {
    this.#service = service
    this.#report = report
  }

  /** Never throws: a failure is a reply too. */
  async answer(request: HookRequest): Promise<HttpReply> {
    try {
      const body = cancellableBody(request)
      const leave = this.#service.admission.enter(readLength(request), body)
      if (leave === undefined) return await this.#refuseBusy(request)
      const reply = this.#evaluate({ ...request, text: body.text }, leave)
      return accepts(request, HOOK_WIRE_TYPE) ? await this.#replyOrTicket(reply) : formatJson(request, await reply)
    } catch (error) {
      if (error === CALLER_GONE) return formatError(503, BUSY)
      if (error === BODY_CANCELLED) return await this.#refuseBusy({ ...request, text: () => Promise.resolve('') })
      if (error instanceof ArcError) return formatError(404, error)
      this.#report(`POST /v1/hook/${request.host}: ${describe(error)}`)
      return formatError(500, INTERNAL_ERROR)
    }
  }

  async answerTicket(ticket: string): Promise<HttpReply> {
    const reply = this.#tickets.get(ticket)
    if (reply !== undefined) return this.#replyOrTicket(reply, ticket)
    return formatError(404, { code: 'ARC_NOT_FOUND', message: 'There is no reply for this ticket.' })
  }

  async #evaluate(request: HookRequest, leave: () => void): Promise<HookReply> {
    const { pool, signal, inFlight, traceTail } = this.#service
    try {
      // Before the body is read: an unknown host is refused at once.
      const host = findHost(request.host).name
      const call = this.#readCall(request, host, await request.text())
      return await inFlight.add(answerHookCall(call, pool, { signal }))
    } finally {
      leave()
      traceTail.wake()
    }
  }

  // A caller that accepts the host's own JSON is the host itself: hosts take an HTTP error for permission, so it gets the
  // reply to a call without a decision. Other callers evaluate the call themselves after a 503.
  async #refuseBusy(request: HookRequest): Promise<HttpReply> {
    if (!accepts(request, HOST_JSON_TYPE)) return { ...formatError(503, BUSY), retryAfter: '1' }
    const payload = readLength(request) <= MAX_BUSY_BYTES ? await request.text() : ''
    const find = () => Promise.reject(new Error('the daemon is busy'))
    const readMode: SupervisorProvider['readMode'] = (...where) => this.#service.pool.readMode(...where)
    const call = this.#readCall(request, findHost(request.host).name, payload)
    return formatJson(request, await answerHookCall(call, { find, readMode }))
  }

  // On a managed machine the caller is the agent's account: the home sets the profile, and an approver answers.
  #readCall(request: HookRequest, host: HostName, payload: string): HookCall {
    const call = buildCall(request, host, payload)
    if (this.#service.managed === undefined) return call
    return { ...call, profile: undefined, canPrompt: false, ...this.#accounts.find(call.callerPid) }
  }

  async #replyOrTicket(reply: Promise<HookReply>, known?: string): Promise<HttpReply> {
    const deadline = { clock: systemClock, limitMs: TICKET_AFTER_MS }
    const ready = await withDeadline(
      deadline,
      () => reply,
      () => undefined,
    )
    const head = { status: 200, type: HOOK_WIRE_TYPE } as const
    if (ready === undefined) return { ...head, body: encodeTicket(known ?? this.#addTicket(reply)) }
    if (known !== undefined) this.#tickets.delete(known)
    return { ...head, body: encodeReply(ready) }
  }

  // A reply that is not collected within 30 s is dropped.
  #addTicket(reply: Promise<HookReply>): string {
    const ticket = newId()
    this.#tickets.set(ticket, reply)
    const expire = (): void => {
      setTimeout(() => this.#tickets.delete(ticket), REPLY_TTL_MS).unref()
    }
    reply.then(expire, expire)
    return ticket
  }
}

const BODY_CANCELLED = new Error('The body of the request was cancelled.')

/** The body of a request; admission may cancel it while it arrives. */
function cancellableBody({ incoming, text }: HookRequest) {
  let cancel = (): void => undefined
  const cancelled = new Promise<never>((_, reject) => {
    cancel = () => reject(BODY_CANCELLED)
  })
  cancelled.catch(() => undefined)
  return {
    cancel,
    get complete() {
      return incoming?.complete !== false
    },
    text: () => Promise.race([text(), cancelled]),
  }
}

function accepts(request: HookRequest, type: string): boolean {
  return (request.header('accept') ?? '').includes(type)
}

// A body without a length may have the maximum.
function readLength(request: HookRequest): number {
  return Number(request.header('content-length') ?? MAX_BODY_BYTES)
}

function buildCall(request: HookRequest, host: HostName, payload: string): HookCall {
  const { event } = request
  return {
    host,
    payload,
    event: event === undefined || event === NO_EVENT ? undefined : event,
    cwd: decodePath(request.header(CWD_HEADER)),
    profile: decodePath(request.header(PROFILE_HEADER)),
    callerPid: readPid(request.header(CALLER_HEADER)),
    via: 'daemon-hook',
  }
}

// Paths contain characters that headers cannot.
function decodePath(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    // Not encoded by ARC: used as it is.
    return value
  }
}

// The host's own JSON has no exit code: the decision is in the JSON.
function formatJson(request: HookRequest, reply: HookReply): HttpReply {
  const body = accepts(request, HOST_JSON_TYPE) ? reply.stdout : JSON.stringify(reply)
  return { status: 200, type: 'application/json', body }
}

function formatError(status: ContentfulStatusCode, { code, message }: { code: string; message: string }): HttpReply {
  return { status, type: 'application/json', body: JSON.stringify({ error: { code, message } }) }
}
