// GET /v1/overview and /v1/snapshot: the state of the daemon, and all data of the page's first paint.

import type { Snapshot } from '../../../protocol/views.ts'
import { readActions } from '../../live/action-pages.ts'
import { buildOverview } from '../../live/overview.ts'
import type { HttpApp, Service } from '../service.ts'
import { PAGE_ROWS } from './actions.ts'

export function addOverviewRoutes(app: HttpApp, service: Service): void {
  const { pool, traceTail } = service
  app.get('/v1/overview', async (c) => {
    await traceTail.catchUp()
    return c.json(buildOverview(service, await pool.find(undefined, undefined)))
  })
  app.get('/v1/snapshot', async (c) => c.json(await readSnapshot(service)))
}

// The stream continues after `seq` of the feed: no record is missed or sent twice.
async function readSnapshot(service: Service): Promise<Snapshot> {
  const supervisor = await service.pool.find(undefined, undefined)
  const feed = await readActions(supervisor.trace, {}, { limit: PAGE_ROWS })
  await service.traceTail.catchUp()
  return { pulse: buildOverview(service, supervisor), feed, url: service.url() ?? null, seq: feed.seq }
}
