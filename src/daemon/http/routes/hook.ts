// POST /v1/hook/HOST/EVENT: what a host sends, answered as the hook process would have. Hosts wait for it on every call,
// so on the socket it is answered without the framework; both roads lead to the same desk.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ArcError, describe } from '../../../engine/errors.ts'
import type { HostName } from '../../../hosts/host.ts'
import { findHost } from '../../../hosts/list.ts'
import { newId } from '../../../platform/ids.ts'
import {
  CALLER_HEADER,
  CWD_HEADER,
  encodeReply,
  encodeTicket,
  HOOK_WIRE_TYPE,
  HOST_JSON_TYPE,
  PROFILE_HEADER,
  readPid,
  TICKET_AFTER_MS,
} from '../../../protocol/hook-wire.ts'
import { BUSY } from '../../hook-call/admission.ts'
import { answerHookCall, type HookCall, type HookReply, type SupervisorProvider } from '../../hook-call/answer.ts'
import { CallerAccounts } from '../managed-sockets.ts'
import { type App, COMMON_HEADERS, type Env, INTERNAL_ERROR, MAX_BODY_BYTES, type Service } from '../service.ts'

/** In place of an event, where the payload names it. */
const NO_EVENT = '-'
const KEPT_MS = 30_000
// Read although there is no room: it says which project's rules hold.
const SMALL_BYTES = 64 * 1024

/** What was asked, whichever way it came. */
interface HookRequest {
  readonly host: string
  readonly event: string | undefined
  /** The request, as long as its text may be on its way. */
  readonly incoming?: IncomingMessage | undefined
  header(name: string): string | undefined
  text(): Promise<string>
}

/** What is answered. */
interface HttpReply {
  readonly status: ContentfulStatusCode
  readonly type: string
  readonly body: string
  readonly retryAfter?: string
}

export function addHookRoutes(app: App, desk: HookEndpoint): void {
  app.post('/v1/hook/:host/:event?', async (c) => reply(c, await desk.answer(askedOf(c))))
  app.get('/v1/hook-answer/:ticket', async (c) => reply(c, await desk.answerTicket(c.req.param('ticket'))))
}

function askedOf(c: Context<Env>): HookRequest {
  const { req } = c
  const host = req.param('host') ?? ''
  const { incoming } = c.env
  return { host, event: req.param('event'), incoming, header: (name) => req.header(name), text: () => req.text() }
}

function reply(c: Context<Env>, { status, type, body, retryAfter }: HttpReply): Response {
  const headers = { 'content-type': type }
  return c.body(body, status, retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter })
}

// A body of unknown length is counted by the framework, and so is everything else that is not usual.
const HOOK_URL = /^\/v1\/hook\/([\w-]+)(?:\/([\w-]+))?$/

/** Answers the usual hook calls by itself, and leaves all else to the framework. For the socket, whose door is open. */
export function withHookCalls(desk: HookEndpoint, others: RequestListener): RequestListener {
  return (request, response) => {
    const [, host, event] = (request.method === 'POST' && HOOK_URL.exec(request.url ?? '')) || []
    const { 'content-length': length, 'transfer-encoding': coded } = request.headers
    const isUsual = length !== undefined && coded === undefined && Number(length) <= MAX_BODY_BYTES
    if (host === undefined || !isUsual) return void others(request, response)
    const header = (name: string): string | undefined => {
      const value = request.headers[name]
      return typeof value === 'string' ? value : undefined
    }
    void desk
      .answer({ host, event, incoming: request, header, text: () => textOf(request) })
      .then((said) => send(response, said))
  }
}

function textOf(request: IncomingMessage): Promise<string> {
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

/** Answers hook calls, and those who come back for an answer that took longer. */
export class HookEndpoint {
  readonly #service: Service
  readonly #report: (message: string) => void
  readonly #tickets = new Map<string, Promise<HookReply>>()
  readonly #callers = new CallerAccounts()

  constructor(service: Service, report: (message: string) => void) {
    this.#service = service
    this.#report = report
  }

  /** Never fails: what goes wrong is an answer too. */
  async answer(asked: HookRequest): Promise<HttpReply> {
    try {
      const arrival = arrivalOf(asked)
      const leave = this.#service.admission.enter(lengthOf(asked), arrival)
      if (leave === undefined) return await this.#turnAway(asked)
      const answer = this.#takeOn({ ...asked, text: arrival.text }, leave)
      if (isAskedFor(asked, HOOK_WIRE_TYPE)) return await this.#answerSoon(answer)
      return sayWhole(asked, await answer)
    } catch (error) {
      if (error === BODY_CANCELLED) return await this.#turnAway({ ...asked, text: () => Promise.resolve('') })
      if (error instanceof ArcError) return sayError(404, error)
      this.#report(`POST /v1/hook/${asked.host}: ${describe(error)}`)
      return sayError(500, INTERNAL_ERROR)
    }
  }

  async answerTicket(ticket: string): Promise<HttpReply> {
    const answer = this.#tickets.get(ticket)
    if (answer !== undefined) return this.#answerSoon(answer, ticket)
    return sayError(404, { code: 'ARC_NOT_FOUND', message: 'Nothing waits for this ticket.' })
  }

  async #takeOn(asked: HookRequest, leave: () => void): Promise<HookReply> {
    const { pool, signal, inFlight, traceTail } = this.#service
    try {
      // Before its text: what is wrong with it is told at once.
      const host = findHost(asked.host).name
      const call = this.#read(asked, host, await asked.text())
      return await inFlight.add(answerHookCall(call, pool, { signal }))
    } finally {
      leave()
      traceTail.wake()
    }
  }

  // Whoever asks for the host's own JSON is the host itself: nobody judges in our stead, and hosts take an error for a yes.
  // So it gets what it gets whenever a call could not be judged. The others know what to do.
  async #turnAway(asked: HookRequest): Promise<HttpReply> {
    if (!isAskedFor(asked, HOST_JSON_TYPE)) return { ...sayError(503, BUSY), retryAfter: '1' }
    const payload = lengthOf(asked) <= SMALL_BYTES ? await asked.text() : ''
    const find = () => Promise.reject(new ArcError('ARC_DAEMON_FAILED', BUSY.message))
    const readMode: SupervisorProvider['readMode'] = (workspace, profile) =>
      this.#service.pool.readMode(workspace, profile)
    const call = this.#read(asked, findHost(asked.host).name, payload)
    return sayWhole(asked, await answerHookCall(call, { find, readMode }))
  }

  // On a managed machine the home decides on the profile, and an approver on what is held: the caller is the agent's account.
  #read(asked: HookRequest, host: HostName, payload: string): HookCall {
    const call = readCall(asked, host, payload)
    if (this.#service.managed === undefined) return call
    return { ...call, profile: undefined, canPrompt: false, ...this.#callers.find(call.callerPid) }
  }

  // The answer if it comes soon, else a ticket for it.
  async #answerSoon(answer: Promise<HookReply>, known?: string): Promise<HttpReply> {
    const soon = await within(TICKET_AFTER_MS, answer)
    const said = { status: 200, type: HOOK_WIRE_TYPE } as const
    if (soon === undefined) return { ...said, body: encodeTicket(known ?? this.#keep(answer)) }
    if (known !== undefined) this.#tickets.delete(known)
    return { ...said, body: encodeReply(soon) }
  }

  // One that nobody asks for in time is forgotten.
  #keep(answer: Promise<HookReply>): string {
    const ticket = newId()
    this.#tickets.set(ticket, answer)
    const forget = (): void => {
      setTimeout(() => this.#tickets.delete(ticket), KEPT_MS).unref()
    }
    answer.then(forget, forget)
    return ticket
  }
}

const BODY_CANCELLED = new Error('The rest of the request was not waited for.')

// The text of a request, until it is given up.
function arrivalOf({ incoming, text }: HookRequest) {
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

function isAskedFor(asked: HookRequest, type: string): boolean {
  return (asked.header('accept') ?? '').includes(type)
}

// One that does not tell its length may be as long as any.
function lengthOf(asked: HookRequest): number {
  return Number(asked.header('content-length') ?? MAX_BODY_BYTES)
}

function readCall(asked: HookRequest, host: HostName, payload: string): HookCall {
  const { event } = asked
  return {
    host,
    payload,
    event: event === undefined || event === NO_EVENT ? undefined : event,
    cwd: pathIn(asked.header(CWD_HEADER)),
    profile: pathIn(asked.header(PROFILE_HEADER)),
    callerPid: readPid(asked.header(CALLER_HEADER)),
    via: 'daemon-hook',
  }
}

// Paths hold what headers cannot.
function pathIn(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    // Not written by us: taken as it stands.
    return value
  }
}

// In the host's own JSON the exit code says nothing: what it has to say stands in the JSON.
function sayWhole(asked: HookRequest, answer: HookReply): HttpReply {
  const body = isAskedFor(asked, HOST_JSON_TYPE) ? answer.stdout : JSON.stringify(answer)
  return { status: 200, type: 'application/json', body }
}

function sayError(status: ContentfulStatusCode, { code, message }: { code: string; message: string }): HttpReply {
  return { status, type: 'application/json', body: JSON.stringify({ error: { code, message } }) }
}

// What comes in time; nothing of it is left behind when it does.
function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
