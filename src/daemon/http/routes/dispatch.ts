// POST /v1/dispatch: a step of a program that speaks HTTP, through the pipeline.

import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import * as z from 'zod'
import { ArcError, show } from '../../../engine/errors.ts'
import { HOSTS } from '../../../hosts/list.ts'
import type { TraceStore } from '../../../storage/ports.ts'
import type { StepOrigin } from '../../../trace/record.ts'
import { BUSY, type IncomingBody } from '../../hook-call/admission.ts'
import { type Env, type HttpApp, MAX_BODY_BYTES, type Service } from '../service.ts'

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
  /** How long a step waits for approval; default 0. */
  askMs: z.number().min(0).max(600_000).optional(),
})

// A client that is disconnected while it sends its request can retry.
function readIncomingBody(incoming: IncomingMessage | undefined): IncomingBody | undefined {
  if (incoming === undefined) return undefined
  return {
    get complete() {
      return incoming.complete
    },
    cancel: () => void incoming.destroy(),
  }
}

export function addDispatchRoutes(app: HttpApp, { pool, inFlight, signal, traceTail, admission }: Service): void {
  app.post('/v1/dispatch', async (c) => {
    const bytes = Number(c.req.header('content-length') ?? MAX_BODY_BYTES)
    const leave = admission.enter(bytes, readIncomingBody(c.env.incoming))
    if (leave === undefined) return c.json({ error: BUSY }, 503, { 'retry-after': '1' })
    return dispatch(c).finally(leave)
  })

  async function dispatch(c: Context<Env>): Promise<Response> {
    const read = STEP.safeParse(await c.req.json().catch(() => undefined))
    if (!read.success) return c.json({ error: { code: 'ARC_DATA_INVALID', message: z.prettifyError(read.error) } }, 400)
    const { point, data, askMs = 0, profile, ...given } = read.data
    try {
      const supervisor = await pool.find(given.workspace, profile)
      const refusal = refuseUsedId(given.id, supervisor.trace)
      if (refusal !== undefined) return c.json({ error: refusal }, 400)
      const origin = buildOrigin(c.env.isLocal)
      const context = { ...given, ...withPrefix(given, supervisor.trace), origin }
      const outcome = await inFlight.add(Promise.resolve(supervisor.decide(point, data, context, { askMs, signal })))
      traceTail.wake()
      return c.json(outcome)
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return c.json({ error: { code: error.code, message: error.message } }, 400)
    }
  }
}

/** The host and session that a client claims. */
type ClaimedOrigin = Pick<z.output<typeof STEP>, 'session' | 'host'>

const PREFIX = 'dispatch:'
// Enough to find a record of a host among records without a host.
const MAX_RECORDS = 20

// Every process of the user can open the socket, agents included. A step from here must not look like a call of a host:
// the name of a host and a session of a host get a prefix.
function withPrefix({ session, host }: ClaimedOrigin, trace: TraceStore): ClaimedOrigin {
  const isHost = host !== undefined && Object.hasOwn(HOSTS, host)
  return {
    host: isHost ? `${PREFIX}${host}` : host,
    session: session !== undefined && isHostSession(session, trace) ? `${PREFIX}${session}` : session,
  }
}

function isHostSession(session: string, trace: TraceStore): boolean {
  const newest = trace.records({ session, steps: true, limit: MAX_RECORDS })
  return newest.some(({ host }) => host !== undefined && Object.hasOwn(HOSTS, host))
}

// A second record with the same id could be mistaken for the first.
function refuseUsedId(id: string | undefined, trace: TraceStore): { code: string; message: string } | undefined {
  if (id === undefined) return undefined
  const found = trace.get(id)
  const isUsed = (found.found === 'step' || found.found === 'event') && isSameStep(id, found.record.id)
  const message = `The id ${show(id)} is already in the trace. Omit it or send another id.`
  return isUsed ? { code: 'ARC_ID_TAKEN', message } : undefined
}

// The ids of evaluations begin with the id of their step.
function isSameStep(id: string, known: string): boolean {
  return id === known || (id.startsWith(`${known}.`) && /^\d+$/.test(id.slice(known.length + 1)))
}

function buildOrigin(isLocal: boolean): StepOrigin {
  return { via: 'dispatch', process: { recordedBy: process.pid, connection: isLocal ? 'socket' : 'port' } }
}
