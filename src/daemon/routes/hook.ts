// POST /v1/hook/HOST/EVENT: what a host sends, answered as the hook process would have.

import type { Context } from 'hono'
import { ArcError } from '../../core/errors.ts'
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
import { answerHook, type HookAnswer, type HookCall } from '../hook-call.ts'
import type { App, Env, Service } from '../service.ts'

/** In place of an event, where the payload names it. */
const NO_EVENT = '-'
const KEPT_MS = 30_000

export function addHookRoutes(app: App, service: Service): void {
  const tickets = new Tickets()
  app.post('/v1/hook/:host/:event?', async (c) => {
    const call = await readCall(c)
    if (call instanceof ArcError) return c.json({ error: { code: call.code, message: call.message } }, 404)
    const { pool, signal, work, follower } = service
    const answer = work.add(answerHook(call, pool, { signal }).finally(() => follower.wake()))
    if (!(c.req.header('accept') ?? '').includes(HOOK_WIRE_TYPE)) return replyWhole(c, answer)
    const ticket = newId()
    tickets.keep(ticket, answer)
    return tickets.reply(c, answer, ticket)
  })
  app.get('/v1/hook-answer/:ticket', (c) => {
    const ticket = c.req.param('ticket')
    const answer = tickets.get(ticket)
    if (answer !== undefined) return tickets.reply(c, answer, ticket)
    return c.json({ error: { code: 'ARC_NOT_FOUND', message: 'Nothing waits for this ticket.' } }, 404)
  })
}

async function readCall(c: Context<Env>): Promise<HookCall | ArcError> {
  const event = c.req.param('event')
  try {
    const { name: host } = findHost(c.req.param('host') ?? '')
    return {
      host,
      event: event === undefined || event === NO_EVENT ? undefined : event,
      payload: await c.req.text(),
      cwd: header(c, CWD_HEADER),
      profile: header(c, PROFILE_HEADER),
    }
  } catch (error) {
    if (error instanceof ArcError) return error
    throw error
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
  const form = (c.req.header('accept') ?? '').includes(HOST_JSON_TYPE) ? HOST_FORM : JSON_FORM
  return c.body(form.write(await answer), 200, { 'content-type': form.type })
}

/** Answers that take longer, until somebody asks for them with their ticket. */
class Tickets {
  readonly #answers = new Map<string, Promise<HookAnswer>>()

  /** The answer if it comes soon, else a ticket for it. */
  async reply(c: Context<Env>, answer: Promise<HookAnswer>, ticket: string): Promise<Response> {
    const soon = await Promise.race([answer, pause(PATIENCE_MS)])
    const headers = { 'content-type': HOOK_WIRE_TYPE }
    if (soon === undefined) {
      this.#answers.set(ticket, answer)
      return c.body(writeTicket(ticket), 200, headers)
    }
    this.#answers.delete(ticket)
    return c.body(writeAnswer(soon), 200, headers)
  }

  /** What a ticket stands for. */
  get(ticket: string): Promise<HookAnswer> | undefined {
    return this.#answers.get(ticket)
  }

  /** Forgets answers that nobody asked for in time. */
  keep(ticket: string, answer: Promise<HookAnswer>): void {
    const forget = (): void => {
      setTimeout(() => this.#answers.delete(ticket), KEPT_MS).unref()
    }
    answer.then(forget, forget)
  }
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, undefined).unref()
  })
}
