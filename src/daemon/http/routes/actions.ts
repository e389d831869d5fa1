// GET /v1/actions and /v1/sessions: actions page by page or by id, and the actions of a session.

import type { ActionsPage, SessionsView } from '../../../protocol/views.ts'
import type { TraceStore } from '../../../storage/ports.ts'
import { readActionDetail } from '../../live/action-detail.ts'
import { readActions, readSession } from '../../live/action-pages.ts'
import { readPositiveInteger } from '../query.ts'
import type { HttpApp, Service } from '../service.ts'

/** The number of actions on a page by default. */
export const PAGE_ROWS = 100
const MAX_ROWS = 500

export function addActionRoutes(app: HttpApp, { pool, traceTail }: Service): void {
  const trace = async (): Promise<TraceStore> => (await pool.find(undefined, undefined)).trace
  app.get('/v1/actions', async (c) => {
    const { decision, hook, tool, session, text, before, limit } = c.req.query()
    const page = {
      before: readPositiveInteger(before),
      limit: Math.min(readPositiveInteger(limit) ?? PAGE_ROWS, MAX_ROWS),
    }
    const found: ActionsPage = await readActions(await trace(), { decision, hook, tool, session, text }, page)
    return c.json(found)
  })
  app.get('/v1/actions/:id', async (c) => {
    const id = c.req.param('id')
    const found = await readActionDetail(await trace(), id)
    if ('action' in found) return c.json(found)
    const isAmbiguous = found.found === 'several'
    const message = isAmbiguous
      ? `Several actions begin with ${JSON.stringify(id)}: ${found.ids.join(', ')}.`
      : `There is no action ${JSON.stringify(id)}.`
    return c.json({ error: { code: 'ARC_NOT_FOUND', message } }, isAmbiguous ? 409 : 404)
  })
  app.get('/v1/sessions', async (c) => {
    await traceTail.catchUp()
    const { counters } = traceTail
    return c.json({ since: counters.since, sessions: counters.sessions(Date.now()) } satisfies SessionsView)
  })
  app.get('/v1/sessions/:id', async (c) => {
    const id = c.req.param('id')
    const found = await readSession(await trace(), id, Date.now())
    if (found !== undefined) return c.json(found)
    const message = `There are no records of the session ${JSON.stringify(id)}.`
    return c.json({ error: { code: 'ARC_NOT_FOUND', message } }, 404)
  })
}
