import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeEachDriver } from '../../../../test/each-driver.ts'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import type { Database } from './driver.ts'
import { loadableDrivers, loadDriver } from './load-driver.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = makeTempFolder('arc-driver-')
  file = join(folder, 'a.db')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const code = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return (error as { code?: unknown }).code
  }
  return 'no error'
}

describeEachDriver(() => {
  let db: Database

  beforeEach(() => {
    db = loadDriver().open(file, { timeoutMs: 10 })
    db.pragma('journal_mode = WAL')
    db.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT) STRICT')
  })

  afterEach(() => db.close())

  it('is the driver that ARC_SQLITE names', () => {
    expect(loadDriver().name).toBe(process.env.ARC_SQLITE)
  })

  it('writes and reads rows, values and named parameters', () => {
    const insert = db.prepare('INSERT INTO item (name) VALUES (?)')
    expect(insert.run('one')).toMatchObject({ changes: 1, lastInsertRowid: 1 })
    expect(insert.run(null)).toMatchObject({ changes: 1, lastInsertRowid: 2 })
    expect({ ...(db.prepare('SELECT * FROM item WHERE id = ?').get(1) as object) }).toEqual({ id: 1, name: 'one' })
    expect(db.prepare('SELECT name FROM item ORDER BY id').pluck().all()).toEqual(['one', null])
    expect(db.prepare('SELECT id FROM item WHERE name = :name').pluck().get({ name: 'one' })).toBe(1)
    expect(db.prepare('SELECT id FROM item WHERE id = 9').get()).toBeUndefined()
    expect(db.prepare('UPDATE item SET name = ? WHERE id = 2 RETURNING id').pluck().get('two')).toBe(2)
    expect(db.pragma('user_version')).toBe(0)
  })

  it('reads many rows, and large whole numbers', () => {
    db.exec('BEGIN')
    const insert = db.prepare('INSERT INTO item (id, name) VALUES (?, ?)')
    for (let id = 1; id <= 250; id++) insert.run(id * 1_000_000_000_000, `n${id}`)
    db.exec('COMMIT')
    const all = db.prepare('SELECT id FROM item ORDER BY id').pluck().all()
    expect([all.length, all[0], all[249]]).toEqual([250, 1_000_000_000_000, 250_000_000_000_000])
  })

  it('knows whether a transaction is open', () => {
    expect(db.inTransaction).toBe(false)
    db.exec('BEGIN IMMEDIATE')
    expect(db.inTransaction).toBe(true)
    db.exec('ROLLBACK')
    expect(db.inTransaction).toBe(false)
  })

  it('a BEGIN IMMEDIATE that failed holds nothing: reads and writes after it see the changes of others', () => {
    const other = loadDriver().open(file, { timeoutMs: 10 })
    const count = db.prepare('SELECT count(*) FROM item').pluck()
    const insertOther = other.prepare('INSERT INTO item (name) VALUES (?)')
    other.exec('BEGIN IMMEDIATE')
    // Prepared, as the stores do, and not run again.
    expect(code(() => db.prepare('BEGIN IMMEDIATE').run())).toBe('SQLITE_BUSY')
    insertOther.run('one')
    other.exec('COMMIT')
    expect(count.get()).toBe(1)
    insertOther.run('two')
    other.close()
    expect(count.get()).toBe(2)
    db.prepare('BEGIN IMMEDIATE').run()
    expect(db.inTransaction).toBe(true)
    db.prepare('INSERT INTO item (name) VALUES (?)').run('three')
    db.prepare('COMMIT').run()
    expect(count.get()).toBe(3)
  })

  it('a read leaves no transaction open', () => {
    for (let id = 0; id < 3; id++) db.prepare('INSERT INTO item (name) VALUES (?)').run('x')
    db.prepare('SELECT * FROM item').get()
    const other = loadDriver().open(file, { timeoutMs: 10 })
    other.prepare('INSERT INTO item (name) VALUES (?)').run('other')
    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
    other.close()
    expect(db.prepare('INSERT INTO item (name) VALUES (?)').run('y').changes).toBe(1)
  })

  it('reads text that is not UTF-8, or has a NUL character in it, without ending the process', () => {
    db.exec("INSERT INTO item VALUES (1, CAST(x'61ff62' AS TEXT)), (2, 'a' || char(0) || 'b'), (3, NULL)")
    const sql = 'SELECT name FROM item ORDER BY id'
    expect(db.prepare(sql).pluck().all()).toEqual([expect.stringMatching(/^a.+b$/), 'a\0b', null])
    expect(db.prepare(sql).all()[1]).toMatchObject({ name: 'a\0b' })
  })

  it('reads such texts in expressions, joins and columns of numbers too', () => {
    db.exec("INSERT INTO item VALUES (1, CAST(x'61ff00' AS TEXT)), (2, 'b')")
    expect(db.prepare('SELECT max(name), count(*) AS n FROM item').get()).toMatchObject({ 'max(name)': 'b', n: 2 })
    expect(db.prepare('SELECT min(name) FROM item').pluck().get()).toBe('a\uFFFD\0')
    expect(db.prepare("SELECT coalesce(name, '') AS name FROM item WHERE id = ?").get(1)).toMatchObject({
      name: 'a\uFFFD\0',
    })
    const joined =
      'WITH a AS (SELECT * FROM item) SELECT a.name AS "x y", b.id FROM a JOIN item AS b USING (id) ORDER BY 2 DESC'
    expect(db.prepare(joined).all()).toMatchObject([
      { 'x y': 'b', id: 2 },
      { 'x y': 'a\uFFFD\0', id: 1 },
    ])
    db.exec('CREATE TABLE number (n INTEGER)')
    db.exec("INSERT INTO number VALUES (CAST(x'61ff00' AS TEXT))")
    // A number, or the text.
    expect([['a\uFFFD\0'], [0]]).toContainEqual(db.prepare('SELECT n FROM number').pluck().all())
  })

  it('names errors by the codes of SQLite', () => {
    const other = loadDriver().open(file, { timeoutMs: 10 })
    other.exec('BEGIN IMMEDIATE')
    expect(code(() => db.exec('BEGIN IMMEDIATE'))).toBe('SQLITE_BUSY')
    expect(code(() => db.prepare('INSERT INTO item (name) VALUES (?)').run('x'))).toBe('SQLITE_BUSY')
    other.close()
    expect(code(() => db.prepare('SELEC'))).toBe('SQLITE_ERROR')
    db.exec('PRAGMA max_page_count = 3')
    const fill = () => db.prepare('INSERT INTO item (name) VALUES (?)').run('x'.repeat(1_000_000))
    expect(code(fill)).toBe('SQLITE_FULL')
    db.prepare('INSERT INTO item (id) VALUES (1)').run()
    expect(code(() => db.prepare('INSERT INTO item (id) VALUES (1)').run())).toMatch(/^SQLITE_CONSTRAINT/)
    const bad = join(folder, 'bad.db')
    writeFileSync(bad, 'this is not a database'.repeat(500))
    const broken = loadDriver().open(bad)
    expect(code(() => broken.prepare('SELECT * FROM sqlite_schema').all())).toBe('SQLITE_NOTADB')
    broken.close()
    expect(code(() => loadDriver().open(join(folder, 'none', 'a.db')))).toBe('SQLITE_CANTOPEN')
  })

  it('opened to read only, makes no file and writes nothing', () => {
    expect(code(() => loadDriver().open(join(folder, 'none.db'), { isReadOnly: true }))).toBe('SQLITE_CANTOPEN')
    const reader = loadDriver().open(file, { isReadOnly: true })
    expect(code(() => reader.exec('DELETE FROM item'))).toBe('SQLITE_READONLY')
    reader.close()
  })

  it('closes twice, and what is committed is then in the file itself', () => {
    db.prepare('INSERT INTO item (name) VALUES (?)').run('kept')
    db.close()
    db.close()
    rmSync(`${file}-wal`, { force: true })
    rmSync(`${file}-shm`, { force: true })
    const again = loadDriver().open(file)
    expect(again.prepare('SELECT name FROM item').pluck().all()).toEqual(['kept'])
    again.close()
  })
})

it('at least one driver can be loaded without a compiler', () => {
  expect(loadableDrivers().some((name) => name === 'node' || name === 'libsql')).toBe(true)
})

it('a driver that is unknown or cannot be loaded is passed over', () => {
  expect(loadableDrivers()).toContain(loadDriver('mysql').name)
  if (!loadableDrivers().includes('node')) expect(loadDriver('node').name).not.toBe('node')
})
