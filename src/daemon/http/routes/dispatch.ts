// POST /v1/dispatch: a step of a program that speaks HTTP, through the pipeline.

import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import * as z from 'zod'
import { ArcError, show } from '../../../engine/errors.ts'
import { HOSTS } from '../../../hosts/list.ts'
import type { StepOrigin } from '../../../trace/record.ts'
import type { TraceStore } from '../../../trace/store.ts'
import { BUSY, type IncomingBody } from '../../hook-call/admission.ts'
import { type App, type Env, MAX_BODY_BYTES, type Service } from '../service.ts'

const text = z.string().max(10_000)

const STEP = z.strictObject({
  point: text,
  data: z.record(z.string(), z.unknown()),
  id: text.optional(),
  session: text.optional(),
  turn: text.optional(),
  agent: text.optional(),
  source: text.optional(),
  workspace: text.optional(),
  host: text.optional(),
  profile: text.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** How long to wait for a person, where the step is held; not at all unless set. */
  askMs: z.number().min(0).max(600_000).optional(),
})

// A program that is cut off while it sends comes again; it has no answer to wait for yet.
function arrivalOf(incoming: IncomingMessage | undefined): IncomingBody | undefined {
  if (incoming === undefined) return undefined
  return {
    get complete() {
      return incoming.complete
    },
    cancel: () => void incoming.destroy(),
  }
}

export function addDispatchRoutes(app: App, { pool, inFlight, signal, traceTail, admission }: Service): void {
  app.post('/v1/dispatch', async (c) => {
    const bytes = Number(c.req.header('content-length') ?? MAX_BODY_BYTES)
    const leave = admission.enter(bytes, arrivalOf(c.env.incoming))
    if (leave === undefined) return c.json({ error: BUSY }, 503, { 'retry-after': '1' })
    return dispatch(c).finally(leave)
  })

  async function dispatch(c: Context<Env>): Promise<Response> {
    const read = STEP.safeParse(await c.req.json().catch(() => undefined))
    if (!read.success) return c.json({ error: { code: 'ARC_DATA_INVALID', message: z.prettifyError(read.error) } }, 400)
    const { point, data, askMs = 0, profile, ...given } = read.data
    try {
      const supervisor = await pool.find(given.workspace, profile)
      const taken = refusal(given.id, supervisor.trace)
      if (taken !== undefined) return c.json({ error: taken }, 400)
      const origin = originOf(c.env.isLocal)
      const context = { ...given, ...apart(given, supervisor.trace), origin }
      const outcome = await inFlight.add(Promise.resolve(supervisor.decide(point, data, context, { askMs, signal })))
      traceTail.wake()
      return c.json(outcome)
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return c.json({ error: { code: error.code, message: error.message } }, 400)
    }
  }
}

/** What a call claims of itself. */
type Claimed = Pick<z.output<typeof STEP>, 'session' | 'host'>

const OWN = 'dispatch:'
// Enough to find one of a host among events that name none.
const LOOKED_AT = 20

// The socket is open to every process of the user, agents included. What comes in here must not look like a call of a
// host: neither its name nor a session that a host has used is taken over.
function apart({ session, host }: Claimed, trace: TraceStore): Claimed {
  const isHost = host !== undefined && Object.hasOwn(HOSTS, host)
  return {
    host: isHost ? `${OWN}${host}` : host,
    session: session !== undefined && isHostSession(session, trace) ? `${OWN}${session}` : session,
  }
}

function isHostSession(session: string, trace: TraceStore): boolean {
  const newest = trace.records({ session, steps: true, limit: LOOKED_AT })
  return newest.some(({ host }) => host !== undefined && Object.hasOwn(HOSTS, host))
}

// A second record under one id could be taken for the first.
function refusal(id: string | undefined, trace: TraceStore): { code: string; message: string } | undefined {
  if (id === undefined) return undefined
  const found = trace.get(id)
  const isTaken = (found.found === 'step' || found.found === 'event') && isOf(id, found.record.id)
  const message = `The id ${show(id)} is in the record already. Leave it out, or send another one.`
  return isTaken ? { code: 'ARC_ID_TAKEN', message } : undefined
}

// Evaluations are named after their step.
function isOf(id: string, known: string): boolean {
  return id === known || (id.startsWith(`${known}.`) && /^\d+$/.test(id.slice(known.length + 1)))
}

function originOf(isLocal: boolean): StepOrigin {
  return { via: 'dispatch', process: { recordedBy: process.pid, connection: isLocal ? 'socket' : 'port' } }
}
