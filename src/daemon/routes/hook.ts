// POST /v1/hook/HOST/EVENT: what a host sends, answered as the hook process would have.

import type { Context } from 'hono'
import { ArcError } from '../../core/errors.ts'
import type { HostName } from '../../hosts/host.ts'
import { findHost } from '../../hosts/list.ts'
import {
  CWD_HEADER,
  HOOK_WIRE_TYPE,
  HOST_JSON_TYPE,
  PATIENCE_MS,
  PROFILE_HEADER,
  writeAnswer,
  writeTicket,
} from '../../protocol/hook-wire.ts'
import { newId } from '../../runtime/ids.ts'
import { answerHook, type HookAnswer, type HookCall, type Judges } from '../hook-call.ts'
import { BUSY } from '../intake.ts'
import { type App, type Env, MAX_BODY_BYTES, type Service } from '../service.ts'

/** In place of an event, where the payload names it. */
const NO_EVENT = '-'
const KEPT_MS = 30_000
// Read although there is no room: it says which project's rules hold.
const SMALL_BYTES = 64 * 1024

export function addHookRoutes(app: App, service: Service): void {
  const tickets = new Tickets()
  app.post('/v1/hook/:host/:event?', async (c) => {
    const leave = service.intake.enter(lengthOf(c))
    if (leave === undefined) return turnAway(c, service)
    const answer = takeOn(c, service)
    answer.then(leave, leave)
    try {
      if (isAskedFor(c, HOOK_WIRE_TYPE)) return await tickets.reply(c, answer)
      return await replyWhole(c, answer)
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return c.json({ error: { code: error.code, message: error.message } }, 404)
    }
  })
  app.get('/v1/hook-answer/:ticket', (c) => {
    const ticket = c.req.param('ticket')
    const answer = tickets.get(ticket)
    if (answer !== undefined) return tickets.reply(c, answer, ticket)
    return c.json({ error: { code: 'ARC_NOT_FOUND', message: 'Nothing waits for this ticket.' } }, 404)
  })
}

async function takeOn(c: Context<Env>, { pool, signal, work, follower }: Service): Promise<HookAnswer> {
  // Before its text: what is wrong with it is told at once.
  const host = hostOf(c)
  const call = readCall(c, host, await c.req.text())
  return work.add(answerHook(call, pool, { signal }).finally(() => follower.wake()))
}

// Whoever asks for the host's own JSON is the host itself: nobody judges in our stead, and hosts take an error for a yes.
// So it gets what it gets whenever a call could not be judged. The others know what to do.
async function turnAway(c: Context<Env>, { pool }: Service): Promise<Response> {
  if (!isAskedFor(c, HOST_JSON_TYPE)) return c.json({ error: BUSY }, 503, { 'retry-after': '1' })
  const payload = lengthOf(c) <= SMALL_BYTES ? await c.req.text() : ''
  const find = () => Promise.reject(new ArcError('ARC_DAEMON_FAILED', BUSY.message))
  const modeAt: Judges['modeAt'] = (workspace, profile) => pool.modeAt(workspace, profile)
  return replyWhole(c, answerHook(readCall(c, hostOf(c), payload), { find, modeAt }))
}

function isAskedFor(c: Context<Env>, type: string): boolean {
  return (c.req.header('accept') ?? '').includes(type)
}

// One that does not tell its length may be as long as any.
function lengthOf(c: Context<Env>): number {
  return Number(c.req.header('content-length') ?? MAX_BODY_BYTES)
}

function hostOf(c: Context<Env>): HostName {
  return findHost(c.req.param('host') ?? '').name
}

function readCall(c: Context<Env>, host: HostName, payload: string): HookCall {
  const event = c.req.param('event')
  return {
    host,
    payload,
    event: event === undefined || event === NO_EVENT ? undefined : event,
    cwd: header(c, CWD_HEADER),
    profile: header(c, PROFILE_HEADER),
  }
}

// Paths hold what headers cannot.
function header(c: Context<Env>, name: string): string | undefined {
  const value = c.req.header(name)
  if (value === undefined || value === '') return undefined
  try {
    return decodeURIComponent(value)
  } catch {
    // Not written by us: taken as it stands.
    return value
  }
}

interface Form {
  readonly type: string
  write(answer: HookAnswer): string
}

// The host's own JSON: its exit code says nothing here, what it has to say stands in the JSON.
const HOST_FORM: Form = { type: 'application/json', write: ({ stdout }) => stdout }
const JSON_FORM: Form = { type: 'application/json', write: (answer) => JSON.stringify(answer) }

async function replyWhole(c: Context<Env>, answer: Promise<HookAnswer>): Promise<Response> {
  const form = isAskedFor(c, HOST_JSON_TYPE) ? HOST_FORM : JSON_FORM
  return c.body(form.write(await answer), 200, { 'content-type': form.type })
}

/** Answers that take longer, until somebody asks for them with their ticket. */
class Tickets {
  readonly #answers = new Map<string, Promise<HookAnswer>>()

  /** The answer if it comes soon, else a ticket for it. */
  async reply(c: Context<Env>, answer: Promise<HookAnswer>, known?: string): Promise<Response> {
    const soon = await within(PATIENCE_MS, answer)
    const headers = { 'content-type': HOOK_WIRE_TYPE }
    if (soon === undefined) return c.body(writeTicket(known ?? this.#keep(answer)), 200, headers)
    if (known !== undefined) this.#answers.delete(known)
    return c.body(writeAnswer(soon), 200, headers)
  }

  /** What a ticket stands for. */
  get(ticket: string): Promise<HookAnswer> | undefined {
    return this.#answers.get(ticket)
  }

  // One that nobody asks for in time is forgotten.
  #keep(answer: Promise<HookAnswer>): string {
    const ticket = newId()
    this.#answers.set(ticket, answer)
    const forget = (): void => {
      setTimeout(() => this.#answers.delete(ticket), KEPT_MS).unref()
    }
    answer.then(forget, forget)
    return ticket
  }
}

// What comes in time; nothing of it is left behind when it does.
function within<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
