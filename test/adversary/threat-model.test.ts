// The threat model says what is true: it names every promise, tests that exist, and each known limit of the suite.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ATTEMPTS } from './attempts/index.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/guides/threat-model.md'), 'utf8')
const PROMISES = Array.from({ length: 11 }, (_, at) => `G${at + 1}`)

it('G11 the threat model has a row for each promise, with a test and what it does not cover', () => {
  const rows = PAGE.split('\n').filter((line) => line.startsWith('| **G'))
  expect(rows.map((row) => /\*\*(G\d+)\*\*/.exec(row)?.[1])).toEqual(PROMISES)
  for (const row of rows) {
    const cells = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    expect({ row: cells[0], empty: cells.filter((cell) => cell === '').length, cells: cells.length }).toEqual({
      ...{ row: cells[0], empty: 0, cells: 5 },
    })
  }
})

it('G11 the threat model names only tests that exist', () => {
  const named = [...PAGE.matchAll(/`((?:src|test)\/[\w./-]+\.ts)`/g)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})

it('G11 the threat model lists exactly the known limits of the suite, each with its reason', () => {
  const list = PAGE.slice(PAGE.indexOf('<!-- known limits -->')).split('\n## ')[0] ?? ''
  const listed = [...list.matchAll(/^\| `([\w-]+\/[\w-]+)` +\| (.+?) +\|$/gm)].map(
    ([, id, reason]) => `${id}: ${reason}`,
  )
  const known = ATTEMPTS.flatMap(({ id, knownLimit }) => (knownLimit === undefined ? [] : [`${id}: ${knownLimit}`]))
  expect(listed.toSorted()).toEqual(known.toSorted())
})

it('G11 the attempts are many, of every class, and each has a unique id', () => {
  const ids = ATTEMPTS.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  expect(ids.filter((id) => !/^[a-z-]+\/[\w-]+$/.test(id))).toEqual([])
  const ordinary = ATTEMPTS.filter(({ expects }) => expects === 'harmless').length
  expect(ordinary).toBeGreaterThanOrEqual(60)
  expect(ids.length - ordinary).toBeGreaterThanOrEqual(250)
})

it('G11 the short form says who the attacker is, what holds and what does not', () => {
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
  for (const title of ['Report a vulnerability', 'Who the attacker is', 'What holds', 'What does not hold']) {
    expect(text).toContain(`## ${title}`)
  }
  expect(text).toContain('not a sandbox')
  expect(text).toContain('managed mode')
})
