import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import { loadDriver } from './driver/load-driver.ts'
import { openDatabase } from './open.ts'
import type { SetAside } from './open-options.ts'
import { SqliteTraceStore } from './trace-store.ts'

describeEachDriver(() => {
  describe('opening the database', () => {
    let folder = ''
    let file = ''
    const aside: SetAside[] = []
    const onSetAside = (notice: SetAside) => void aside.push(notice)
    beforeEach(() => {
      folder = makeTempFolder('arc-store-')
      file = join(folder, 'home', 'arc.db')
      aside.length = 0
    })

    it('makes the folder and the file for their owner only, in WAL', () => {
      const { db } = openDatabase(file)
      expect(db.pragma('journal_mode')).toBe('wal')
      db.close()
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, 'home')).mode & 0o777).toBe(0o700)
    })

    it('refuses a database of a newer version and leaves it as it is', () => {
      openDatabase(file).db.close()
      const db = loadDriver().open(file)
      db.pragma('user_version = 99')
      db.close()
      const before = readFileSync(file)
      expect(() => new SqliteTraceStore(file, { onSetAside })).toThrow(/schema version 99.*knows \d+ at most.*Update/)
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(aside).toEqual([])
    })

    it('renames a file that is no database, reports it, and continues with a new one', async () => {
      openDatabase(file).db.close()
      writeFileSync(file, 'not a database '.repeat(1_000))
      const store = new SqliteTraceStore(file, { onSetAside })
      // After the record of what happened.
      expect((await store.append(stepEntry())).seqs).toEqual([2, 3])
      store.close()
      expect(aside).toHaveLength(1)
      expect(aside[0]?.movedTo).toMatch(/arc\.db\.corrupt-\d{4}-/)
      expect(readFileSync(aside[0]?.movedTo ?? '', 'utf8')).toMatch(/^not a database/)
    })

    it('sets a database aside that turns out damaged while it is in use', async () => {
      const first = new SqliteTraceStore(file)
      await appendAll(
        first,
        Array.from({ length: 500 }, (_, at) => stepEntry({ id: `s${at}` })),
      )
      first.close()
      const bytes = readFileSync(file)
      bytes.fill(0xff, 4_096)
      writeFileSync(file, bytes)
      const store = new SqliteTraceStore(file, { onSetAside })
      await store.append(stepEntry({ id: 'after' }))
      expect(store.get('last')).toMatchObject({ found: 'step', record: { id: 'after' } })
      expect(store.verify().ok).toBe(true)
      store.close()
      expect(aside).toHaveLength(1)
      expect(readdirSync(join(folder, 'home')).filter((name) => name.includes('set-aside'))).toEqual([])
    })

    it('writes to the new file of that name, not to the moved file', async () => {
      const store = new SqliteTraceStore(file)
      await store.append(stepEntry({ id: 'old' }))
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      // After the record of what happened.
      expect((await store.append(stepEntry({ id: 'new' }))).seqs).toEqual([2, 3])
      const other = new SqliteTraceStore(file)
      expect(other.get('new').found).toBe('step')
      other.close()
      store.close()
    })

    it('says what keeps the database locked out instead of passing the words of SQLite on', async () => {
      const { db } = openDatabase(file)
      const store = new SqliteTraceStore(file, { waitMs: 1 })
      db.exec('BEGIN IMMEDIATE')
      await expect(store.append(stepEntry())).rejects.toThrow(/kept locked by another process.*Find the program/)
      db.exec('COMMIT')
      // After the record of the gap, and the entry that was kept.
      expect((await store.append(stepEntry())).seqs).toEqual([4, 5])
      store.close()
      store.close()
      db.close()
    })

    it('says why a database cannot be used', () => {
      writeFileSync(join(folder, 'home'), 'a file where the folder should be')
      expect(() => openDatabase(file)).toThrow(/cannot be used: .*Check that its folder exists/)
    })
  })
})
