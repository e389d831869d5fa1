// `arc trace verify` as a person runs it: the whole record, only the new records, an archive.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { onlyJson, runArc } from '../../../test/run-arc.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'

let root: string
let home: string

beforeEach(() => {
  root = makeTempFolder('arc-verify-')
  home = join(root, 'home')
  mkdirSync(home, { recursive: true })
})

const env = (): Record<string, string> => ({ XDG_STATE_HOME: join(root, 'state') })
const arc = (args: readonly string[]) => runArc(args, { home, cwd: root, env: env() })

function append(count: number, name: string): void {
  const store = new SqliteTraceStore(join(home, 'arc.db'))
  void appendAll(
    store,
    Array.from({ length: count }, (_, at) => stepEntry({ id: `${name}${at}`, evaluations: [{}] })),
  )
  store.close()
}

function change(sql: string): void {
  const db = loadDriver().open(join(home, 'arc.db'))
  db.exec(sql)
  db.close()
}

async function verify(...more: string[]) {
  const ran = await arc(['trace', 'verify', '--json', ...more])
  return { code: ran.code, ...onlyJson<{ ok: boolean; records: number }>(ran) }
}

const memory = (): string => join(home, 'anchors', 'verified.json')

describe('Z5 arc trace verify --since last', () => {
  it('checks what was recorded since, and says that it did not check the rest', async () => {
    append(20, 'a')
    // Nothing is remembered yet: all of it is checked.
    expect(await verify('--since', 'last')).toMatchObject({ code: 0, ok: true, records: 40 })
    expect(statSync(memory()).mode & 0o777).toBe(0o600)
    append(5, 'b')
    expect(await verify('--since', 'last')).toMatchObject({
      code: 0,
      records: 10,
      since: { seq: 40 },
      head: { seq: 50 },
    })
    const { stderr } = await arc(['trace', 'verify', '--since', 'last'])
    expect(stderr).toMatch(/ok: 0 records since record 50/)
    expect(stderr).toMatch(/The records before were not checked: last verified as a whole at 20/)
    expect(await verify()).toMatchObject({ code: 0, records: 50 })
  })

  it('finds a changed record only if it is a new one; the whole verification always does', async () => {
    append(20, 'a')
    await verify()
    append(5, 'b')
    change("UPDATE trace SET decision = 'flag' WHERE seq = 45")
    expect(await verify('--since', 'last')).toMatchObject({ code: 1, ok: false, firstBad: { seq: 45 } })
    change("UPDATE trace SET decision = 'pass' WHERE seq = 45")
    change("UPDATE trace SET decision = 'flag' WHERE seq = 5")
    expect(await verify('--since', 'last')).toMatchObject({ code: 0, ok: true, records: 10 })
    expect(await verify()).toMatchObject({ code: 1, ok: false, records: 4, firstBad: { seq: 5 } })
  })

  it('gains nothing for who changes the memory: what it names must exist, and the whole verification ignores it', async () => {
    append(20, 'a')
    await verify()
    const kept = JSON.parse(readFileSync(memory(), 'utf8')) as object
    change("UPDATE trace SET decision = 'flag' WHERE seq = 5")
    writeFileSync(memory(), JSON.stringify({ ...kept, hash: 'f'.repeat(64) }))
    expect(await verify('--since', 'last')).toMatchObject({ code: 1, firstBad: { seq: 40, flaw: 'changed' } })
    writeFileSync(memory(), JSON.stringify({ ...kept, seq: 400 }))
    expect(await verify('--since', 'last')).toMatchObject({ code: 1, firstBad: { flaw: 'missing' } })
    for (const text of ['', '{', 'null', '{"seq":"40"}', JSON.stringify({ ...kept, database: 'another' })]) {
      writeFileSync(memory(), text)
      expect(await verify('--since', 'last')).toMatchObject({ code: 1, records: 4, firstBad: { seq: 5 } })
    }
    rmSync(memory())
    expect(await verify('--since', 'last')).toMatchObject({ code: 1, firstBad: { seq: 5 } })
    // A failed verification is not remembered.
    expect(existsSync(memory())).toBe(false)
  })
})

describe('Z5 arc trace verify --file', () => {
  it('verifies an export, compressed or not, and names the first bad record', async () => {
    append(20, 'a')
    const { stdout } = await arc(['trace', 'export'])
    const file = join(root, 'trace.jsonl')
    writeFileSync(file, stdout)
    expect(await verify('--file', file)).toMatchObject({ code: 0, ok: true, records: 40, head: { seq: 40 } })
    const packed = join(root, 'trace.jsonl.gz')
    writeFileSync(packed, gzipSync(stdout))
    expect(await verify('--file', packed)).toMatchObject({ code: 0, ok: true, records: 40 })
    writeFileSync(packed, gzipSync(stdout).subarray(0, -200))
    expect(await verify('--file', packed)).toMatchObject({ code: 1, ok: false, firstBad: { flaw: 'missing' } })
    writeFileSync(file, stdout.replace('"pass"', '"flag"'))
    expect(await verify('--file', file)).toMatchObject({ code: 1, ok: false, firstBad: { seq: 1 } })
    const { code, stderr } = await arc(['trace', 'verify', '--file', join(root, 'none')])
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be read')
  })
})
