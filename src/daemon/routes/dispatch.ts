// POST /v1/dispatch: a step of a program that speaks HTTP, through the pipeline.

import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import * as z from 'zod'
import { ArcError } from '../../core/errors.ts'
import { type Arriving, BUSY } from '../intake.ts'
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
function arrivalOf(incoming: IncomingMessage | undefined): Arriving | undefined {
  if (incoming === undefined) return undefined
  return {
    get complete() {
      return incoming.complete
    },
    giveUp: () => void incoming.destroy(),
  }
}

export function addDispatchRoutes(app: App, { pool, work, signal, follower, intake }: Service): void {
  app.post('/v1/dispatch', async (c) => {
    const bytes = Number(c.req.header('content-length') ?? MAX_BODY_BYTES)
    const leave = intake.enter(bytes, arrivalOf(c.env.incoming))
    if (leave === undefined) return c.json({ error: BUSY }, 503, { 'retry-after': '1' })
    return dispatch(c).finally(leave)
  })

  async function dispatch(c: Context<Env>): Promise<Response> {
    const read = STEP.safeParse(await c.req.json().catch(() => undefined))
    if (!read.success) return c.json({ error: { code: 'ARC_DATA_INVALID', message: z.prettifyError(read.error) } }, 400)
    const { point, data, askMs = 0, profile, ...context } = read.data
    try {
      const supervisor = await pool.find(context.workspace, profile)
      const outcome = await work.add(Promise.resolve(supervisor.decide(point, data, context, { askMs, signal })))
      follower.wake()
      return c.json(outcome)
    } catch (error) {
      if (!(error instanceof ArcError)) throw error
      return c.json({ error: { code: error.code, message: error.message } }, 400)
    }
  }
}
