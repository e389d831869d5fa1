// What agents talk about together: the discussions that are kept in the state.

import { readRoundtable, roundtableKey } from '../../collaboration/roundtable/machine.ts'
import type { App, Service } from '../service.ts'

export function addCollaborationRoutes(app: App, { pool }: Service): void {
  app.get('/v1/roundtables', async (c) => {
    const { state } = await pool.find(undefined, undefined)
    const prefix = roundtableKey('')
    const tables = state.list(prefix).flatMap(({ key, value }) => {
      const table = readRoundtable(value)
      return table === undefined ? [] : [{ session: key.slice(prefix.length), ...table }]
    })
    return c.json(tables)
  })
}
