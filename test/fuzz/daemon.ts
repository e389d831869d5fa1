// A real daemon on its port and its socket: requests, upgrades and bytes that are no HTTP at all. None is answered with
// 500, none is left without an answer, and the next one finds the daemon as it was.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { WebSocket } from 'ws'
import { POINTS } from '../../src/engine/points.ts'
import { HOST_NAMES } from '../../src/hosts/host.ts'
import { HOSTS } from '../../src/hosts/list.ts'
import { SUBJECTS } from '../host-subjects.ts'
import { ARC } from '../run-arc.ts'
import { hostileJson, hostileRecord, hostileText, jsonText, longText, mutated, wellFormedText } from './arbitraries.ts'
import type { FuzzTarget } from './target.ts'

const ANSWER_MS = 60_000

/** A daemon in a separate process. */
class ServedHome {
  readonly #home = mkdtempSync(join(tmpdir(), 'arc-fuzz-'))
  readonly #agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })]
  #child: ChildProcess | undefined
  #stderr = ''
  #port = 0
  #token = ''

  async start(): Promise<this> {
    mkdirSync(join(this.#home, 'profiles'))
    writeFileSync(join(this.#home, 'profiles/default.json'), '{ "enforcement": "enforce" }')
    const env = { ...process.env, ARC_HOME: this.#home, ARC_PROFILE: '' }
    const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], {
      env,
      cwd: this.#home,
    })
    this.#child = child
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr = (this.#stderr + text).slice(-4_000)))
    const status = await new Promise<string>((resolve, reject) => {
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.includes('\n')) resolve(said)
      })
      child.on('exit', (code) => reject(new Error(`the daemon ended with ${code}: ${this.#stderr}`)))
    })
    const { url } = JSON.parse(status) as { url: string }
    this.#port = Number(new URL(url).port)
    this.#token = readFileSync(join(this.#home, 'run/token'), 'utf8').trim()
    return this
  }

  /** Where it listens. */
  place(isLocal: boolean): { readonly socketPath?: string; readonly host?: string; readonly port?: number } {
    return isLocal ? { socketPath: join(this.#home, 'run/arc.sock') } : { host: '127.0.0.1', port: this.#port }
  }

  get authority(): string {
    return `127.0.0.1:${this.#port}`
  }

  get authorization(): string {
    return `Bearer ${this.#token}`
  }

  /** The status of an answer. */
  ask(isLocal: boolean, what: Asked): Promise<number> {
    const { method, path, headers, body } = what
    // Node sends the body of an OPTIONS or DELETE without saying so, and it would pass for the next request.
    const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
    const allowed = { ...(isLocal ? {} : { authorization: this.authorization }), ...headers, ...length }
    return new Promise((resolve, reject) => {
      const options = { ...this.place(isLocal), agent: this.#agents[Number(isLocal)], method, path, headers: allowed }
      const asked = request(options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      })
      asked.setTimeout(ANSWER_MS, () => asked.destroy(new Error(`no answer within ${ANSWER_MS} ms`)))
      asked.on('error', (error) => {
        // After an answer to half of a request the connection is closed; clients take another, as for any that was idle.
        if (asked.reusedSocket && /socket hang up|ECONNRESET|EPIPE/.test(error.message))
          resolve(this.ask(isLocal, what))
        else reject(new Error(`${error.message} ${this.#stderr}`))
      })
      asked.end(body)
    })
  }

  /** It still runs and answers, over the connections that were there before. */
  async assertWell(): Promise<void> {
    assert.equal(this.#child?.exitCode, null, `the daemon ended: ${this.#stderr}`)
    for (const isLocal of [true, false]) {
      assert.equal(await this.ask(isLocal, { method: 'GET', path: '/health', headers: {}, body: '' }), 200)
    }
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) agent.destroy()
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 10 })
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

// What a client can send at all: others never reach the daemon.
const headerValue = hostileText.map((text) => text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?'))
const encoded = wellFormedText.map(encodeURIComponent)
const segment = fc.oneof(
  encoded,
  hostileText.map((text) => text.replaceAll(/[^\u0021-\u007e]/g, '')),
)

const query = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom('after', 'limit', 'since', 'project', 'profile', 'status', 'decision', 'steps', 'token'),
        encoded,
      ),
      fc.oneof(encoded, fc.constantFrom('-1', '1.5', '1e400', '9007199254740993', '0x10', 'Infinity', '-0', '')),
    ),
    { maxLength: 4 },
  )
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))

const PATHS = [
  ...['/', '/health', '/login', '/v1/status', '/v1/hooks', '/v1/breaker', '/v1/profiles', '/v1/decisions', '/v1/tasks'],
  ...[
    '/v1/roundtables',
    '/v1/approvals',
    '/v1/stream',
    '/v1/nothing',
    '/index.html',
    '/v1/dispatch',
    '/v1/hook/claude',
  ],
]
const path = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...PATHS),
      fc.tuple(fc.constantFrom(...PATHS), segment).map(([start, end]) => `${start}/${end}`),
      fc.tuple(segment, segment).map(([kind, end]) => `/v1/approvals/${kind}/${end}`),
      segment.map((text) => `/${text}`),
    ),
    query,
  )
  .map(([start, end]) => start + end)

const step = fc.record(
  {
    point: fc.oneof(fc.constantFrom(...Object.keys(POINTS)), hostileText),
    data: fc.oneof(hostileRecord(['tool', 'args', 'prompt', 'output', 'agent']), hostileJson),
    session: hostileJson,
    workspace: hostileText,
    metadata: hostileJson,
    askMs: fc.constantFrom<unknown>(0, -1, 'x', null, 1e308),
  },
  { requiredKeys: ['point', 'data'] },
)

const headers = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'accept',
        'content-type',
        'x-arc-cwd',
        'x-arc-profile',
        'origin',
        'cookie',
        'x-any',
        'if-match',
        'range',
      ),
      fc.oneof(headerValue, encoded, fc.constantFrom('application/vnd.arc.host', 'application/vnd.arc.sh', '/', '..')),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs))

const hookCall = fc.constantFrom(...HOST_NAMES).chain((host) => {
  const events = Object.keys(HOSTS[host].events)
  const good = events.map((event) => SUBJECTS[host].payloadFor(event))
  return fc.record({
    method: fc.constant('POST'),
    path: fc.oneof(fc.constantFrom(...events, '-'), encoded).map((event) => `/v1/hook/${host}/${event}`),
    headers,
    body: mutated(good),
  })
})

const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH'),
    path,
    headers,
    body: longText,
  }),
  fc.record({ method: fc.constant('GET'), path, headers: fc.constant({}), body: fc.constant('') }),
  fc.record({ method: fc.constant('POST'), path: fc.constant('/v1/dispatch'), headers, body: jsonText(step) }),
  hookCall,
)

const httpTarget: FuzzTarget<[boolean, Asked]> = {
  name: 'daemon, requests',
  input: fc.tuple(fc.boolean(), asked),
  cost: 20,
  open: async () => {
    const daemon = await new ServedHome().start()
    return {
      close: () => daemon.close(),
      check: async ([isLocal, what]) => {
        // fetch and browsers send no body with these, and Node's client refuses to.
        const sent = ['GET', 'HEAD'].includes(what.method) ? { ...what, body: '' } : what
        const status = await daemon.ask(isLocal, sent)
        assert.ok(status >= 200 && status < 500, `answered with ${status}`)
        await daemon.assertWell()
      },
    }
  },
}

const RAW = [
  'GET /health HTTP/1.1\r\nHost: AUTHORITY\r\n\r\n',
  'GET /v1/stream HTTP/1.1\r\nHost: AUTHORITY\r\nAuthorization: TOKEN\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  'GET //[ HTTP/1.1\r\nHost: AUTHORITY\r\nAuthorization: TOKEN\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'POST /v1/dispatch HTTP/1.1\r\nHost: AUTHORITY\r\nAuthorization: TOKEN\r\nContent-Length: 10\r\n\r\n{"a":1}',
  'POST /v1/hook/claude/- HTTP/1.1\r\nHost: AUTHORITY\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n4\r\nabcd\r\n0\r\n\r\n',
]

// Whatever comes over a connection, it is the only one that suffers.
const bytesTarget: FuzzTarget<[boolean, string]> = {
  name: 'daemon, bytes',
  input: fc.tuple(fc.boolean(), fc.oneof(fc.constantFrom(...RAW), mutated(RAW), longText)),
  cost: 20,
  open: async () => {
    const daemon = await new ServedHome().start()
    return {
      close: () => daemon.close(),
      check: async ([isLocal, text]) => {
        const bytes = text.replace('AUTHORITY', daemon.authority).replace('TOKEN', daemon.authorization)
        await new Promise<void>((resolve) => {
          const { socketPath, ...port } = daemon.place(isLocal)
          const place = socketPath === undefined ? port : { path: socketPath }
          const socket = connect(place as NetConnectOpts, () => socket.end(bytes, 'latin1'))
          // Half-closed: the daemon answers what it got and closes; one that waits for more is not waited for.
          const timer = setTimeout(() => socket.destroy(), 100)
          socket.resume().on('error', () => undefined)
          socket.on('close', () => {
            clearTimeout(timer)
            resolve()
          })
        })
        await daemon.assertWell()
      },
    }
  },
}

const frame = fc.oneof(longText, fc.uint8Array({ maxLength: 200 }), fc.constant('x'.repeat(10_000)))

const streamTarget: FuzzTarget<[boolean, string, (string | Uint8Array)[]]> = {
  name: 'daemon, stream',
  input: fc.tuple(fc.boolean(), query, fc.array(frame, { maxLength: 3 })),
  cost: 30,
  open: async () => {
    const daemon = await new ServedHome().start()
    return {
      close: () => daemon.close(),
      check: async ([isLocal, search, frames]) => {
        const { socketPath } = daemon.place(true)
        const at = isLocal
          ? `ws+unix://${socketPath}:/v1/stream${search}`
          : `ws://${daemon.authority}/v1/stream${search}`
        const client = new WebSocket(at, { headers: { authorization: daemon.authorization } })
        const closed = new Promise((resolve) => client.on('close', resolve))
        const hello = await new Promise<string>((resolve, reject) => {
          client.on('message', (data) => resolve(String(data)))
          client.on('error', reject)
        })
        assert.equal((JSON.parse(hello) as { type: string }).type, 'hello')
        client.removeAllListeners('error').on('error', () => undefined)
        for (const one of frames) client.send(one)
        client.close()
        await closed
        await daemon.assertWell()
      },
    }
  },
}

export const DAEMON: readonly FuzzTarget[] = [
  httpTarget as FuzzTarget,
  bytesTarget as FuzzTarget,
  streamTarget as FuzzTarget,
]
