// The files of a database change under a process that uses it: real files, and every driver.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectGarbage, describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { stepEntry } from '../../testing/step-entry.ts'
import { openStores } from '../open-stores.ts'
import { DatabaseFile } from './database-file.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SqliteStateStore } from './state-store.ts'
import { SqliteTraceStore } from './trace-store.ts'

interface Opened {
  readonly path: string
  readonly file: DatabaseFile
  readonly trace: SqliteTraceStore
  readonly state: SqliteStateStore
}

function open(path = join(makeTempFolder('arc-files-'), 'home', 'arc.db')): Opened {
  const file = new DatabaseFile(path, { waitMs: 5_000 }, { isGrouped: true })
  const trace = new SqliteTraceStore(file)
  const state = new SqliteStateStore(file)
  onTestFinished(() => file.close())
  return { path, file, trace, state }
}

// As another process sees it, after this one has ended.
async function readAfter({ path, file }: Opened) {
  file.close()
  await collectGarbage(dirname(path))
  const store = new SqliteTraceStore(path)
  try {
    const records = store.records({ limit: 10_000, steps: true })
    const steps = records.filter(({ kind }) => kind === 'step').map(({ id }) => id)
    const gaps = store.records({ action: 'trace:gap' })
    return { steps, gaps, records, isWhole: store.verify().ok }
  } finally {
    store.close()
  }
}

async function append({ trace, state }: Opened, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    count(state)
    await trace.append(stepEntry({ id }))
  }
}

// As a hook call: it does without the state while that cannot be written.
function count(state: SqliteStateStore): void {
  try {
    state.change<number>('calls', (before = 0) => before + 1)
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^ARC_STORE_/) })
  }
}

const fill = (at: Opened, count: number): Promise<void> =>
  append(at, ...Array.from({ length: count }, (_, number) => `old-${number}`))

function checkpoint(path: string): void {
  const db = loadDriver().open(path)
  db.pragma('wal_checkpoint(PASSIVE)')
  db.close()
}

function firstSeq(records: readonly { readonly id: string; readonly seq: number }[], id: string): number {
  return records.find((record) => record.id === id)?.seq ?? 0
}

function remove(path: string, ...suffixes: string[]): void {
  for (const suffix of suffixes) rmSync(`${path}${suffix}`)
}

describeEachDriver(() => {
  describe('another program changes the files', () => {
    it.each([
      ['-wal', ['-wal']],
      ['-shm', ['-shm']],
      ['-wal and -shm', ['-wal', '-shm']],
    ] as const)(
      'Z6 %s removed: nothing that was acknowledged is lost or doubled, and the reason is on record',
      async (name, suffixes) => {
        const at = open()
        await append(at, 'before', 'also-before')
        remove(at.path, ...suffixes)
        await append(at, 'after', 'last')
        const { steps, gaps, isWhole } = await readAfter(at)
        expect(steps).toEqual(['before', 'also-before', 'after', 'last'])
        const reason = expect.stringMatching(new RegExp(`lost its files? ${name}`))
        expect(gaps).toMatchObject([{ reason, metadata: { lost: 0 } }])
        expect(isWhole).toBe(true)
      },
    )

    it('Z6 files that are removed between a write of the state and the commit are noticed before the entry is acknowledged', async () => {
      for (const suffixes of [['-wal'], ['-shm'], ['', '-wal', '-shm']]) {
        const at = open()
        await append(at, 'before')
        at.state.set('begins', 1, 0)
        remove(at.path, ...suffixes)
        await at.trace.append(stepEntry({ id: 'after' }))
        const { steps, gaps } = await readAfter(at)
        expect(steps).toEqual(suffixes.includes('') ? ['after'] : ['before', 'after'])
        expect(gaps).toHaveLength(1)
      }
    })

    it('Z6 the database removed or replaced: entries are written to the file that is there, after the reason', async () => {
      for (const isReplaced of [false, true]) {
        const at = open()
        const other = open()
        await append(other, 'of-the-other')
        other.file.close()
        await fill(at, 20)
        if (isReplaced) {
          copyFileSync(other.path, `${at.path}.new`)
          renameSync(`${at.path}.new`, at.path)
        } else remove(at.path, '')
        await append(at, 'after')
        const { steps, gaps, records, isWhole } = await readAfter(at)
        expect(steps).toEqual(isReplaced ? ['of-the-other', 'after'] : ['after'])
        const reason = expect.stringMatching(isReplaced ? /was replaced/ : /was removed/)
        expect(gaps).toMatchObject([{ reason, seq: firstSeq(records, 'after') - 1 }])
        expect(isWhole).toBe(true)
      }
    })

    it('Z6 the database cut or overwritten in place: it is set aside before anything more is acknowledged into it', async () => {
      for (const isCut of [true, false]) {
        const at = open()
        // So few that no thread checkpoints beside this.
        await fill(at, 25)
        checkpoint(at.path)
        await append(at, 'before')
        // In one moment with a checkpoint of another process, too.
        if (isCut) checkpoint(at.path)
        const { size } = statSync(at.path)
        if (isCut) truncateSync(at.path, Math.floor(size / 2))
        else writeFileSync(at.path, Buffer.alloc(size / 2, 'x'), { flag: 'r+' })
        await append(at, 'after', 'last')
        const { steps, gaps, isWhole } = await readAfter(at)
        expect(steps).toEqual(['after', 'last'])
        expect(gaps).toMatchObject([{ reason: expect.stringMatching(isCut ? /was cut/ : /was overwritten/) }])
        expect(isWhole).toBe(true)
        expect(readdirSync(dirname(at.path)).some((name) => name.startsWith('arc.db.corrupt-'))).toBe(true)
      }
    })

    it('Z6 a database that was touched, and checkpoints of other processes, are no damage', async () => {
      const at = open()
      await fill(at, 20)
      utimesSync(at.path, 1_000, 1_000)
      await append(at, 'touched')
      const other = loadDriver().open(at.path)
      other.pragma('wal_checkpoint(TRUNCATE)')
      await append(at, 'after')
      other.close()
      const { steps, gaps } = await readAfter(at)
      expect(steps).toHaveLength(22)
      expect(gaps).toEqual([])
      expect(readdirSync(dirname(at.path)).filter((name) => /corrupt|replaced/.test(name))).toEqual([])
    })

    it('Z6 a schema of a newer version is not written: entries are kept, and written when it is known again', async () => {
      const at = open()
      await append(at, 'before')
      const other = loadDriver().open(at.path)
      const known = Number(other.pragma('user_version'))
      other.pragma('user_version = 9999')
      await expect(at.trace.append(stepEntry({ id: 'kept' }))).rejects.toThrow(/schema version 9999/)
      other.pragma(`user_version = ${known}`)
      other.close()
      await vi.waitFor(() => expect(at.trace.get('kept').found).toBe('step'), 10_000)
      const { steps, gaps } = await readAfter(at)
      expect(steps).toEqual(['before', 'kept'])
      expect(gaps).toMatchObject([{ metadata: { count: 1, late: 1, lost: 0 } }])
    })

    it('Z6 a home that was moved away is not made again; entries are kept until it is back', async () => {
      const at = open()
      await append(at, 'before')
      const home = dirname(at.path)
      renameSync(home, `${home}-moved`)
      await expect(at.trace.append(stepEntry({ id: 'kept' }))).rejects.toThrow(/cannot be used/)
      expect(existsSync(home)).toBe(false)
      renameSync(`${home}-moved`, home)
      await vi.waitFor(() => expect(at.trace.get('kept').found).toBe('step'), 10_000)
      const { steps, gaps } = await readAfter(at)
      expect(steps).toEqual(['before', 'kept'])
      expect(gaps).toMatchObject([{ metadata: { lost: 0 } }])
    })

    it('Z6 a process that starts on a damaged or cut database sets it aside and records that first', async () => {
      for (const isCut of [true, false]) {
        const home = makeTempFolder('arc-files-')
        const at = open(join(home, 'arc.db'))
        await fill(at, 25)
        at.file.close()
        await collectGarbage(home)
        const { size } = statSync(at.path)
        if (isCut) truncateSync(at.path, Math.floor(size / 2))
        else writeFileSync(at.path, Buffer.alloc(size - 8_192, 'x'), { flag: 'r+' })
        const stores = openStores(home, () => undefined)
        await stores.trace.append(stepEntry({ id: 'after' }))
        const records = stores.trace.records({ limit: 10 })
        stores.close()
        expect(records[0]).toMatchObject({
          action: 'trace:gap',
          reason: expect.stringMatching(/was damaged and set aside/),
        })
        expect(records[1]).toMatchObject({ id: 'after.1' })
      }
    })

    it('Z6 a log that was cut: the record continues after what the file has', async () => {
      const at = open()
      await fill(at, 3)
      truncateSync(`${at.path}-wal`, 100)
      await append(at, 'after')
      const { steps, gaps, isWhole } = await readAfter(at)
      expect(steps.at(-1)).toBe('after')
      expect(gaps).toMatchObject([{ reason: expect.stringMatching(/-wal that was cut/) }])
      expect(isWhole).toBe(true)
    })
  })
})
