// What a client sends that means no good, or knows no better: always an answer of the protocol, never a failure of ours.

import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { openTasks } from '../../tasks/service/open-tasks.ts'
import { type Daemon, startDaemon } from '../server.ts'

let at: SupervisedHome
let daemon: Daemon
let token: string
const reports: string[] = []

beforeAll(async () => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  const report = (text: string): void => void reports.push(text)
  daemon = (await startDaemon({ home: at.home, version: '1.2.3', port: 0, report, finishMs: 500 })) as Daemon
  token = daemon.token
})

beforeEach(() => {
  reports.length = 0
})

afterAll(async () => {
  await daemon.stop()
  at.remove()
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

interface Asked {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly socket?: boolean
}

// Not fetch: it sets Host itself.
function ask(body: string | undefined, { path = '/a2a', method = 'POST', headers = {}, socket = false }: Asked = {}) {
  const { hostname, port } = new URL(daemon.url)
  const where = socket ? { socketPath: daemon.socket } : { host: hostname, port }
  const usual = { authorization: `Bearer ${token}`, 'a2a-version': '1.0', 'content-type': 'application/json' }
  const all = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined))
  return new Promise<Answer>((resolve, reject) => {
    const asked = request(
      { ...where, path, method, headers: all as Record<string, string>, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('close', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

const call = (method: string, params: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

const message = (more: object = {}) => ({
  ...{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Look' }], metadata: { from: 'lead', to: 'reviewer' } },
  ...more,
})

const sending = (more: object = {}, beside: object = {}): string =>
  call('SendMessage', { message: message(more), configuration: { returnImmediately: true }, ...beside })

async function errorOf(body: string, asked: Asked = {}): Promise<{ code: number; message: string; id: unknown }> {
  const answer = await ask(body, asked)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  const { error, id, result } = JSON.parse(answer.body)
  expect(result).toBeUndefined()
  return { ...error, id }
}

describe('the door', () => {
  it('shows the card to every client with the right Host, and nothing of the home in it', async () => {
    for (const path of ['/.well-known/agent-card.json', '/a2a/reviewer/.well-known/agent-card.json']) {
      const { status, body } = await ask(undefined, { path, method: 'GET', headers: { authorization: undefined } })
      expect(status).toBe(200)
      expect(JSON.parse(body)).toMatchObject({
        capabilities: { streaming: true, pushNotifications: false },
        securityRequirements: [{ schemes: { bearer: { list: [] } } }],
        supportedInterfaces: [{ protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      })
      expect(body).not.toContain(at.root)
      for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
        expect((await ask(undefined, { path, method: 'GET', headers })).status).toBe(403)
      }
    }
  })

  it('is closed to all else without the token, other hosts and other pages, and open on the socket', async () => {
    for (const path of [
      '/a2a',
      '/a2a/reviewer',
      '/a2a/x/.well-known/agent-card.json/y',
      '/a2a//.well-known/agent-card.json',
      '/a2a/x/.well-known/y/.well-known/agent-card.json',
      '/a2a/x/y/.well-known/agent-card.json',
      '/v1/status/.well-known/agent-card.json',
      '/.well-known/agent-card.json/',
    ]) {
      for (const method of ['GET', 'POST']) {
        const body = method === 'POST' ? sending() : undefined
        const { status, headers } = await ask(body, { path, method, headers: { authorization: undefined } })
        expect([path, status, headers['www-authenticate']]).toEqual([path, 401, 'Bearer'])
      }
    }
    expect((await ask(sending(), { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await ask(sending(), { headers: { origin: 'http://evil.example' } })).status).toBe(403)
    const { status, body } = await ask(sending(), { socket: true, headers: { authorization: undefined } })
    expect([status, JSON.parse(body).result.task.status.state]).toEqual([200, 'TASK_STATE_SUBMITTED'])
  })

  it.each(['%0A', '%00', '%E2%80%AE', 'x'.repeat(201), '%20'])('knows no agent called %j', async (name) => {
    expect((await ask(sending(), { path: `/a2a/${name}` })).status).toBe(404)
  })

  it('refuses a body that is too large', async () => {
    expect((await ask(sending({ parts: [{ text: 'x'.repeat(17 * 1024 * 1024) }] }))).status).toBe(413)
  })
})

describe('what is no request', () => {
  it.each([
    ['', -32700],
    ['{', -32700],
    ['null', -32600],
    ['5', -32600],
    ['"text"', -32600],
    ['[]', -32600],
    [`[${sending()}]`, -32600],
    ['{}', -32602],
    [JSON.stringify({ jsonrpc: '1.0', id: 1, method: 'GetTask', params: { id: 'x' } }), -32602],
    [JSON.stringify({ jsonrpc: '2.0', id: {}, method: 'GetTask', params: { id: 'x' } }), -32602],
    [JSON.stringify({ jsonrpc: '2.0', id: 1, method: 5, params: {} }), -32602],
    [call('GetTasks', {}), -32601],
    [call('message/send', {}), -32601],
    [call('constructor', {}), -32601],
    [call('__proto__', {}), -32601],
  ])('%j is answered with %i', async (body, code) => {
    expect((await errorOf(body)).code).toBe(code)
  })

  it('answers under the id that it was asked with', async () => {
    expect((await errorOf(call('GetTask', { id: 'none' }, 'an id'))).id).toBe('an id')
    expect((await errorOf(call('GetTask', { id: 5 }, 7))).id).toBe(7)
  })

  it('speaks one version of the protocol, and JSON', async () => {
    for (const version of [undefined, '', '0.3', '2.0', 'x']) {
      expect((await errorOf(sending(), { headers: { 'a2a-version': version } })).code).toBe(-32009)
    }
    expect((await errorOf(sending(), { headers: { 'content-type': 'text/plain' } })).code).toBe(-32005)
  })
})

describe('what is no message', () => {
  it.each([
    ['no message', { message: null }],
    ['a number as message', { message: 5 }],
    ['a list as message', { message: [] }],
    ['no id', { message: message({ messageId: '' }) }],
    ['an object as id', { message: message({ messageId: {} }) }],
    ['a long id', { message: message({ messageId: 'x'.repeat(201) }) }],
    ['the role of an agent', { message: message({ role: 'ROLE_AGENT' }) }],
    ['no parts', { message: message({ parts: [] }) }],
    ['parts that are a text', { message: message({ parts: 'Look' }) }],
    ['a part that is nothing', { message: message({ parts: [null] }) }],
    ['a part whose text is a number', { message: message({ parts: [{ text: 5 }] }) }],
    ['raw bytes that are a number', { message: message({ parts: [{ raw: 5 }] }) }],
    ['too many parts', { message: message({ parts: Array(1_001).fill({ text: 'x' }) }) }],
    ['an empty text', { message: message({ parts: [{ text: ' ' }] }) }],
    ['a text without end', { message: message({ parts: [{ text: 'x'.repeat(2_000_000) }] }) }],
    ['a list as metadata', { message: message({ metadata: [] }) }],
    ['nobody to give it to', { message: message({ metadata: {} }) }],
    ['a number as agent', { message: message({ metadata: { to: 5 } }) }],
    ['nothing as agent', { message: message({ metadata: { to: null } }) }],
    ['an agent of two lines', { message: message({ metadata: { to: 'a\nb' } }) }],
    ['itself as agent', { message: message({ metadata: { from: 'a', to: 'A' } }) }],
    ['an odd priority', { message: message({ metadata: { to: 'a', priority: 'now' } }) }],
    ['an odd tier', { message: message({ metadata: { to: 'a', riskTier: 6 } }) }],
    ['metadata without end', { message: message({ metadata: { to: 'a', more: 'x'.repeat(100_001) } }) }],
    ['a context of two lines', { message: message({ contextId: 'a\nb' }) }],
    ['a tenant', { message: message(), tenant: 'acme' }],
    ['a negative length', { message: message(), configuration: { historyLength: -1 } }],
    ['a text as flag', { message: message(), configuration: { returnImmediately: 'yes' } }],
  ])('%s is refused as malformed', async (_, params) => {
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const { code, message } = await errorOf(call(method, params))
      expect([code, message.length < 6_000]).toEqual([-32602, true])
    }
    expect(reports).toEqual([])
  })

  it.each([
    ['a file', [{ raw: 'AAAA', filename: 'a.bin', mediaType: 'application/octet-stream' }]],
    ['a large file', [{ raw: 'A'.repeat(4_000_000) }]],
    ['an address', [{ url: 'file:///etc/passwd' }]],
    ['data', [{ text: 'Look' }, { data: { a: 1 } }]],
    ['a kind that does not exist', [{ kind: 'text', video: 'x' }]],
    ['a text of another type', [{ text: '{}', mediaType: 'application/json' }]],
  ])('%s as part is refused as unsupported', async (_, parts) => {
    expect((await errorOf(sending({ parts }))).code).toBe(-32005)
  })

  it.each([100, 1_000, 3_000, 6_000, 100_000])(
    'metadata of %i levels is taken or refused, and breaks nothing',
    async (levels) => {
      const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
      const { status, body } = await ask(sending().replace('"to":"reviewer"', `"to":"reviewer","deep":${deep}`))
      const { result, error } = JSON.parse(body)
      expect(status).toBe(200)
      expect([-32602, 'TASK_STATE_SUBMITTED', 'TASK_STATE_REJECTED']).toContain(
        error?.code ?? result?.task.status.state,
      )
      expect(reports).toEqual([])
    },
  )

  it('notifications to addresses are unsupported, however they are asked for', async () => {
    const configuration = { taskPushNotificationConfig: { url: 'http://127.0.0.1:1/' } }
    expect((await errorOf(sending({}, { configuration }))).code).toBe(-32003)
    for (const verb of ['Create', 'Get', 'Delete']) {
      expect((await errorOf(call(`${verb}TaskPushNotificationConfig`, { taskId: 'x', id: 'y' }))).code).toBe(-32003)
    }
    expect((await errorOf(call('ListTaskPushNotificationConfigs', { taskId: 'x' }))).code).toBe(-32003)
    expect((await errorOf(call('GetExtendedAgentCard', {}))).code).toBe(-32004)
  })

  it('the agent of the path and of the metadata must be one', async () => {
    expect((await errorOf(sending(), { path: '/a2a/tester' })).code).toBe(-32602)
  })
})

describe('tasks of others', () => {
  it('are found by their id and nothing like it', async () => {
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
      for (const id of ['none', '%', "' OR 1=1 --", 'a.b.>', '__proto__']) {
        expect((await errorOf(call(method, { id }))).code).toBe(-32001)
      }
      for (const id of ['', null, 5, {}, 'x'.repeat(201)]) {
        expect((await errorOf(call(method, { id }))).code).toBe(-32602)
      }
    }
    expect((await errorOf(sending({ taskId: 'none' }))).code).toBe(-32001)
  })

  it.each([
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: 1.5 },
    { pageSize: '5' },
    { pageToken: 'x' },
    { pageToken: 'x'.repeat(1_000) },
    { status: 'TASK_STATE_ODD' },
    { status: 99 },
    { status: {} },
    { statusTimestampAfter: 'yesterday' },
    { historyLength: -1 },
    { includeArtifacts: 'yes' },
  ])('are not listed by %j', async (params) => {
    expect((await errorOf(call('ListTasks', params))).code).toBe(-32602)
  })

  it('an answer reaches only the task of its context', async () => {
    const start = async (contextId: string) => {
      const { result } = JSON.parse((await ask(sending({ contextId }))).body)
      const { delegator, close } = await openTasks({ home: at.home })
      await delegator.accept(result.task.id, 'reviewer')
      await delegator.requestInput(result.task.id, 'reviewer', 'Which?')
      close()
      return result.task.id as string
    }
    const [taskId] = [await start('one'), await start('two')]
    expect((await errorOf(sending({ taskId, contextId: 'two' }))).code).toBe(-32602)
    expect((await errorOf(sending({ taskId, contextId: 'one' }), { path: '/a2a/tester' })).code).toBe(-32001)
    const { result } = JSON.parse((await ask(sending({ taskId, contextId: 'one' }))).body)
    expect(result.task).toMatchObject({ id: taskId, contextId: 'one', status: { state: 'TASK_STATE_WORKING' } })
  })

  it('a task from another interface is a separate context, and metadata cannot pollute prototypes', async () => {
    const raw = sending().replace('"to":"reviewer"', '"to":"reviewer","__proto__":{"polluted":true}')
    const { result } = JSON.parse((await ask(raw)).body)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    const { delegator, close } = await openTasks({ home: at.home })
    const { task } = await delegator.delegate({ from: 'a', to: 'b', description: 'x', metadata: { a2a: 'odd' } })
    close()
    for (const id of [result.task.id, task.id]) {
      expect(JSON.parse((await ask(call('GetTask', { id }))).body).result).toMatchObject({ id, contextId: id })
    }
  })
})
