// Tasks between agents: list, delegate and move. Every move goes through the state machine and every new task through the
// pipeline, as on the command line. The port requires the token; the socket does not, since every process that can open it
// can also run `arc task`.

import type { Context } from 'hono'
import * as z from 'zod'
import { ArcError, type ErrorCode } from '../../../engine/errors.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import { readDraft, TASK_STATUSES, type Task, type TaskDraft } from '../../../tasks/task.ts'
import type { DaemonTasks } from '../../task-service.ts'
import type { Env, HttpApp, Service } from '../service.ts'

const MAX_TASKS = 1_000

const MOVE = z.strictObject({
  /** The agent that moves the task. */
  as: z.string(),
  /** The output, the reason, the question or the answer. */
  text: z.string().optional(),
})

type Delegator = DaemonTasks['delegator']
type Mover = (delegator: Delegator, id: string, move: z.infer<typeof MOVE>) => Promise<Task>

/** The moves of a task, by the last part of the path. */
const MOVES: Readonly<Record<string, Mover>> = {
  accept: (delegator, id, { as }) => delegator.accept(id, as),
  complete: (delegator, id, { as, text }) => delegator.complete(id, as, text),
  fail: (delegator, id, { as, text }) => delegator.fail(id, as, text),
  'request-input': (delegator, id, { as, text = '' }) => delegator.requestInput(id, as, text),
  'provide-input': (delegator, id, { as, text = '' }) => delegator.provideInput(id, as, text),
  cancel: (delegator, id, { as, text }) => delegator.cancel(id, as, text),
}

/** The HTTP status of an error; default 400. */
const STATUSES: Readonly<Partial<Record<ErrorCode, 403 | 404 | 409 | 503>>> = {
  ARC_TASK_UNKNOWN: 404,
  ARC_TASK_TRANSITION: 409,
  ARC_TASK_ACTOR: 403,
  ARC_TASK_BLOCKED: 403,
  ARC_TASK_HELD: 409,
  ARC_STORE_BUSY: 503,
  ARC_STORE_UNAVAILABLE: 503,
}

export function addTaskRoutes(app: HttpApp, { tasks, inFlight }: Service): void {
  app.get('/v1/tasks', async (c) => {
    const { status, from, to } = c.req.query()
    const known = TASK_STATUSES.find((one) => one === status)
    if (status !== undefined && known === undefined) return c.json([])
    return c.json((await tasks.open()).delegator.list({ status: known, from, to, limit: MAX_TASKS }))
  })
  app.get('/v1/tasks/:id', async (c) => {
    const { delegator } = await tasks.open()
    const id = c.req.param('id')
    const task = delegator.get(id)
    if (task !== undefined) return c.json({ ...task, history: delegator.history(id) })
    return c.json({ error: { code: 'ARC_TASK_UNKNOWN', message: `There is no task ${JSON.stringify(id)}.` } }, 404)
  })
  app.post('/v1/tasks', async (c) => {
    const draft: unknown = await c.req.json().catch(() => undefined)
    if (!isRecord(draft)) return badRequest(c, 'A task is a JSON object with from, to and description.')
    return answer(c, 201, async () => {
      const { delegator } = await tasks.open()
      // Parsed first: options that the library accepts beside a draft must not come from HTTP.
      const { task } = await inFlight.add(delegator.delegate(readDraft(draft as unknown as TaskDraft)))
      return task
    })
  })
  app.post(`/v1/tasks/:id/:move{${Object.keys(MOVES).join('|')}}`, async (c) => {
    const read = MOVE.safeParse(await c.req.json().catch(() => undefined))
    if (!read.success) return badRequest(c, z.prettifyError(read.error))
    return answer(c, 200, async () => {
      const { delegator } = await tasks.open()
      const move = MOVES[c.req.param('move')] as Mover
      return inFlight.add(move(delegator, c.req.param('id'), read.data))
    })
  })
}

async function answer(c: Context<Env>, done: 200 | 201, work: () => Promise<Task>): Promise<Response> {
  try {
    return c.json(await work(), done)
  } catch (error) {
    if (!(error instanceof ArcError)) throw error
    return c.json({ error: { code: error.code, message: error.message } }, STATUSES[error.code] ?? 400)
  }
}

function badRequest(c: Context<Env>, message: string): Response {
  return c.json({ error: { code: 'ARC_OPTION_INVALID', message } }, 400)
}
