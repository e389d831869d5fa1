// Tasks over HTTP, with a real daemon.

import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../../test/supervised-home.ts'
import type { Row } from '../../../protocol/messages.ts'
import { openTasks } from '../../../tasks/service/open-tasks.ts'
import type { Task } from '../../../tasks/task.ts'
import { type Daemon, startDaemon } from '../../server.ts'

let at: SupervisedHome
let daemon: Daemon

beforeAll(async () => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  const options = { home: at.home, version: '1.2.3', port: 0, report: () => undefined, finishMs: 500 }
  daemon = (await startDaemon(options)) as Daemon
})

afterAll(async () => {
  await daemon.stop()
  at.remove()
})

interface Answer {
  readonly status: number
  readonly body: unknown
}

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: daemon.socket, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      const isJson = String(response.headers['content-type']).startsWith('application/json')
      response.on('close', () => resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text }))
    })
    asked.on('error', reject)
    asked.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

const DRAFT = { from: 'lead', to: 'reviewer', description: 'Review the change' }

async function delegated(): Promise<string> {
  const { body } = await send('POST', '/v1/tasks', DRAFT)
  return (body as Task).id
}

const move = (id: string, word: string, as: string, text?: string) =>
  send('POST', `/v1/tasks/${encodeURIComponent(id)}/${word}`, { as, ...(text !== undefined && { text }) })

it('T1 a task goes from handing over to the result', async () => {
  const { status, body } = await send('POST', '/v1/tasks', { ...DRAFT, priority: 'high', metadata: { pr: 7 } })
  expect([status, body]).toMatchObject([201, { ...DRAFT, status: 'assigned', priority: 'high', metadata: { pr: 7 } }])
  const { id } = body as Task
  expect(await move(id, 'accept', 'reviewer')).toMatchObject({ status: 200, body: { id, status: 'working' } })
  expect((await move(id, 'request-input', 'reviewer', 'Which?')).body).toMatchObject({ question: 'Which?' })
  expect((await move(id, 'provide-input', 'lead', 'Those')).body).toMatchObject({ answer: 'Those', status: 'working' })
  expect((await move(id, 'complete', 'reviewer', 'Fine')).body).toMatchObject({ output: 'Fine', status: 'completed' })
  const shown = (await send('GET', `/v1/tasks/${id}`)).body as { history: { to: string }[] }
  expect(shown.history.map(({ to }) => to)).toEqual([
    ...['created', 'assigned', 'working', 'input-required', 'working', 'completed'],
  ])
  expect((await send('GET', '/v1/tasks?status=completed')).body).toMatchObject([{ id }])
  expect((await send('GET', '/v1/tasks?status=odd')).body).toEqual([])
  const rows = (await send('GET', '/v1/decisions?component=tasks')).body as Row[]
  expect(rows.map(({ action }) => action)).toEqual([
    ...['task:assign', 'task:accept', 'task:request-input', 'task:provide-input', 'task:complete'],
  ])
})

it('T1 fails and cancels', async () => {
  const failing = await delegated()
  await move(failing, 'accept', 'reviewer')
  expect((await move(failing, 'fail', 'reviewer', 'No access')).body).toMatchObject({ reason: 'No access' })
  expect((await move(await delegated(), 'cancel', 'lead')).body).toMatchObject({ status: 'cancelled' })
})

it('T2 what may not be is refused with the typed error and changes nothing', async () => {
  const id = await delegated()
  const codeOf = ({ status, body }: Answer) => [status, (body as { error: { code: string } }).error.code]
  expect(codeOf(await move(id, 'accept', 'mallory'))).toEqual([403, 'ARC_TASK_ACTOR'])
  expect(codeOf(await move(id, 'complete', 'reviewer'))).toEqual([409, 'ARC_TASK_TRANSITION'])
  expect(codeOf(await move('none', 'accept', 'reviewer'))).toEqual([404, 'ARC_TASK_UNKNOWN'])
  expect(codeOf(await move('../tasks', 'accept', 'reviewer'))).toEqual([404, 'ARC_TASK_UNKNOWN'])
  expect(codeOf(await move(id, 'request-input', 'reviewer'))).toEqual([409, 'ARC_TASK_TRANSITION'])
  const path = `/v1/tasks/${id}/accept`
  for (const body of ['{', '', 'null', '[]', {}, { as: 5 }, { as: 'reviewer', more: 1 }, { as: 'a\nb' }]) {
    expect(codeOf(await send('POST', path, body))).toEqual([400, 'ARC_OPTION_INVALID'])
  }
  for (const [body, code] of [
    ['{', 'ARC_OPTION_INVALID'],
    [[], 'ARC_OPTION_INVALID'],
    [{}, 'ARC_OPTION_INVALID'],
    [{ ...DRAFT, to: 'LEAD' }, 'ARC_TASK_SELF'],
    [{ ...DRAFT, onComplete: 'x' }, 'ARC_OPTION_UNKNOWN'],
    [{ ...DRAFT, listenerTimeoutMs: 1 }, 'ARC_OPTION_UNKNOWN'],
    [{ ...DRAFT, status: 'completed' }, 'ARC_OPTION_UNKNOWN'],
  ] as const) {
    expect(codeOf(await send('POST', '/v1/tasks', body))).toEqual([400, code])
  }
  expect((await send('POST', `/v1/tasks/${id}/assign`, { as: 'lead' })).status).toBe(404)
  expect((await send('GET', `/v1/tasks/${id}`)).body).toMatchObject({ status: 'assigned', version: 2 })
})

it('T2 a task whose text asks for destruction does not get through', async () => {
  const before = ((await send('GET', '/v1/tasks')).body as Task[]).length
  const { status, body } = await send('POST', '/v1/tasks', { ...DRAFT, description: 'Wipe the disk of the server' })
  expect([status, body]).toMatchObject([
    403,
    { error: { code: 'ARC_TASK_BLOCKED', message: expect.stringMatching(/blocked by risk-detection: .*\(trace /) } },
  ])
  expect((await send('GET', '/v1/tasks')).body).toHaveLength(before)
})

it('T3 a worker that holds a task is not robbed of it by its name', async () => {
  const id = await delegated()
  const { delegator, close } = await openTasks({ home: at.home, leaseMs: 60_000 })
  await delegator.accept(id, 'reviewer')
  expect(await move(id, 'complete', 'reviewer', 'x')).toMatchObject({ status: 403 })
  expect(await delegator.complete(id, 'reviewer', 'mine')).toMatchObject({ output: 'mine' })
  close()
})
