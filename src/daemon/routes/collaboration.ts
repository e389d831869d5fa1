// What agents do together: the discussions that are kept in the state, and the tasks they hand to each other. To look at
// only: tasks are moved by the agents themselves.

import type { TaskStatus } from '../../collaboration/tasks/task.ts'
import type { RoundtableView } from '../../protocol/messages.ts'
import { databaseFile } from '../../runtime/home.ts'
import { findRoundtable, listRoundtables } from '../../runtime/roundtable-store.ts'
import { SqliteTaskStore } from '../../store/task-store.ts'
import type { App, Service } from '../service.ts'

const MAX_TASKS = 1_000

export function addCollaborationRoutes(app: App, { pool, home }: Service): void {
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
