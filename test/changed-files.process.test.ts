// The database files of a real daemon are removed, replaced, cut or changed while it answers calls. One daemon for all of it:
// each fault begins where the one before ended.

import { readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { loadDriver } from '../src/storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../src/storage/sqlite/trace-store.ts'
import { stepEntry } from '../src/testing/step-entry.ts'
import { collectGarbage } from './each-driver.ts'
import { runArcInProcess } from './run-in-process.ts'
import { type ServedHome, serveHome } from './served-home.ts'
import { makeTempFolder } from './temp-folder.ts'

let served: ServedHome
let database = ''
let sent = 0

beforeAll(async () => {
  served = await serveHome()
  database = join(served.home, 'arc.db')
})
afterAll(() => served.stop())

/** Sends a call; returns its command and the decision. */
async function call(): Promise<{ readonly command: string; readonly decision: string }> {
  const command = `echo call-${++sent}`
  return { command, decision: await served.decide(served.root, command) }
}

// As another process sees it. No connection of this process stays behind: it would keep the files that are removed.
async function read<T>(work: (store: SqliteTraceStore) => T): Promise<T> {
  const store = new SqliteTraceStore(database)
  try {
    return work(store)
  } finally {
    store.close()
    await collectGarbage(database)
  }
}

const commands = (): Promise<string[]> =>
  read((store) =>
    store.records({ steps: true, limit: 10_000 }).flatMap((record) => {
      const { args } = ('data' in record ? record.data : {}) as { readonly args?: { readonly command?: string } }
      return args?.command?.startsWith('echo call-') === true ? [args.command] : []
    }),
  )

const reasons = (): Promise<string[]> =>
  read((store) =>
    store.records({ action: 'trace:gap' }).map((record) => ('reason' in record ? (record.reason ?? '') : '')),
  )

it.each([
  ['-wal', ['-wal']],
  ['-shm', ['-shm']],
  ['-wal and -shm', ['-wal', '-shm']],
] as const)(
  'Z6 %s removed under a daemon: calls before and after are on record, once, and the reason',
  async (name, suffixes) => {
    const before = await commands()
    const first = await call()
    for (const suffix of suffixes) rmSync(database + suffix)
    const second = await call()
    expect([first.decision, second.decision]).toEqual(['none', 'none'])
    expect(await commands()).toEqual([...before, first.command, second.command])
    expect((await reasons()).at(-1)).toMatch(new RegExp(`lost its files? ${name}`))
  },
)

it('Z6 the schema of a newer version: the reply says so and denies, status tells, and the call is recorded later', async () => {
  const version = (number: number): number => {
    const db = loadDriver().open(database, { timeoutMs: 5_000 })
    try {
      return Number(db.pragma('user_version'))
    } finally {
      db.pragma(`user_version = ${number}`)
      db.close()
    }
  }
  const known = version(9_999)
  const { command, decision } = await call()
  expect(decision).toBe('deny')
  const { stdout } = await runArcInProcess(['status'], { home: served.home })
  expect(stdout).toMatch(/1 entry is not recorded yet: .*schema version 9999/)
  version(known)
  await vi.waitFor(async () => expect(await commands()).toContain(command), 20_000)
  expect((await reasons()).at(-1)).toMatch(/1 entry was not recorded in time.*schema version 9999/)
  await collectGarbage(database)
})

it('Z6 the database replaced, removed or cut: the next call is on record in the file that is there, and verify tells', async () => {
  const other = join(makeTempFolder('arc-other-'), 'arc.db')
  const store = new SqliteTraceStore(other)
  await store.append(stepEntry({ id: 'other' }))
  store.close()
  await collectGarbage(other)
  const faults = [
    [/was replaced/, () => renameSync(other, database)],
    [/was removed/, () => rmSync(database)],
    [/was cut|was overwritten/, () => truncateSync(database, Math.floor(statSync(database).size / 2))],
  ] as const
  for (const [reason, change] of faults) {
    change()
    const { command, decision } = await call()
    expect(decision).toBe('none')
    expect(await commands()).toEqual([command])
    expect((await reasons()).at(-1)).toMatch(reason)
    // Enough that a part of the file is missing when it is cut.
    for (let at = 0; at < 20; at++) await call()
    await read((at) => expect(at.verify().ok).toBe(true))
  }
  expect(readdirSync(served.home).some((name) => name.startsWith('arc.db.corrupt-'))).toBe(true)
  const verified = await runArcInProcess(['trace', 'verify', '--json'], { home: served.home })
  expect(verified.code).toBe(1)
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: false })
})
