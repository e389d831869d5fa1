// Steps that cannot be recorded, through a real daemon and through `arc hook`: on a disk that is really full, and with a
// database that somebody else keeps locked.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { answerHookCall } from '../src/daemon/hook-call/answer.ts'
import { createSingleProvider } from '../src/daemon/hook-call/supervisor-provider.ts'
import { type Daemon, startDaemon } from '../src/daemon/server.ts'
import type { HookReply } from '../src/protocol/hook-wire.ts'
import type { Database } from '../src/storage/sqlite/driver/driver.ts'
import { loadDriver } from '../src/storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../src/storage/sqlite/trace-store.ts'
import { runArc } from './run-arc.ts'
import { makeHome, type SupervisedHome } from './supervised-home.ts'

const MB = 1024 * 1024
const NOT_RECORDED = /not on record/

let place: SupervisedHome
let daemon: Daemon | undefined
let told: string[] = []
let calls = 0

beforeEach(() => {
  place = makeHome()
  mkdirSync(place.home)
  told = []
})
afterEach(async () => {
  await daemon?.stop()
  daemon = undefined
  spawnSync('umount', ['-l', place.home])
  place.remove()
})

// A small separate disk. Only root can mount one.
function mountHome(bytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', place.home]).status === 0
}

function configure(settings: object, home = place.home): void {
  mkdirSync(join(home, 'profiles'), { recursive: true })
  writeFileSync(join(home, 'profiles/default.json'), JSON.stringify(settings))
}

async function serve(): Promise<Daemon> {
  const report = (message: string): void => void told.push(message)
  const started = await startDaemon({ home: place.home, version: '0', port: 0, report })
  if (!('stop' in started)) throw new Error(`a daemon is ${started.is}`)
  daemon = started
  return started
}

function payload(command = 'ls'): string {
  calls++
  const call = { hook_event_name: 'PreToolUse', session_id: 's', tool_use_id: `call-${calls}`, cwd: place.project }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

function call({ socket }: Daemon, command?: string): Promise<HookReply> {
  const body = payload(command)
  const headers = { 'content-length': Buffer.byteLength(body) }
  const options = { socketPath: socket, path: '/v1/hook/claude/PreToolUse', method: 'POST', headers }
  return new Promise((resolve, reject) => {
    const sent = request(options, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      resolve(JSON.parse(Buffer.concat(parts).toString()) as HookReply)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const isDenied = ({ stdout }: HookReply): boolean => stdout.includes('"deny"')

// Takes all space that is left, in large steps first.
function fill(): void {
  const filler = join(place.home, 'filler')
  for (const bytes of [MB, 64 * 1024, 4096, 512]) {
    for (;;) {
      try {
        writeFileSync(filler, Buffer.alloc(bytes, 1), { flag: 'a' })
      } catch {
        break
      }
    }
  }
}

function release(): void {
  rmSync(join(place.home, 'filler'))
}

function lock(home = place.home): Database {
  const db = loadDriver().open(join(home, 'arc.db'))
  db.exec('BEGIN IMMEDIATE')
  return db
}

function trace<T>(read: (store: SqliteTraceStore) => T): T {
  const store = new SqliteTraceStore(join(place.home, 'arc.db'))
  try {
    return read(store)
  } finally {
    store.close()
  }
}

const steps = (): string[] =>
  trace((store) => store.records({ steps: true, session: 's', limit: 100_000 }))
    .filter(({ kind }) => kind === 'step')
    .map(({ id }) => id)

const gaps = () =>
  trace((store) => store.records({ action: 'trace:gap' })).map(({ metadata }) => metadata as Record<string, unknown>)

it('Z1 on a full disk the reserve is used first; then the reply says so and denies, and a gap is recorded before what was kept', async (test) => {
  if (!mountHome(16 * MB)) return test.skip('only root can mount a small disk')
  configure({ enforcement: 'enforce' })
  const running = await serve()
  expect(isDenied(await call(running))).toBe(false)
  expect(existsSync(join(place.home, 'reserve'))).toBe(true)
  fill()
  // The reserve takes some more steps.
  const first = await call(running)
  expect(isDenied(first)).toBe(false)
  expect(existsSync(join(place.home, 'reserve'))).toBe(false)
  let sent = 2
  let reply = first
  for (; !isDenied(reply) && sent < 5_000; sent++) reply = await call(running)
  expect(reply.stdout).toMatch(NOT_RECORDED)
  expect(reply.stdout).not.toMatch(/arc why/)
  const denied = await call(running, 'rm -rf /')
  sent++
  expect(denied.stdout).toMatch(NOT_RECORDED)
  expect(denied.stdout).not.toMatch(/arc why/)
  expect(told.join('\n')).toMatch(/could not be written/)
  const status = await runArc(['status'], { home: place.home })
  expect(status.stdout).toMatch(/not recorded yet/)
  release()
  await vi.waitFor(() => expect(steps()).toHaveLength(sent), 20_000)
  // Space may come and go while the last entries are written: each gap says that nothing is lost.
  expect(gaps().length).toBeGreaterThan(0)
  for (const gap of gaps()) expect(gap).toMatchObject({ lost: 0, late: gap.count, why: expect.stringMatching(/full/) })
  expect(trace((store) => store.verify())).toMatchObject({ ok: true })
  expect(isDenied(await call(running))).toBe(false)
  const verified = await runArc(['trace', 'verify', '--json'], { home: place.home })
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, gaps: { recorded: gaps().length, lost: 0 } })
}, 120_000)

it('Z1 a database that is locked for long blocks no other work; the reply is in time and says that nothing is recorded', async () => {
  configure({ enforcement: 'enforce' })
  const running = await serve()
  await call(running)
  const locked = lock()
  const order: string[] = []
  const waiting = [1, 2, 3].map(() => call(running).finally(() => order.push('call')))
  // Answered while the calls wait.
  for (let at = 0; at < 3; at++) {
    await fetch(`${running.url}/health`)
    order.push('health')
  }
  const replies = await Promise.all(waiting)
  expect(order).toEqual(['health', 'health', 'health', 'call', 'call', 'call'])
  for (const reply of replies) {
    expect(isDenied(reply)).toBe(true)
    expect(reply.stdout).toMatch(NOT_RECORDED)
  }
  locked.close()
  await vi.waitFor(() => expect(steps()).toHaveLength(4), 10_000)
  expect(gaps()).toMatchObject([{ count: expect.any(Number), lost: 0 }])
}, 60_000)

it('Z1 a lock that ends in time is waited for: the step is recorded and the reply is as always', async () => {
  configure({ enforcement: 'enforce' })
  const running = await serve()
  const locked = lock()
  setTimeout(() => locked.close(), 1_500)
  const reply = await call(running)
  expect(isDenied(reply)).toBe(false)
  expect(reply.stdout).not.toMatch(NOT_RECORDED)
  expect(steps()).toHaveLength(1)
  expect(gaps()).toEqual([])
}, 60_000)

it('Z1 a call that another process evaluates while it keeps the database locked is claimed after the lock, and recorded once', async () => {
  configure({ enforcement: 'enforce' })
  const repeated = { host: 'claude' as const, event: 'PreToolUse', payload: payload(), cwd: place.project }
  // As `arc hook` without a daemon.
  const hook = async (): Promise<HookReply> => {
    const provider = createSingleProvider((message) => told.push(message), place.home)
    try {
      return await answerHookCall(repeated, provider)
    } finally {
      await provider.close()
    }
  }
  await hook()
  // The claim and the outcome of the first are committed when the lock ends, as by a daemon that was stopped in between.
  const other = loadDriver().open(join(place.home, 'arc.db'))
  other.exec("CREATE TEMP TABLE kept AS SELECT * FROM state WHERE key LIKE 'call:%'")
  other.exec("DELETE FROM state WHERE key LIKE 'call:%'")
  other.exec('BEGIN IMMEDIATE; INSERT INTO state SELECT * FROM kept')
  // Longer than a write of the state blocks.
  setTimeout(() => other.exec('COMMIT'), 1_500)
  expect((await hook()).stdout).not.toMatch(NOT_RECORDED)
  expect(steps()).toHaveLength(1)
  other.close()
}, 60_000)

it('Z1 arc hook without a daemon leaves a note on a full disk; the next process that can write records the gap', async (test) => {
  if (!mountHome(8 * MB)) return test.skip('only root can mount a small disk')
  configure({ enforcement: 'enforce' })
  const hook = () => runArc(['hook', 'claude'], { home: place.home, input: payload() })
  expect((await hook()).stdout).not.toContain('"deny"')
  fill()
  const reply = await hook()
  expect(reply.stdout).toContain('"deny"')
  expect(reply.stdout).toMatch(NOT_RECORDED)
  const doctor = await runArc(['doctor', '--json'], { home: place.home })
  // Its own record of the gap may be small enough to fit.
  expect(doctor.stdout).toMatch(/not recorded yet|1 gap in the trace/)
  release()
  expect((await hook()).stdout).not.toContain('"deny"')
  expect(gaps()).toMatchObject([{ count: expect.any(Number), late: 0, why: expect.any(String) }])
  expect(steps()).toHaveLength(2)
}, 120_000)

// Each waits for the lock until its time is over: all at the same time.
it.concurrent.each([
  ['log', undefined, false],
  ['enforce', 'allow', false],
  ['advise', 'deny', true],
] as const)(
  'Z1 in %s with onUnrecorded %s a step that cannot be recorded is denied: %s',
  async (enforcement, onUnrecorded, isDeny) => {
    const own = makeHome()
    const home = own.home
    configure({ enforcement, ...(onUnrecorded !== undefined && { onUnrecorded }) }, home)
    await runArc(['hook', 'claude'], { home, input: payload() })
    const locked = lock(home)
    const reply = await runArc(['hook', 'claude'], { home, input: payload() })
    locked.close()
    own.remove()
    expect(reply.stdout.includes('"deny"')).toBe(isDeny)
    expect(`${reply.stdout}${reply.stderr}`).toMatch(/not on record/)
  },
  60_000,
)
