// `arc trace cut` and the daemon's retention, with a real database.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ARC, onlyJson, type Ran, runArc } from '../../../test/run-arc.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { type Daemon, startDaemon } from '../../daemon/server.ts'
import { TraceRetention } from '../../storage/sqlite/trace-retention.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'

const DAY_MS = 86_400_000
let at: SupervisedHome

beforeEach(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'log' })
  askNobody(at.home)
})

afterEach(() => at.remove())

const arc = (...args: string[]): Promise<Ran> => runArc(args, { home: at.home, cwd: at.project })
const file = (): string => join(at.home, 'arc.db')

// The first half is 100 days old.
function fill(steps: number): void {
  const store = new SqliteTraceStore(file())
  const now = Date.now()
  const entries = Array.from({ length: steps }, (_, index) => {
    const time = index < steps / 2 ? now - 100 * DAY_MS : now - DAY_MS
    return stepEntry({ id: `s${index}`, evaluations: [{}], time })
  })
  void appendAll(store, entries)
  store.close()
}

function read<T>(look: (store: SqliteTraceStore) => T): T {
  const store = new SqliteTraceStore(file())
  try {
    return look(store)
  } finally {
    store.close()
  }
}

function readCut(): number {
  const retention = new TraceRetention(file())
  try {
    return retention.usage().cut.seq
  } finally {
    retention.close()
  }
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('Z4 arc trace cut', () => {
  it('removes what the profile does not keep, after an archive, and records who did it', async () => {
    fill(40)
    const archive = join(at.root, 'archive')
    at.write(PROFILE, { enforcement: 'log', trace: { archive } })
    const planned = await arc('trace', 'cut', '--dry-run', '--json')
    expect(onlyJson(planned)).toMatchObject({ dryRun: true, removed: 40, upTo: 40, kept: 40 })
    expect(readCut()).toBe(0)
    const ran = await arc('trace', 'cut', '--json')
    expect({ code: ran.code, ...onlyJson(ran) }).toMatchObject({ code: 0, removed: 40, cut: { seq: 40 } })
    const [name = ''] = readdirSync(archive)
    expect(name).toBe('trace-000000000001-000000000040.jsonl.gz')
    const verified = await arc('trace', 'verify', '--json', '--file', join(archive, name))
    expect({ code: verified.code, ...onlyJson(verified) }).toMatchObject({ code: 0, ok: true, records: 40 })
    expect((await arc('trace', 'verify')).code).toBe(0)
    const [event] = read((store) => store.records({ action: 'trace:cut' }))
    expect(event).toMatchObject({
      metadata: { seq: 40, removed: 40, channel: 'terminal', archives: [join(archive, name)] },
    })
    expect((await arc('trace', 'cut')).stderr).toContain('Nothing to remove.')
  })

  it('takes a time, days or a size instead', async () => {
    fill(40)
    const plan = async (...args: string[]) => onlyJson(await arc('trace', 'cut', '--dry-run', '--json', ...args))
    expect(await plan('--keep-days', '200')).toMatchObject({ removed: 0, kept: 80 })
    expect(await plan('--keep-days', '0.5')).toMatchObject({ removed: 80, kept: 0 })
    expect(await plan('--before', '2d')).toMatchObject({ removed: 40 })
    expect((await plan('--keep-bytes', '90KB')).removed).toBeGreaterThan(0)
    for (const wrong of [
      ['--keep-days', 'x'],
      ['--before', 'soon'],
      ['--keep-bytes', '-1'],
    ]) {
      const ran = await arc('trace', 'cut', '--dry-run', ...wrong)
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('ARC_OPTION_INVALID')])
    }
  })

  it('removes nothing when the archive cannot be written', async () => {
    fill(40)
    writeFileSync(join(at.root, 'archive'), 'a file')
    at.write(PROFILE, { enforcement: 'log', trace: { archive: join(at.root, 'archive') } })
    const { code, stderr } = await arc('trace', 'cut')
    expect([code, stderr]).toEqual([1, expect.stringContaining('ARC_ARCHIVE_FAILED')])
    expect(read((store) => store.verify())).toMatchObject({ ok: true, records: 80 })
  })

  it('leaves a chain that verifies when it is killed in the middle, and the next one completes it', async () => {
    fill(20_000)
    const env = { ...process.env, ARC_HOME: at.home, ARC_DAEMON: 'off' }
    const child = spawn(ARC, ['trace', 'cut'], { env, cwd: at.project, stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await Promise.race([until(() => readCut() > 0), ended])
    child.kill('SIGKILL')
    await ended
    const cut = readCut()
    expect(cut).toBeGreaterThan(0)
    expect(read((store) => store.verify())).toMatchObject({ ok: true, cut: { seq: cut } })
    // The lease of the killed process ends after half a minute; a library call has none.
    read((store) => store.retain({ before: Date.now() - 90 * DAY_MS, now: Date.now(), id: 'rest' }))
    expect(read((store) => store.verify())).toMatchObject({ ok: true, cut: { seq: 20_000 } })
  })
})

describe('Z4 the daemon', () => {
  it('removes what the profile does not keep, and arc doctor says what is kept', async () => {
    fill(2_000)
    const reports: string[] = []
    const options = { home: at.home, version: '1', port: 0, retentionMs: 0 }
    const daemon = (await startDaemon({ ...options, report: (message) => void reports.push(message) })) as Daemon
    try {
      await until(() => read((store) => store.query({ action: 'trace:cut' }).length) > 0)
    } finally {
      await daemon.stop()
    }
    expect(readCut()).toBe(2_000)
    expect(read((store) => store.verify())).toMatchObject({ ok: true, cut: { seq: 2_000 } })
    expect(reports).toEqual([])
    const { stdout } = await arc('doctor')
    expect(stdout).toMatch(
      /retention {2,}keeps 90 days, 2 GB; there are \d+ records since \d{4}-\d\d-\d\d, [\d.]+ [KM]B/,
    )
  })

  it('reports that the archive cannot be written, once, and removes nothing', async () => {
    fill(40)
    writeFileSync(join(at.root, 'archive'), 'a file')
    at.write(PROFILE, { enforcement: 'log', trace: { archive: join(at.root, 'archive') } })
    const reports: string[] = []
    const options = { home: at.home, version: '1', port: 0, retentionMs: 0 }
    const daemon = (await startDaemon({ ...options, report: (message) => void reports.push(message) })) as Daemon
    try {
      await until(() => read((store) => store.query({ action: 'trace:cut-failed' }).length) > 0)
    } finally {
      await daemon.stop()
    }
    expect(readCut()).toBe(0)
    expect(reports).toEqual([expect.stringMatching(/^Old records were not removed: .*ARC_ARCHIVE_FAILED/)])
    const { code, stdout } = await arc('doctor')
    expect(code).toBe(1)
    expect(stdout).toContain('old records were not removed')
    expect(existsSync(file())).toBe(true)
  })
})
