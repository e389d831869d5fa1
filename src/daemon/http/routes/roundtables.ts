// The roundtables of a home, from the state.

import type { RoundtableView } from '../../../protocol/views.ts'
import { findRoundtable, listRoundtables } from '../../../roundtable/driver/roundtable-store.ts'
import type { HttpApp, Service } from '../service.ts'

export function addRoundtableRoutes(app: HttpApp, { pool }: Service): void {
  const roundtables = async (): Promise<readonly RoundtableView[]> =>
    listRoundtables((await pool.find(undefined, undefined)).state)
  app.get('/v1/roundtables', async (c) => c.json(await roundtables()))
  app.get('/v1/roundtables/:id', async (c) => {
    const id = c.req.param('id')
    const found = findRoundtable(await roundtables(), id)
    if (found !== undefined) return c.json(found)
    const message = `There is no roundtable ${JSON.stringify(id)}.`
    return c.json({ error: { code: 'ARC_ROUNDTABLE_UNKNOWN', message } }, 404)
  })
}
