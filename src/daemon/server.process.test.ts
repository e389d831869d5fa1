// A daemon on its socket and its port, with real requests.

import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { OTHER_USER, publicBuild } from '../../test/other-user.ts'
import { runProgram } from '../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import type { Row, StreamMessage } from '../protocol/messages.ts'
import { SqliteTaskStore } from '../storage/sqlite/task-store.ts'
import { type Daemon, startDaemon } from './server.ts'

let at: SupervisedHome
let daemon: Daemon
let token: string
let dashboard: string

beforeEach(async () => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  dashboard = join(at.root, 'dashboard')
  const options = { home: at.home, version: '1.2.3', port: 0, dashboard, report: () => undefined, finishMs: 1_500 }
  daemon = (await startDaemon(options)) as Daemon
  token = daemon.token
})

afterEach(async () => {
  await daemon.stop()
  at.remove()
})

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly socket?: boolean
}

// Not fetch: it sets Host itself.
function ask(path: string, { method = 'GET', headers = {}, body, socket = false }: Asked = {}): Promise<Answer> {
  const { hostname, port } = new URL(daemon.url)
  const where = socket ? { socketPath: daemon.socket } : { host: hostname, port }
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('close', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const bearer = () => ({ authorization: `Bearer ${token}` })

let calls = 0

function payload(command: string): string {
  const call = { session_id: 's', cwd: at.project, hook_event_name: 'PreToolUse', tool_use_id: `t${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

const sendHook = (command: string, accept = 'application/json') =>
  ask('/v1/hook/claude/PreToolUse', { method: 'POST', headers: { accept }, body: payload(command), socket: true })

const DANGER = 'git reset --hard'

describe('the door', () => {
  it('is open on the socket, and on the port to those who show the token', async () => {
    expect(JSON.parse((await ask('/health', { socket: true })).body)).toMatchObject({ ok: true, version: '1.2.3' })
    expect((await ask('/v1/status', { socket: true })).status).toBe(200)
    expect((await ask('/v1/status')).status).toBe(401)
    expect((await ask('/v1/status', { headers: { authorization: `Bearer ${token}x` } })).status).toBe(401)
    expect((await ask('/v1/status', { headers: { authorization: token } })).status).toBe(401)
    expect((await ask('/v1/status', { headers: bearer() })).status).toBe(200)
  })

  it('exchanges the login link for a cookie that scripts cannot read and other sites cannot use', async () => {
    expect((await ask('/login?code=wrong')).status).toBe(401)
    expect((await ask(`/login?token=${token}`)).status).toBe(401)
    const link = new URL(daemon.newLoginUrl({}))
    const { status, headers } = await ask(link.pathname + link.search)
    expect(status).toBe(303)
    const [cookie = ''] = headers['set-cookie'] as string[]
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/)
    expect(cookie).not.toContain(token)
    const [own = ''] = cookie.split(';')
    expect((await ask('/v1/status', { headers: { cookie: `a=b; ${own}` } })).status).toBe(200)
    expect((await ask('/v1/status', { headers: { cookie: `${own}x` } })).status).toBe(401)
  })

  it('G4 a login link works once, and its cookie ends with the daemon', async () => {
    const link = new URL(daemon.newLoginUrl({ pid: 1 }))
    const login = () => ask(link.pathname + link.search)
    const [own = ''] = String(((await login()).headers['set-cookie'] as string[])[0]).split(';')
    expect((await login()).status).toBe(401)
    const page = (cookie: string) => ({ method: 'POST', headers: { cookie, origin: daemon.url } })
    expect((await ask('/v1/approvals/none/approve', page(own))).status).toBe(404)
    const token = await ask('/v1/approvals/none/approve', { method: 'POST', headers: bearer() })
    expect([token.status, token.body]).toEqual([403, expect.stringContaining('ARC_NEEDS_PERSON')])
    const local = await ask('/v1/approvals/none/approve', { method: 'POST', headers: bearer(), socket: true })
    expect(local.status).toBe(403)
    const port = Number(new URL(daemon.url).port)
    await daemon.stop()
    daemon = (await startDaemon({ home: at.home, version: '1', port, report: () => undefined })) as Daemon
    expect((await ask('/v1/status', { headers: bearer() })).status).toBe(200)
    expect((await ask('/v1/status', { headers: { cookie: own } })).status).toBe(401)
    expect((await ask('/v1/approvals/none/approve', page(own))).status).toBe(401)
  })

  it.each(['evil.example', '127.0.0.1', 'evil.example:4747', '127.0.0.1.evil.example:1'])(
    'is closed to requests for the host %s',
    async (host) => {
      expect((await ask('/v1/status', { headers: { ...bearer(), host } })).status).toBe(403)
    },
  )

  it.each(['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1'])(
    'is closed to pages of %s',
    async (origin) => {
      expect((await ask('/v1/status', { headers: { ...bearer(), origin } })).status).toBe(403)
    },
  )

  it('allows no other site to read anything', async () => {
    const { headers } = await ask('/v1/status', { headers: { ...bearer(), origin: daemon.url } })
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it('refuses a body that is too large', async () => {
    const body = 'x'.repeat(17 * 1024 * 1024)
    const { status } = await ask('/v1/dispatch', { method: 'POST', body, socket: true })
    expect(status).toBe(413)
  })

  it('is for its owner only', async () => {
    for (const file of [daemon.socket, join(at.home, 'run/token'), join(at.home, 'run/arc.pid')]) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    expect(statSync(join(at.home, 'run')).mode & 0o777).toBe(0o700)
  })

  it('cannot be reached by another user', async () => {
    if (process.getuid?.() !== 0) return
    const script = `const { get } = require('http'); const { readFileSync } = require('fs')
try { readFileSync(process.argv[1] + '/run/token'); console.log('token') } catch (e) { console.log(e.code) }
get({ socketPath: process.argv[1] + '/run/arc.sock', path: '/health' }, () => console.log('open')).on('error', (e) => console.log(e.code))`
    const { stdout } = await runProgram(publicBuild().node, ['-e', script, at.home], { uid: OTHER_USER, cwd: '/' })
    expect(stdout).toBe('EACCES\nEACCES\n')
  })
})

describe('a hook call', () => {
  it('is answered with what the hook process would give back', async () => {
    const { status, body } = await sendHook(DANGER)
    expect(status).toBe(200)
    const answer = JSON.parse(body) as { stdout: string; stderr: string; exitCode: number }
    expect(answer.exitCode).toBe(2)
    expect(answer.stderr).toContain('uncommitted')
  })

  it('is answered in the own JSON of the host when that is asked for', async () => {
    const { body } = await sendHook(DANGER, 'application/vnd.arc.host')
    expect(JSON.parse(body).hookSpecificOutput.permissionDecision).toBe('deny')
    expect((await sendHook('ls', 'application/vnd.arc.host')).body).toBe('')
  })

  it('of an unknown host is an error that names those there are', async () => {
    const { status, body } = await ask('/v1/hook/cluade/x', { method: 'POST', body: '{}', socket: true })
    expect(status).toBe(404)
    expect(body).toContain('Did you mean')
  })

  it('follows a change of the configuration without a restart', async () => {
    expect(JSON.parse((await sendHook(DANGER)).body).exitCode).toBe(2)
    at.write(PROFILE, { enforcement: 'log' })
    await until(async () => JSON.parse((await sendHook(DANGER)).body).exitCode === 0)
  })
})

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('POST /v1/dispatch', () => {
  const dispatch = (step: unknown) =>
    ask('/v1/dispatch', { method: 'POST', body: typeof step === 'string' ? step : JSON.stringify(step), socket: true })

  it('sends a step through the pipeline', async () => {
    const step = { point: 'PreToolUse', data: { tool: 'shell', args: { command: DANGER } }, session: 's' }
    const { status, body } = await dispatch(step)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ decision: 'block', blocked: true, hook: 'risk-detection' })
  })

  it.each([
    ['{', 'ARC_DATA_INVALID'],
    [{ point: 'pre:tool' }, 'ARC_DATA_INVALID'],
    [{ point: 'pre:tool', data: {}, colour: 1 }, 'ARC_DATA_INVALID'],
    [{ point: 'pre:tol', data: {} }, 'ARC_POINT_UNKNOWN'],
  ])('refuses %j', async (step, code) => {
    const { status, body } = await dispatch(step)
    expect(status).toBe(400)
    expect(JSON.parse(body).error.code).toBe(code)
  })
})

it('shows hooks, status, decisions, breaker, profiles, tasks, roundtables and approvals', async () => {
  await sendHook(DANGER)
  const see = async (noun: string) => JSON.parse((await ask(`/v1/${noun}`, { socket: true })).body)
  expect(await see('hooks')).toContainEqual(expect.objectContaining({ name: 'risk-detection', enabled: true }))
  expect(await see('status')).toMatchObject({
    running: true,
    url: daemon.url,
    enforcement: 'enforce',
    profile: 'default',
  })
  const decisions = (await see('decisions?decision=block')) as Row[]
  expect(decisions).toMatchObject([{ hook: 'risk-detection', decision: 'block', applied: true }])
  const id = decisions[0]?.id.split('.')[0]
  expect(await see(`decisions/${id}`)).toMatchObject({ found: 'step', record: { id } })
  expect(await see('breaker')).toMatchObject({ state: 'closed', failures: 0 })
  expect(await see('profiles')).toEqual([{ name: 'default', active: true }])
  for (const noun of ['tasks', 'roundtables', 'approvals']) expect(await see(noun)).toEqual([])
  const tasks = new SqliteTaskStore(join(at.home, 'arc.db'))
  tasks.create('t1', { from: 'lead', to: 'reviewer', description: 'look' }, Date.now())
  tasks.close()
  expect(await see('tasks?to=reviewer')).toMatchObject([{ id: 't1', from: 'lead', status: 'assigned' }])
  expect(await see('tasks?to=lead')).toEqual([])
  expect(await see('tasks/t1')).toMatchObject({ id: 't1', history: [{}, {}] })
  expect((await ask('/v1/tasks/none', { socket: true })).status).toBe(404)
  expect(await see('decisions?component=daemon')).toMatchObject([{ action: 'daemon:start' }])
  expect((await ask('/v1/decisions/nothing', { socket: true })).status).toBe(404)
})

it('an answer to what is held takes a signed-in page, also on the socket', async () => {
  const reviewer = { name: 'first', event: 'pre_tool_use', command: `echo '{"decision":"ask","reason":"a person"}'` }
  at.write(PROFILE, { enforcement: 'enforce', commands: [reviewer] })
  const step = { point: 'pre:tool', data: { tool: 'shell', args: { command: 'make' } } }
  const send = () => ask('/v1/dispatch', { method: 'POST', body: JSON.stringify(step), socket: true })
  await until(async () => JSON.parse((await send()).body).decision === 'ask')
  const [held] = JSON.parse((await ask('/v1/approvals', { socket: true })).body) as { id: string }[]
  const path = `/v1/approvals/${held?.id}/approve`
  const link = new URL(daemon.newLoginUrl({ pid: 1 }))
  const { headers } = await ask(link.pathname + link.search)
  const [cookie = ''] = String((headers['set-cookie'] as string[])[0]).split(';')
  expect((await ask(path, { method: 'POST', socket: true })).status).toBe(403)
  expect((await ask(path, { method: 'POST', headers: bearer(), socket: true })).status).toBe(403)
  expect((await ask(path, { method: 'POST', headers: { cookie }, socket: true })).status).toBe(200)
  expect((await ask(path, { method: 'POST', headers: { cookie }, socket: true })).status).toBe(409)
  const [said] = JSON.parse((await ask('/v1/decisions?action=approval:approved', { socket: true })).body)
  expect(said).toMatchObject({ action: 'approval:approved', reason: expect.stringContaining('channel page') })
  expect(JSON.parse((await send()).body).decision).toBe('pass')
})

describe('the page', () => {
  it('says what there is where no dashboard was built', async () => {
    const { status, body, headers } = await ask('/', { headers: bearer() })
    expect(status).toBe(200)
    expect(body).toContain('ARC is running')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect((await ask('/nothing.js', { headers: bearer() })).status).toBe(404)
  })

  it('is the dashboard where there is one, and nothing outside of its folder', async () => {
    mkdirSync(join(dashboard, 'assets'), { recursive: true })
    writeFileSync(join(dashboard, 'index.html'), '<p>dashboard')
    writeFileSync(join(dashboard, 'assets/app.js'), 'run()')
    writeFileSync(join(at.root, 'secret.txt'), 'classified')
    expect((await ask('/', { headers: bearer() })).body).toBe('<p>dashboard')
    expect((await ask('/hooks', { headers: bearer() })).body).toBe('<p>dashboard')
    expect((await ask('/assets/app.js', { headers: bearer() })).headers['content-type']).toContain('javascript')
    for (const path of ['/../secret.txt', '/..%2fsecret.txt', '/assets/%2e%2e/%2e%2e/secret.txt']) {
      expect((await ask(path, { headers: bearer() })).body).not.toContain('classified')
    }
  })
})

describe('the stream', () => {
  function open(query: string, headers: Readonly<Record<string, string>> = bearer()) {
    const client = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/stream${query}`, { headers })
    const rows: Row[] = []
    client.on('message', (text) => {
      const message = JSON.parse(String(text)) as StreamMessage
      if (message.type === 'rows') rows.push(...message.rows)
    })
    const ended = new Promise<string>((resolve) => {
      client.on('error', (error) => resolve(error.message))
      client.on('close', (code) => resolve(String(code)))
    })
    return { client, rows, ended }
  }

  it('resumes after any row, without loss and without doubles', async () => {
    const first = open('?after=0')
    for (let count = 0; count < 20; count++) await sendHook('ls')
    await until(async () => first.rows.length >= 30)
    first.client.terminate()
    for (let count = 0; count < 20; count++) await sendHook('ls')
    const seen = first.rows.at(-1)?.seq ?? 0
    const second = open(`?after=${seen}`)
    const { records } = JSON.parse((await ask('/v1/status', { socket: true })).body).counters as { records: number }
    await until(async () => (second.rows.at(-1)?.seq ?? 0) >= records)
    const seqs = [...first.rows, ...second.rows].map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: records }, (_, index) => index + 1))
    second.client.terminate()
  })

  it('is closed to other pages, other hosts and those without the token', async () => {
    expect(await open('', {}).ended).toContain('401')
    expect(await open('', { ...bearer(), origin: 'http://evil.example' }).ended).toContain('403')
    expect(await open('', { ...bearer(), host: 'evil.example' }).ended).toContain('403')
    expect(await open('/more').ended).toContain('404')
  })

  it('ends with the daemon', async () => {
    const { client, ended } = open('')
    await new Promise((resolve) => client.on('open', resolve))
    await daemon.stop()
    expect(await ended).toBe('1001')
  })
})

it('stops after what is under way', async () => {
  const slow = {
    name: 'slow',
    event: 'pre_tool_use',
    matcher: 'read',
    command: 'sleep 1; echo \'{"decision":"flag"}\'',
  }
  at.write(PROFILE, { enforcement: 'enforce', commands: [slow] })
  await until(async () => (await ask('/v1/hooks', { socket: true })).body.includes('"slow"'))
  const body = JSON.stringify({ point: 'pre:tool', data: { tool: 'Read', args: { file_path: 'a' } } })
  const underWay = ask('/v1/dispatch', { method: 'POST', body, socket: true })
  await new Promise((resolve) => setTimeout(resolve, 200))
  await daemon.stop()
  expect(JSON.parse((await underWay).body)).toMatchObject({ decision: 'flag' })
  await expect(ask('/health', { socket: true })).rejects.toThrow()
})

it('stops with a no for what is held', async () => {
  const reviewer = { name: 'first', event: 'pre_tool_use', command: `echo '{"decision":"ask","reason":"a person"}'` }
  at.write(PROFILE, { enforcement: 'enforce', commands: [reviewer] })
  await until(async () => (await ask('/v1/hooks', { socket: true })).body.includes('"first"'))
  const held = ask('/v1/hook/codex/PreToolUse', { method: 'POST', body: payload('make'), socket: true })
  await until(async () => (await ask('/v1/approvals', { socket: true })).body !== '[]')
  await daemon.stop()
  expect(JSON.parse((await held).body)).toMatchObject({ exitCode: 2 })
})

it.each([
  ['an address that is none', '//[', '', 404],
  ['a broken frame along with it', '/v1/stream', '\u00ff\u00ff', 101],
])('an upgrade with %s ends no other connection', async (_what, path, frame, status) => {
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
  const answer = await new Promise<string>((resolve, reject) => {
    let said = ''
    const socket = connect(daemon.socket, () => {
      const head = `GET ${path} HTTP/1.1\r\nHost: arc\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`
      socket.write(head + frame, 'latin1')
    })
    socket.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    socket.on('error', reject).on('close', () => resolve(said))
  })
  expect(answer).toContain(`HTTP/1.1 ${status} `)
  expect((await ask('/health', { socket: true })).status).toBe(200)
})
