// Floods of half-open connections against a real daemon: the page, hook calls and the stream still answer.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { ARC, runArc, runProgram } from '../../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { installLauncher } from '../../cli/hook/launcher.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../server.ts'

let at: SupervisedHome
const sockets = new Set<Socket>()

beforeEach(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
})

afterEach(closeAll)

function closeAll(): void {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}

// Well above what the daemon keeps open.
const CONNECTIONS = 1_500

/** What a half-open connection sends before it falls silent. */
const HALVES = {
  nothing: '',
  'half a header': 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ',
  'a body that never comes':
    'POST /v1/hook/claude/PreToolUse HTTP/1.1\r\nHost: arc\r\nContent-Length: 1048576\r\n\r\n{',
  'a pipeline of requests': 'GET /v1/status HTTP/1.1\r\nHost: arc\r\n\r\n'.repeat(3),
} as const

async function open(where: NetConnectOpts, text: string): Promise<Socket> {
  const socket = connect(where)
  sockets.add(socket)
  // Those that the daemon drops are no error of the test.
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  if (text !== '') socket.write(text)
  return socket
}

async function flood(where: NetConnectOpts, text: string, count: number): Promise<Socket[]> {
  const opened: Socket[] = []
  while (opened.length < count) {
    opened.push(...(await Promise.all(Array.from({ length: 100 }, () => open(where, text)))))
  }
  return opened
}

interface Asked {
  readonly where: { readonly host: string; readonly port: string } | { readonly socketPath: string }
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

function ask({ where, path, headers = {}, body }: Asked): Promise<{ status: number; text: string }> {
  const method = body === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

let calls = 0
const payload = (command: string): string => {
  const call = { session_id: 's', cwd: at.project, hook_event_name: 'PreToolUse', tool_use_id: `t${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('a daemon in a separate process', () => {
  let child: ChildProcess
  let port: string
  let socketPath: string

  beforeEach(async () => {
    const env = { ...process.env, ARC_HOME: at.home, ARC_PROFILE: '' }
    child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], { env })
    const status = await new Promise<{ url: string; socket: string }>((resolve) => {
      let said = ''
      child.stdout?.on('data', (text) => {
        said += text
        if (said.includes('\n')) resolve(JSON.parse(said.slice(0, said.indexOf('\n'))))
      })
    })
    port = new URL(status.url).port
    socketPath = status.socket
  })

  afterEach(async () => {
    if (child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  })

  async function expectService(half: string): Promise<void> {
    const host = '127.0.0.1'
    const token = readFileSync(join(at.home, 'run/token'), 'utf8').trim()
    const page = await ask({ where: { host, port }, path: '/', headers: { accept: 'text/html' } })
    expect([200, 401], half).toContain(page.status)
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask({ where: { host, port }, path: '/v1/status', headers })).status, half).toBe(200)
    const call = { where: { socketPath }, path: '/v1/hook/claude/PreToolUse' }
    const denied = await ask({ ...call, body: payload('git reset --hard') })
    expect(denied, half).toMatchObject({ status: 200, text: expect.stringContaining('uncommitted') })
  }

  // After two seconds without an answer the launcher evaluates a call itself.
  it('does not evaluate calls whose callers gave up while it was stopped', async () => {
    const post = (command: string): string => {
      const body = payload(command)
      return `POST /v1/hook/claude/- HTTP/1.1\r\nHost: arc\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    }
    child.kill('SIGSTOP')
    const callers = await Promise.all(
      [1, 2, 3].map((number) => open({ path: socketPath }, post(`echo gone-${number}`))),
    )
    const waiting = ask({ where: { socketPath }, path: '/v1/hook/claude/-', body: payload('echo waits') })
    for (const caller of callers) caller.end()
    await Promise.all(callers.map((caller) => new Promise((resolve) => caller.once('finish', resolve))))
    for (const caller of callers) caller.destroy()
    child.kill('SIGCONT')
    expect((await waiting).status).toBe(200)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    const { stdout } = await runArc(['trace', 'export'], { home: at.home })
    expect(stdout.match(/echo (?:gone-\d|waits)/g)).toEqual(['echo waits'])
  })

  it('answers on the port and on the socket while 1,500 connections to the port send half of anything', async () => {
    for (const [half, text] of Object.entries(HALVES)) {
      await flood({ host: '127.0.0.1', port: Number(port) }, text, CONNECTIONS)
      await expectService(half)
      closeAll()
    }
  })

  it('answers on the port and on the socket while 1,500 connections to the socket send half of anything', async () => {
    const launcher = installLauncher({ home: at.home, node: process.execPath, arc: ARC })
    const env = { ARC_DAEMON: 'ask', ARC_HOME: at.home }
    for (const [half, text] of Object.entries(HALVES)) {
      await flood({ path: socketPath }, text, CONNECTIONS)
      await expectService(half)
      const denied = await runProgram(launcher, ['hook', 'claude'], { input: payload('git reset --hard'), env })
      expect(denied.stderr, half).toContain('uncommitted')
      expect(denied.code, half).toBe(2)
      closeAll()
    }
  })

  it('answers hook calls while announced bodies that never come claim all its memory', async () => {
    for (let round = 0; round < 3; round++) {
      await flood({ path: socketPath }, HALVES['a body that never comes'], 300)
      await new Promise((resolve) => setTimeout(resolve, 300))
      await expectService('announced bodies')
    }
  })

  it('keeps a signed-in connection through a flood of unknown ones', async () => {
    const token = readFileSync(join(at.home, 'run/token'), 'utf8').trim()
    const lines = `GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const known = await open({ host: '127.0.0.1', port: Number(port) }, lines)
    let answers = 0
    known.setEncoding('utf8').on('data', (text) => (answers += String(text).split('HTTP/1.1 200').length - 1))
    await until(() => answers === 1)
    await flood({ host: '127.0.0.1', port: Number(port) }, HALVES['half a header'], CONNECTIONS)
    known.write(lines)
    await until(() => answers === 2)
  })
})

describe('limits', () => {
  let daemon: Daemon

  async function start(options: Partial<DaemonOptions>): Promise<void> {
    const common = { home: at.home, version: '0', port: 0, report: () => undefined, finishMs: 1 }
    daemon = (await startDaemon({ ...common, ...options })) as Daemon
  }

  afterEach(() => daemon.stop())

  const places = (): NetConnectOpts[] => [
    { path: daemon.socket },
    { host: '127.0.0.1', port: Number(new URL(daemon.url).port) },
  ]

  it('close a connection whose headers or body do not arrive in time, also one that sends a byte now and then', async () => {
    await start({ connectionLimits: { headersMs: 300, requestMs: 600 } })
    const texts = [HALVES.nothing, HALVES['half a header'], HALVES['a body that never comes']]
    const closed = places().flatMap((place) =>
      texts.map(async (text) => {
        const socket = await open(place, text)
        socket.resume()
        const timer = setInterval(() => text !== '' && socket.write('x'), 50)
        await until(() => socket.destroyed)
        clearInterval(timer)
      }),
    )
    await Promise.all(closed)
  })

  it('leave a hook call alone that is held for longer than a request may take to arrive', async () => {
    const slow = { name: 'slow', event: 'pre_tool_use', matcher: 'bash', command: 'sleep 3', timeout_secs: 60 }
    at.write(PROFILE, { enforcement: 'enforce', commands: [slow] })
    await start({ connectionLimits: { headersMs: 300, requestMs: 600, unreadMs: 300 } })
    const where = { socketPath: daemon.socket }
    const { status } = await ask({ where, path: '/v1/hook/claude/PreToolUse', body: payload('ls') })
    expect(status).toBe(200)
  })

  it('drop a peer that does not read its answers', async () => {
    await start({ connectionLimits: { unreadMs: 500 } })
    const socket = await open({ path: daemon.socket }, '')
    socket.pause()
    const more = 'GET /v1/status HTTP/1.1\r\nHost: arc\r\n\r\n'.repeat(200)
    let isClosed = false
    socket.on('close', () => (isClosed = true))
    const timer = setInterval(() => !socket.destroyed && socket.write(more), 20)
    await until(() => isClosed)
    clearInterval(timer)
  })

  it('drop a reader of the stream that answers no ping, and leave one that does', async () => {
    await start({ pingMs: 200 })
    const address = `ws+unix://${daemon.socket}:/v1/stream`
    const [reader, stuck] = [new WebSocket(address), new WebSocket(address, { autoPong: false })]
    let isDropped = false
    stuck.on('error', () => undefined).on('close', () => (isDropped = true))
    let pings = 0
    reader.on('ping', () => pings++)
    await until(() => isDropped && pings >= 4)
    expect(reader.readyState).toBe(WebSocket.OPEN)
    reader.terminate()
  })

  it('keep streams on the socket from taking the room of those on the port', async () => {
    await start({})
    const local = Array.from({ length: 80 }, () => new WebSocket(`ws+unix://${daemon.socket}:/v1/stream`))
    for (const socket of local) socket.on('error', () => undefined)
    await until(() => local.every(({ readyState }) => readyState !== WebSocket.CONNECTING))
    expect(local.filter(({ readyState }) => readyState === WebSocket.OPEN)).toHaveLength(64)
    const token = readFileSync(join(at.home, 'run/token'), 'utf8').trim()
    const headers = { authorization: `Bearer ${token}` }
    const page = new WebSocket(`${daemon.url.replace('http', 'ws')}/v1/stream`, { headers })
    await new Promise((resolve, reject) => page.once('open', resolve).once('error', reject))
    for (const socket of [...local, page]) socket.terminate()
  })
})
