// Hook calls on the socket, which are answered without the framework, beside the same on the port, which are not.

import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../../test/supervised-home.ts'
import { Approvals } from '../../../approvals/approvals.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { newId } from '../../../platform/ids.ts'
import { HOOK_WIRE_TYPE, HOST_JSON_TYPE } from '../../../protocol/hook-wire.ts'
import { SqliteStateStore } from '../../../storage/sqlite/state-store.ts'
import { canonicalize } from '../../../trace/canonical.ts'
import { type Daemon, startDaemon } from '../../server.ts'

let at: SupervisedHome
let daemon: Daemon

beforeEach(async () => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
  const options = { home: at.home, version: '1.2.3', port: 0, report: () => undefined }
  daemon = (await startDaemon({ ...options, admission: { maxCalls: 3, maxBytes: 64 * 1024 * 1024 } })) as Daemon
})

afterEach(async () => {
  await daemon.stop()
  at.remove()
})

interface Sent {
  readonly path?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Each part is written separately. */
  readonly parts?: readonly string[]
  /** Without a length. */
  readonly isChunked?: boolean
}

type Road = 'socket' | 'port'

// However slow the machine is.
const SOON = { timeout: 20_000 }

let calls = 0

function payload(command: string): string {
  const call = { session_id: 's', cwd: at.project, hook_event_name: 'PreToolUse', tool_use_id: `t${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

async function send(road: Road, { path = '/v1/hook/claude/PreToolUse', parts = [], ...sent }: Sent): Promise<unknown> {
  const { hostname, port } = new URL(daemon.url)
  const token = daemon.token
  const where = road === 'socket' ? { socketPath: daemon.socket } : { host: hostname, port }
  const length = sent.isChunked === true ? {} : { 'content-length': String(Buffer.byteLength(parts.join(''))) }
  const headers = { authorization: `Bearer ${token}`, accept: sent.accept ?? '*/*', ...length, ...sent.headers }
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, path, method: 'POST', headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      response.on('close', () => {
        const { 'content-type': type, 'cache-control': cache, 'retry-after': retry } = response.headers
        const safe = [response.headers['x-content-type-options'], response.headers['cross-origin-resource-policy']]
        // Each has a unique id.
        const text = body.replaceAll(/01[0-9A-HJKMNP-TV-Z]{24}/g, 'ID')
        resolve({ status: response.statusCode, type, cache, retry, safe, text })
      })
    })
    asked.on('error', reject)
    void (async () => {
      for (const part of parts) {
        asked.write(part)
        await new Promise((done) => setTimeout(done, 20))
      }
      asked.end()
    })()
  })
}

describe('a hook call gets on the socket what it gets on the port', () => {
  const DANGER = 'git reset --hard && rm -rf /'
  const cases: readonly (readonly [string, () => Sent])[] = [
    ['one that passes', () => ({ parts: [payload('ls')] })],
    ['one that is stopped', () => ({ parts: [payload(DANGER)] })],
    ["in the host's own JSON", () => ({ parts: [payload(DANGER)], accept: HOST_JSON_TYPE })],
    ['in the form for a shell', () => ({ parts: [payload(DANGER)], accept: HOOK_WIRE_TYPE })],
    ['without an event', () => ({ parts: [payload(DANGER)], path: '/v1/hook/claude' })],
    ['with the event left open', () => ({ parts: [payload(DANGER)], path: '/v1/hook/claude/-' })],
    ['with an event that is quoted', () => ({ parts: [payload(DANGER)], path: '/v1/hook/claude/Pre%54oolUse' })],
    ['with a folder that headers cannot hold', () => ({ parts: ['{}'], headers: { 'x-arc-cwd': '%2Ftmp%2F%C3%BC' } })],
    ['that comes in parts', () => ({ parts: [payload(DANGER).slice(0, 30), payload(DANGER).slice(30)] })],
    ['of a length that is not told', () => ({ parts: [payload('ls')], isChunked: true })],
    ['that is empty', () => ({ parts: [] })],
    ['that is no JSON', () => ({ parts: ['{"half'] })],
    ['of a host that nobody knows', () => ({ parts: ['{}'], path: '/v1/hook/cluade/x' })],
    ['that is not there', () => ({ parts: ['{}'], path: '/v1/hook/claude/x/y' })],
    ['that would be too large', () => ({ parts: [], headers: { 'content-length': String(17 * 1024 * 1024) } })],
  ]
  it.each(cases)('%s', async (_title, make) => {
    calls = 0
    const onPort = await send('port', make())
    calls = 100
    const onSocket = await send('socket', make())
    expect(onSocket).toEqual(onPort)
    expect(onSocket).toMatchObject({ cache: 'no-store', safe: ['nosniff', 'same-origin'] })
  })

  it('one for which there is no room, until those before it are answered', async () => {
    const held = Array.from({ length: 3 }, () =>
      send('socket', { path: '/v1/hook/codex/PreToolUse', parts: [heldCall()] }),
    )
    const ask = async () => (await send('socket', { parts: [payload('ls')] })) as object
    await expect.poll(ask, SOON).toMatchObject({ status: 503, retry: '1' })
    for (const accept of ['*/*', HOST_JSON_TYPE]) {
      const [onPort, onSocket] = [
        await send('port', { parts: ['{}'], accept }),
        await send('socket', { parts: ['{}'], accept }),
      ]
      expect(onSocket).toEqual(onPort)
    }
    const isFree = async (): Promise<boolean> => {
      denyAll()
      return ((await ask()) as { status: number }).status === 200
    }
    await expect.poll(isFree, SOON).toBe(true)
    expect(await Promise.all(held)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }])
  })

  // Codex shows no prompt, so the daemon waits for the answer.
  function heldCall(): string {
    return payload(`npm publish --tag t${++calls}`)
  }

  function denyAll(): void {
    const state = new SqliteStateStore(join(at.home, 'arc.db'))
    const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
    for (const { id } of approvals.pending()) approvals.answer(id, 'deny')
    state.close()
  }
})
