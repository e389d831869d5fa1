import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { linkHash } from '../../trace/chain.ts'
import type { Database } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'
import { verifyFile } from './parallel-verification.ts'
import { SqliteTraceStore } from './trace-store.ts'

const STEPS = 400
const RECORDS = STEPS * 3

function steps(count: number, name = 's') {
  return Array.from({ length: count }, (_, at) =>
    stepEntry({ id: `${name}${at}`, session: 'session', evaluations: [{}, {}], time: ENTRY_TIME + at }),
  )
}

describeEachDriver(() => {
  const makeStore = () => {
    const file = join(makeTempFolder('arc-verify-'), 'arc.db')
    const store = new SqliteTraceStore(file)
    void appendAll(store, steps(STEPS))
    return { file, store }
  }

  describe('a verification', () => {
    it('Z5 holds no read between pages, so that the WAL is emptied while it runs', () => {
      const { file, store } = makeStore()
      const writer = new SqliteTraceStore(file)
      const checkpointer = loadDriver().open(file)
      const busy: unknown[] = []
      const wal: number[] = []
      const result = store.verify({
        onProgress: () => {
          if (busy.length < 3) void appendAll(writer, steps(50, `more-${busy.length}-`))
          // A read writes what waits.
          writer.get('last')
          busy.push(checkpointer.pragma('wal_checkpoint(TRUNCATE)'))
          wal.push(statSync(`${file}-wal`).size)
        },
      })
      expect(busy.length).toBeGreaterThan(3)
      expect(new Set(busy.map(Number))).toEqual(new Set([0]))
      expect(new Set(wal)).toEqual(new Set([0]))
      // What was appended meanwhile is verified too.
      expect(result).toMatchObject({ ok: true, records: RECORDS + 3 * 150, head: { seq: RECORDS + 3 * 150 } })
      for (const open of [store, writer, checkpointer]) open.close()
    })

    it('Z5 continues behind records that retention removes meanwhile', () => {
      const { file, store } = makeStore()
      const other = new SqliteTraceStore(file)
      let isCut = false
      const result = store.verify({
        onProgress: () => {
          if (!isCut) other.retain({ before: ENTRY_TIME + 300, now: ENTRY_TIME + 1_000, id: 'cut' })
          isCut = true
        },
      })
      expect(result).toMatchObject({ ok: true, cut: { seq: 900 }, head: { seq: RECORDS + 1 } })
      expect(result.records).toBeLessThan(RECORDS)
      for (const open of [store, other]) open.close()
    })

    it('Z5 starts after a record that was verified before, and notices when that is another one now', () => {
      const { store } = makeStore()
      const { head } = store.verify()
      void appendAll(store, steps(10, 'new-'))
      expect(store.verify({ after: head })).toMatchObject({ ok: true, records: 30, head: { seq: RECORDS + 30 } })
      const other = { seq: 600, hash: 'f'.repeat(64) }
      expect(store.verify({ after: other })).toMatchObject({
        ok: false,
        records: 0,
        firstBad: { seq: 600, flaw: 'changed' },
      })
      const beyond = { seq: RECORDS + 31, hash: 'f'.repeat(64) }
      expect(store.verify({ after: beyond })).toMatchObject({ ok: false, firstBad: { flaw: 'missing' } })
      store.close()
    })

    it('Z5 of a file takes turns with other work, and reports its progress', async () => {
      const { file, store } = makeStore()
      void appendAll(store, steps(2_000, 'more-'))
      store.close()
      let turns = 0
      const timer = setInterval(() => turns++, 0)
      const seen: number[] = []
      const result = await verifyFile(file, { onProgress: (records) => seen.push(records) })
      clearInterval(timer)
      expect(result).toMatchObject({ ok: true, records: RECORDS + 6_000 })
      expect(seen.length).toBeGreaterThan(1)
      expect(turns).toBeGreaterThan(0)
    })
  })

  // The chain after it is rewritten as well, so that only the record itself can be found wrong. The columns of a record
  // of an earlier version repeat parts of its body.
  describe('a record that was replaced together with the chain after it', () => {
    const forgeries: Record<string, (body: string) => string> = {
      'another hook': (body) => body.replace('"hook":"', '"hook":"x'),
      'another session': (body) => body.replace('"session":"session"', '"session":"another"'),
      'a second session': (body) =>
        body
          .replace('"session":', '"session":"another","session":')
          .replace(/("session":"another"),("session":"session")/, '$2,$1'),
      'no session': (body) => body.replace('"session":"session",', ''),
      'another number': (body) => body.replace(/"seq":\d+/, '"seq":7'),
      'a number with a sign': (body) => body.replace(/"seq":(\d+)/, '"seq":+$1'),
      'another step': (body) => body.replace(/"step":\d+/, '"step":1'),
      'another time': (body) => body.replace('"time":"2', '"time":"3'),
      'text that is no JSON': (body) => `${body}}`,
      'a line end': (body) => body.replace('{', '{\n').replace('"hook":"', '"hook":"x'),
      'a tab': (body) => body.replace('{', '{\t').replace('"hook":"', '"hook":"x'),
    }

    it.each(Object.keys(forgeries))('Z5 is found by the quick check too: %s', (name) => {
      const { file, store } = makeStore()
      const lines = [...store.export()]
      store.close()
      const db = loadDriver().open(file)
      storeWhole(db, lines)
      rewrite(db, 602, forgeries[name] as (body: string) => string)
      db.close()
      const again = new SqliteTraceStore(file)
      expect(again.verify()).toMatchObject({ ok: false, records: 601, firstBad: { seq: 602 } })
      again.close()
    })
  })

  describe('a packed record', () => {
    const changes: Record<string, string> = {
      'a column, hidden by a field': `hook = 'x', body = '[602,0.25,100,"enforce",{"hook":"hook-1"}]'`,
      'a shared field, given again': `body = '[602,0.25,100,"enforce",{"session":"another"}]'`,
      'a field that hides its end': `body = '[602,0.25,100,"enforce",{"x":1,"y":1}]'`,
      'another number': `body = '[7,0.25,100]'`,
      'another duration': `body = '[602,0.5,100]'`,
      'text after a number': `body = '[602,0.25,100,"a":1]'`,
      'an object instead of numbers': `body = '[602,{"a":1}]'`,
      'no list': `body = '[602,0.25,100'`,
      'its step': 'step = 598',
      'its step, which is none': 'step = 602',
      'its session': `session = 'another'`,
      'its id': `id = char(1)`,
      'its kind': `kind = 'event'`,
      'its clock': 'clock = clock + 1',
    }

    it.each(Object.keys(changes))('Z5 of which %s was changed is named', (name) => {
      const { file, store } = makeStore()
      store.close()
      const db = loadDriver().open(file)
      db.exec(`UPDATE trace SET ${changes[name]} WHERE seq = 602`)
      db.close()
      const again = new SqliteTraceStore(file)
      expect(again.verify()).toMatchObject({ ok: false, records: 601, firstBad: { seq: 602 } })
      // The other records can still be read and exported.
      expect([...again.export()]).toHaveLength(RECORDS)
      again.close()
    })
  })
})

// As earlier versions stored records.
function storeWhole(db: Database, lines: readonly string[]): void {
  const update = db.prepare<[string, string, number]>('UPDATE trace SET body = ?, session = ? WHERE seq = ?')
  db.exec('BEGIN')
  for (const line of lines) {
    const { record, seq } = JSON.parse(line) as { record: { session: string }; seq: number }
    update.run(canonicalize(record), record.session, seq)
  }
  db.exec('COMMIT')
}

function rewrite(db: Database, seq: number, forge: (body: string) => string): void {
  const rows = db
    .prepare<[number], { seq: number; hash: string; body: string }>(
      `SELECT seq, hash, body FROM trace WHERE seq >= ? ORDER BY seq`,
    )
    .all(seq - 1)
  const update = db.prepare<[string, string, number]>('UPDATE trace SET body = ?, hash = ? WHERE seq = ?')
  let last = rows[0]?.hash as string
  db.exec('BEGIN')
  for (const row of rows.slice(1)) {
    const body = row.seq === seq ? forge(row.body) : row.body
    if (row.seq === seq) expect(body).not.toBe(row.body)
    last = linkHash(last, body)
    update.run(body, last, row.seq)
  }
  db.prepare<[string]>("UPDATE trace_end SET hash = ? WHERE name = 'head'").run(last)
  db.exec('COMMIT')
}
