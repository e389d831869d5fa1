// What agents do together: the discussions that are kept in the state, and the tasks they hand to each other. To look at
// only: tasks are moved by the agents themselves.

import { readRoundtable, roundtableKey } from '../../collaboration/roundtable/machine.ts'
import type { TaskStatus } from '../../collaboration/tasks/task.ts'
import { databaseFile } from '../../runtime/home.ts'
import { SqliteTaskStore } from '../../store/task-store.ts'
import type { App, Service } from '../service.ts'

const MAX_TASKS = 1_000

export function addCollaborationRoutes(app: App, { pool, home }: Service): void {
  app.get('/v1/roundtables', async (c) => {
    const { state } = await pool.find(undefined, undefined)
    const prefix = roundtableKey('')
    const tables = state.list(prefix).flatMap(({ key, value }) => {
      const table = readRoundtable(value)
      return table === undefined ? [] : [{ session: key.slice(prefix.length), ...table }]
    })
    return c.json(tables)
  })
  app.get('/v1/tasks', (c) => {
    const { status, from, to } = c.req.query()
    const filter = { status: status as TaskStatus | undefined, from, to, limit: MAX_TASKS }
    return c.json(withTasks(home, (store) => store.list(filter)))
  })
  app.get('/v1/tasks/:id', (c) => {
    const id = c.req.param('id')
    const found = withTasks(home, (store) => {
      const task = store.get(id)
      return task && { ...task, history: store.history(id) }
    })
    if (found !== undefined) return c.json(found)
    return c.json({ error: { code: 'ARC_TASK_UNKNOWN', message: `There is no task ${JSON.stringify(id)}.` } }, 404)
  })
}

// Asked for now and then: not worth a connection of its own.
function withTasks<T>(home: string, look: (store: SqliteTaskStore) => T): T {
  const store = new SqliteTaskStore(databaseFile(home))
  try {
    return look(store)
  } finally {
    store.close()
  }
}
