// GET /v1/decisions: records of the trace by filter or by id.

import type { TraceFilter } from '../../../storage/ports.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { readQueryNumber } from '../query.ts'
import type { HttpApp, Service } from '../service.ts'

const DEFAULT_ROWS = 100
const MAX_ROWS = 1_000

export function addDecisionRoutes(app: HttpApp, { pool }: Service): void {
  const supervisor = (query: Query): Promise<Supervisor> => pool.find(query.project, query.profile)
  app.get('/v1/decisions', async (c) => {
    const query = c.req.query()
    return c.json((await supervisor(query)).trace.query(readFilter(query)))
  })
  app.get('/v1/decisions/:id', async (c) => {
    const found = (await supervisor(c.req.query())).trace.get(c.req.param('id'))
    return c.json(found, found.found === 'nothing' ? 404 : 200)
  })
}

type Query = Readonly<Record<string, string | undefined>>

function readFilter({ component, action, session, hook, decision, since, after, limit, steps }: Query): TraceFilter {
  return {
    component: component as TraceFilter['component'],
    action,
    session,
    hook,
    decision: decision as TraceFilter['decision'],
    since: readQueryNumber(since),
    afterSeq: readQueryNumber(after),
    limit: Math.min(readQueryNumber(limit) ?? DEFAULT_ROWS, MAX_ROWS),
    steps: steps === 'true',
  }
}
