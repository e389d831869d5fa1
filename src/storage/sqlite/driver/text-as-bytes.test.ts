import { expect, it } from 'vitest'
import { selectBytes } from './text-as-bytes.ts'

const never = (): never => {
  throw new Error('not a query')
}

it('rewrites queries only', () => {
  const columns = [
    { name: 'a', type: 'TEXT' },
    { name: 'n', type: 'INTEGER' },
    { name: 'max(a)', type: null },
  ]
  const sql = selectBytes('SELECT a, n, max(a) FROM t', () => columns)
  expect(sql).toBe(
    'WITH result(c0, c1, c2) AS (SELECT a, n, max(a) FROM t) SELECT CAST(c0 AS BLOB) AS "a", c1 + 0 AS "n", ' +
      `CASE typeof(c2) WHEN 'text' THEN CAST(c2 AS BLOB) ELSE c2 END AS "max(a)" FROM result`,
  )
  for (const other of ['PRAGMA data_version', 'INSERT INTO t (a) VALUES (?)', 'EXPLAIN QUERY PLAN SELECT 1']) {
    expect(selectBytes(other, never)).toBe(other)
  }
})

it('refuses a change that would return text', () => {
  const sql = 'UPDATE t SET n = n + 1 RETURNING n'
  expect(selectBytes(sql, () => [{ name: 'n', type: 'INTEGER' }])).toBe(sql)
  for (const type of ['TEXT', null]) {
    expect(() => selectBytes(sql, () => [{ name: 'n', type }])).toThrow(/RETURNING can return numbers only, not n/)
  }
})
