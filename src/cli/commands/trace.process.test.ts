// The record against somebody who can write to the database: real hooks, a real daemon, and a program that edits the file.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ARC, jsonLines, onlyJson, runArc } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { Database } from '../../storage/sqlite/driver/driver.ts'
import { loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { linkHash } from '../../trace/chain.ts'

let root: string
let home: string
let state: string
let daemon: ChildProcess | undefined
let calls = 0

beforeEach(() => {
  root = makeTempFolder('arc-record-')
  home = join(root, 'home')
  state = join(root, 'state')
  mkdirSync(join(home, 'profiles'), { recursive: true })
  setProfile({ enforcement: 'log' })
})

afterEach(async () => {
  await stopDaemon()
})

function setProfile(profile: object): void {
  writeFileSync(join(home, 'profiles/default.json'), JSON.stringify(profile))
}

const env = (): Record<string, string> => ({ XDG_STATE_HOME: state, ARC_DAEMON: 'ask' })

// Hooks are separate processes, as hosts start them.
const arc = (args: readonly string[], input = '') =>
  (args[0] === 'hook' ? runArc : runArcInProcess)(args, { home, input, cwd: root, env: env() })

// Different calls: equal ones that come at once count as one.
function payload(command: string, session = 's'): string {
  const call = { session_id: session, cwd: root, hook_event_name: 'PreToolUse', tool_name: 'Bash' }
  return JSON.stringify({ ...call, tool_use_id: `call-${++calls}`, tool_input: { command } })
}

async function hook(command: string, session = 's'): Promise<void> {
  expect((await arc(['hook', 'claude'], payload(command, session))).code).toBe(0)
}

interface Verified {
  readonly ok: boolean
  readonly records: number
  readonly firstBad?: unknown
  readonly anchors: {
    readonly checked: number
    readonly mismatch?: {
      readonly kind: string
      readonly message: string
      readonly expected?: { readonly source: string }
    }
    readonly setAside: readonly string[]
  }
}

async function verify(...more: string[]): Promise<Verified & { readonly code: number | null }> {
  const ran = await arc(['trace', 'verify', '--json', ...more])
  return { ...onlyJson<Verified & Record<string, unknown>>(ran), code: ran.code }
}

async function startDaemon(): Promise<void> {
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], {
    cwd: root,
    env: { ...process.env, ...env(), ARC_HOME: home, ARC_PROFILE: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  daemon = child
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', (text) => {
      said += text
      if (said.includes('socket')) resolve()
    })
    child.on('exit', () => reject(new Error(`the daemon ended: ${said}`)))
  })
}

async function stopDaemon(): Promise<void> {
  const child = daemon
  daemon = undefined
  if (child === undefined || child.exitCode !== null) return
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + 100_000; Date.now() < end; ) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('not within 100 s')
}

const file = (): string => join(home, 'arc.db')

// The whole database in one file, so that it can be copied.
function withDatabase<T>(work: (db: Database) => T): T {
  const db = loadDriver().open(file(), { timeoutMs: 5_000 })
  try {
    const result = work(db)
    db.pragma('wal_checkpoint(TRUNCATE)')
    return result
  } finally {
    db.close()
  }
}

// What an attacker does who knows the format: every body changed as wanted, every hash right.
function rewrite(change: (text: string) => string): void {
  const texts = exportedTexts().map(change)
  withDatabase((db) => {
    let last = '0'.repeat(64)
    const set = db.prepare('UPDATE trace SET body = ?, session = ?, hash = ? WHERE seq = ?')
    for (const [at, text] of texts.entries()) {
      last = linkHash(last, text)
      set.run(text, (JSON.parse(text) as { session?: string }).session ?? null, last, at + 1)
    }
    db.prepare(`UPDATE trace_end SET hash = ? WHERE name = 'head'`).run(last)
  })
}

// The whole texts of all records.
function exportedTexts(): string[] {
  const store = new SqliteTraceStore(file())
  const lines = [...store.export()]
  store.close()
  return lines.map((line) => canonicalize((JSON.parse(line) as { record: unknown }).record))
}

// The last records gone, and the end of the chain where it then ends.
function cutTail(count: number): void {
  withDatabase((db) => {
    const head = db.prepare<[], { seq: number }>(`SELECT seq FROM trace_end WHERE name = 'head'`).get()?.seq ?? 0
    db.prepare('DELETE FROM trace WHERE seq > ?').run(head - count)
    const last = db
      .prepare<[], { seq: number; hash: string; clock: number }>('SELECT * FROM trace ORDER BY seq DESC')
      .get()
    db.prepare(`UPDATE trace_end SET seq = ?, hash = ?, clock = ? WHERE name = 'head'`).run(
      last?.seq,
      last?.hash,
      last?.clock,
    )
  })
}

function removeDatabase(): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file()}${end}`, { force: true })
}

const anchorsAtHome = (): string => join(home, 'anchors')
const copies = (): string => join(state, 'arc')

// Has the daemon noted the end of the chain as it is now?
function isNoted(): boolean {
  if (!existsSync(anchorsAtHome())) return false
  const last = readFileSync(join(anchorsAtHome(), 'trace.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? ''
  const head = withDatabase((db) =>
    db.prepare<[], { seq: number }>(`SELECT seq FROM trace_end WHERE name = 'head'`).get(),
  )
  return last.includes(`"seq":${head?.seq},`)
}

async function mismatches(): Promise<Record<string, unknown>[]> {
  return jsonLines((await arc(['logs', '--action', 'trace:mismatch', '--json'])).stdout)
}

describe('G10 arc trace verify', () => {
  it('G10 finds nothing wrong without a home, and creates none', async () => {
    const missing = join(home, 'missing')
    const { code, stdout } = await runArc(['trace', 'verify', '--json'], { home: missing, cwd: root, env: env() })
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        ...{ ok: true, records: 0, anchors: { checked: 0, setAside: [] } },
        gaps: { recorded: 0, lost: 0, pending: [] },
      },
    ])
    expect(existsSync(missing)).toBe(false)
  })

  it('G10 reports ok for an unchanged trace, with the number of matching anchors', async () => {
    await hook('ls')
    await hook('pwd')
    const found = await verify()
    expect(found).toMatchObject({ code: 0, ok: true })
    expect(found.records).toBeGreaterThan(2)
    expect(found.anchors.checked).toBeGreaterThan(1)
    expect(found.anchors.mismatch).toBeUndefined()
    expect((await arc(['trace', 'verify'])).stderr).toMatch(/ok: \d+ records, hash chain intact, \d+ anchors match/)
  })

  it('G10 notices a chain that was rewritten as a whole with valid hashes', async () => {
    await hook('ls')
    await hook('rm -rf build')
    rewrite((body) => body.replaceAll('rm -rf build', 'rm -rf bulld'))
    const found = await verify()
    expect(found).toMatchObject({ code: 1, ok: false, anchors: { mismatch: { kind: 'rewritten' } } })
    // The chain alone says nothing.
    expect(found.firstBad).toBeUndefined()
    expect((await arc(['trace', 'verify'])).stderr).toContain('rewritten: ')
  })

  it('G10 notices a tail that was cut off, also after more was recorded', async () => {
    await hook('ls')
    await hook('rm -rf build')
    cutTail(1)
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'shortened' } } })
    const { stdout, stderr } = await arc(['hook', 'claude'], payload('pwd'))
    expect(`${stdout}${stderr}`).toContain('shortened')
    expect(await mismatches()).toMatchObject([{ level: 'error', component: 'trace' }])
    await hook('ls -l')
    expect((await mismatches()).length).toBe(1)
    expect(await verify()).toMatchObject({ code: 1, ok: false })
    expect((await arc(['doctor', '--json'])).stdout).toMatch(/"name":"record","ok":false/)
    expect(onlyJson(await arc(['status', '--json'])).recordMismatch).toMatch(/rewritten|shortened/)
  })

  it('G10 notices an older copy that was put in place while no daemon runs', async () => {
    await hook('ls')
    withDatabase(() => undefined)
    copyFileSync(file(), join(root, 'old.db'))
    await hook('rm -rf build')
    removeDatabase()
    copyFileSync(join(root, 'old.db'), file())
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'shortened' } } })
  })

  it('G10 notices a database that was swapped while a daemon runs', async () => {
    // Older than the one it takes the place of.
    const other = join(root, 'other')
    mkdirSync(other)
    const foreign = { home: other, cwd: root, env: { ...env(), ARC_DAEMON: 'off' }, input: payload('ls') }
    expect((await runArc(['hook', 'claude'], foreign)).code).toBe(0)
    await startDaemon()
    await hook('ls')
    await until(isNoted)
    for (const end of ['-wal', '-shm']) rmSync(`${file()}${end}`, { force: true })
    copyFileSync(join(other, 'arc.db'), join(root, 'new.db'))
    renameSync(join(root, 'new.db'), file())
    await hook('pwd')
    await until(async () => (await mismatches()).length > 0)
    expect(await verify()).toMatchObject({ code: 1, ok: false, anchors: { mismatch: { kind: 'swapped' } } })
    await stopDaemon()
    expect(await verify()).toMatchObject({ code: 1, ok: false })
  })

  it('G10 notices a shorter chain in the file that a daemon has open', async () => {
    await startDaemon()
    await hook('ls')
    await hook('rm -rf build')
    await until(isNoted)
    cutTail(2)
    await until(async () => (await mismatches()).length > 0)
    expect(await verify()).toMatchObject({ code: 1 })
  })

  it('G10 notices a database that was removed, before and after another was started', async () => {
    await hook('ls')
    removeDatabase()
    expect(await verify()).toMatchObject({ code: 1, records: 0, anchors: { mismatch: { kind: 'removed' } } })
    await hook('pwd')
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'removed' } } })
  })

  it('G10 names a damaged database that was set aside', async () => {
    await hook('ls')
    withDatabase(() => undefined)
    writeFileSync(file(), Buffer.concat([Buffer.from('not a database'), readFileSync(file()).subarray(14)]))
    const found = await verify()
    expect(found).toMatchObject({ code: 1, ok: false })
    expect(found.anchors.setAside).toEqual([expect.stringContaining('arc.db.corrupt-')])
    await hook('pwd')
    expect((await verify()).anchors.mismatch?.kind).toBe('removed')
  })

  it('G10 compares with the copy outside when the anchors of the home, or the whole home, are removed', async () => {
    await hook('ls')
    await hook('rm -rf build')
    expect(readdirSync(copies()).filter((name) => name.startsWith('anchors-'))).toHaveLength(1)
    rmSync(anchorsAtHome(), { recursive: true })
    cutTail(1)
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'shortened' } } })
    rmSync(home, { recursive: true })
    mkdirSync(join(home, 'profiles'), { recursive: true })
    setProfile({ enforcement: 'log' })
    await hook('pwd')
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'removed' } } })
  })

  it('G10 notices that all anchors were removed', async () => {
    await hook('ls')
    rmSync(anchorsAtHome(), { recursive: true })
    rmSync(copies(), { recursive: true })
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'unanchored' } } })
    await hook('pwd')
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'unanchored' } } })
  })

  it('G10 fails on a database that is younger than its home', async () => {
    await startDaemon()
    await stopDaemon()
    const token = join(home, 'run/token')
    const old = new Date(Date.now() - 86_400_000)
    if (!existsSync(token)) writeFileSync(token, 'x', { mode: 0o600 })
    utimesSync(token, old, old)
    expect(statSync(token).mtimeMs).toBeLessThan(Date.now() - 80_000_000)
    removeDatabase()
    rmSync(anchorsAtHome(), { recursive: true, force: true })
    rmSync(copies(), { recursive: true, force: true })
    await hook('ls')
    expect(await verify()).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'younger' } } })
  })

  it('G10 keeps verifying after old records were removed by retention', async () => {
    for (const command of ['ls', 'pwd', 'id', 'date']) await hook(command)
    const { SqliteTraceStore } = await import('../../storage/sqlite/trace-store.ts')
    const store = new SqliteTraceStore(file())
    expect(store.retain({ maxBytes: 3_000, now: Date.now(), id: 'cut' }).removed).toBeGreaterThan(0)
    store.close()
    await hook('ls -l')
    expect(await verify()).toMatchObject({ code: 0, ok: true })
  })

  it('G10 compares with anchors in another file, which the daemon writes where the profile says so', async () => {
    const received: string[] = []
    const server = createServer((asked, answer) => {
      asked.on('data', (part) => received.push(String(part)))
      asked.on('end', () => answer.end('ok'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const elsewhere = join(root, 'elsewhere/anchors.jsonl')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/anchors`
    setProfile({ enforcement: 'log', trace: { anchors: [`file:${elsewhere}`, url] } })
    await startDaemon()
    await hook('rm -rf build')
    await stopDaemon()
    server.close()
    const last = JSON.parse(received.at(-1) ?? '{}') as Record<string, unknown>
    expect(last).toMatchObject({ arc: 'anchor', seq: expect.any(Number), hash: expect.any(String) })
    expect(await verify()).toMatchObject({ code: 0, ok: true })
    rmSync(anchorsAtHome(), { recursive: true })
    rmSync(copies(), { recursive: true })
    rewrite((body) => body.replaceAll('rm -rf build', 'rm -rf bulld'))
    const found = await verify()
    expect(found).toMatchObject({
      code: 1,
      anchors: { mismatch: { kind: 'rewritten', expected: { source: elsewhere } } },
    })
    // Also by hand, in the form of a system log.
    setProfile({ enforcement: 'log' })
    const log = join(root, 'syslog')
    writeFileSync(log, readFileSync(elsewhere, 'utf8').replaceAll(/^/gm, 'Jan  1 00:00:00 host arc-anchor[1]: '))
    expect(await verify('--anchors', log)).toMatchObject({ code: 1, anchors: { mismatch: { kind: 'rewritten' } } })
    expect((await arc(['trace', 'verify', '--anchors', join(root, 'none')])).code).toBe(1)
  })
})

describe('G10 what the database holds', () => {
  const secrets = [`gh${'p'}_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`, `Zq9-${'hunter'}22-Wq7`]
  const [token = '', password = ''] = secrets

  function texts(): string {
    return withDatabase((db) => {
      const rows = ['trace', 'state', 'task', 'task_record', 'bus_message'].flatMap((table) =>
        db.prepare(`SELECT * FROM ${table}`).all(),
      )
      return JSON.stringify(rows)
    })
  }

  it('G10 has no secrets in trace, state, tasks and messages, and every path', async () => {
    setProfile({ enforcement: 'enforce' })
    await arc(['hook', 'claude'], payload(`cd ${root}/src && DB_PASS=${password} deploy --key ${token}`))
    // Held, so that it is in the state as well.
    await arc(['hook', 'claude'], payload(`DB_PASS=${password} GH=${token} git reset --hard`))
    const text = `log in with password ${token}, DB_PASS=${password}`
    const task = onlyJson(await arc(['task', 'delegate', '--from', 'a', '--to', 'b', '--json', text]))
    expect(task.description).toContain('[redacted]')
    const id = String(task.id)
    expect((await arc(['task', 'accept', id, '--as', 'b'])).code).toBe(0)
    expect((await arc(['task', 'complete', id, '--as', 'b', `done with DB_PASS=${password}`])).code).toBe(0)
    const all = texts()
    expect(all).toContain('[redacted]')
    for (const secret of secrets) expect(all).not.toContain(secret)
    expect(all).toContain(`cd ${root}/src`)
    expect(all).toContain(`"workspace\\":\\"${root}`)
    const logs = await arc(['logs', '--json'])
    expect(logs.stdout).not.toContain(password)
  })
})

describe('G10 where records come from', () => {
  function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const asked = request({ socketPath: join(home, 'run/arc.sock'), path, method: 'POST', headers }, (answer) => {
        let text = ''
        answer.on('data', (part) => {
          text += part
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      })
      asked.on('error', reject)
      asked.end(JSON.stringify(body))
    })
  }

  const steps = () =>
    exportedTexts()
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .filter(({ kind, point }) => kind === 'step' && point === 'pre:tool')

  it('G10 tells hooks with and without a daemon and other programs apart', async () => {
    await hook('ls')
    await startDaemon()
    await hook('pwd')
    const step = { point: 'pre:tool', data: { tool: 'shell', args: { command: 'id' } }, session: 'other' }
    expect((await post('/v1/dispatch', step)).status).toBe(200)
    await stopDaemon()
    const [alone, served, sent] = steps()
    expect(alone).toMatchObject({ via: 'hook', host: 'claude', process: { recordedBy: expect.any(Number) } })
    expect(served).toMatchObject({ via: 'daemon-hook', host: 'claude', process: { pid: expect.any(Number) } })
    expect(sent).toMatchObject({ via: 'dispatch', session: 'other', process: { connection: 'socket' } })
  })

  it('G10 lets no program write records of a session, a host or an id that a host has', async () => {
    await startDaemon()
    await hook('ls', 'mine')
    const [known] = steps()
    const data = { tool: 'shell', args: { command: 'rm -rf build' } }
    const forged = { point: 'pre:tool', data, session: 'mine', host: 'claude' }
    expect((await post('/v1/dispatch', forged)).status).toBe(200)
    const refused = await post('/v1/dispatch', { ...forged, id: known?.id })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('ARC_ID_TAKEN') })
    expect((await post('/v1/dispatch', { ...forged, id: `${known?.id}.1` })).status).toBe(400)
    await stopDaemon()
    expect(steps().filter(({ session }) => session === 'mine')).toHaveLength(1)
    expect(steps().at(-1)).toMatchObject({ via: 'dispatch', session: 'dispatch:mine', host: 'dispatch:claude' })
  })
})
