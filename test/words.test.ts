// Proves that the vocabulary check finds what the glossary retires, and nothing else.
// The sources exist only in memory; the last test reads the real glossary.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findWordProblems, readGlossary } from '../scripts/check/words.mjs'

const GLOSSARY = `
## Words
| word | meaning | replaces |
| ---- | ------- | -------- |
| step | one action | |
| reply | what a host gets back | \`said\` |
## Retired names
| instead of | write |
| ---------- | ----- |
| \`desk\`, \`leftout\` | endpoint, service |
## Retired phrases
| instead of | write |
| ---------- | ----- |
| \`unless set\`, \`mend\`, \`of its own\` | default, fix |
`

describe('K1 an exported name', () => {
  it.each([
    ['export class TaskDesk {}', 'src/a.ts:1: "desk" in TaskDesk: write endpoint, service'],
    ['\nexport function openDesk() {}', 'src/a.ts:2: "desk" in openDesk: write endpoint, service'],
    ['export const DESK_LIMIT_MS = 1', 'src/a.ts:1: "desk" in DESK_LIMIT_MS: write endpoint, service'],
    ['export interface Said {}', 'src/a.ts:1: "said" in Said: write reply'],
    ['export type Desk = 1', 'src/a.ts:1: "desk" in Desk: write endpoint, service'],
    ['export const leftOut = 1', 'src/a.ts:1: "leftout" in leftOut: write endpoint, service'],
    ['export function keyOf() {}', 'src/a.ts:1: keyOf ends in Of: start with a verb, as in readOptions'],
    ['export const keyOf = () => 1', 'src/a.ts:1: keyOf ends in Of: start with a verb, as in readOptions'],
  ])('with a retired word is found in %j', (source, expected) => {
    expect(check({ 'src/a.ts': source })).toEqual([expected])
  })

  it('may contain the letters of a retired word inside another word', () => {
    expect(check({ 'src/a.ts': 'export const desktop = 1\nexport class Saidi {}' })).toEqual([])
  })

  it('is checked in the product, not in tests and scripts', () => {
    const text = 'export class Desk {}'
    expect(check({ 'src/a.test.ts': text, 'test/b.ts': text, 'scripts/c.mjs': text })).toEqual([])
  })

  it('is declared once in the tree', () => {
    const files = { 'src/a.ts': 'export type Row = 1', 'src/b.ts': '\nexport interface Row {}' }
    expect(check(files)).toEqual(['src/b.ts:2: Row is exported by src/a.ts too: an exported name occurs once'])
  })

  it('may be overloaded, exported again, and repeated between hosts', () => {
    const overloads =
      'export function read(a: string): void\nexport function read(a: number): void\nexport function read() {}'
    const files = { 'src/a.ts': overloads, 'src/index.ts': "export { read } from './a.ts'" }
    const hosts = {
      'src/hosts/x/events.ts': 'export const EVENTS = 1',
      'src/hosts/y/events.ts': 'export const EVENTS = 2',
    }
    expect(check({ ...files, ...hosts })).toEqual([])
  })
})

it('K1 a file or folder name with a retired word is found', () => {
  expect(check({ 'src/task-desk.ts': '', 'dashboard/desk/a.tsx': '', 'scripts/desk.mjs': '' })).toEqual([
    'src/task-desk.ts:1: "desk" in the path: write endpoint, service',
    'dashboard/desk/a.tsx:1: "desk" in the path: write endpoint, service',
  ])
})

describe('K2 a retired phrase', () => {
  it.each([
    ['docs/a.md', 'one\nits value unless  set', 'docs/a.md:2: "unless set": write default, fix'],
    ['src/a.ts', '// Mend it.', 'src/a.ts:1: "mend": write default, fix'],
    ['src/a.ts', '/**\n * Mend it.\n */', 'src/a.ts:2: "mend": write default, fix'],
    ['src/a.ts', 'f() // mend it', 'src/a.ts:1: "mend": write default, fix'],
    ['src/a.ts', "f('mend it')", 'src/a.ts:1: "mend": write default, fix'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test contains a template
    ['src/a.ts', 'f(`${1} mend it`)', 'src/a.ts:1: "mend": write default, fix'],
    ['dashboard/a.tsx', 'const a = <p>mend it</p>', 'dashboard/a.tsx:1: "mend": write default, fix'],
    ['src/a.test.ts', "it('can mend it', f)", 'src/a.test.ts:1: "mend": write default, fix'],
  ])('is found in %s: %j', (file, text, expected) => {
    expect(check({ [file]: text })).toEqual([expected])
  })

  it('is not found inside words, in names, or in the data of a test', () => {
    expect(
      check({ 'docs/a.md': 'recommend', 'src/a.ts': 'const mend = 1', 'src/a.test.ts': "run('mend it')" }),
    ).toEqual([])
  })
})

it('K1 the glossary gives each word one line and retires no word that it defines', () => {
  const text = readFileSync(new URL('../GLOSSARY.md', import.meta.url), 'utf8')
  const section = text.slice(text.indexOf('## Words'), text.indexOf('## Retired names'))
  const words = [...section.matchAll(/^\| ([a-z][a-z ]*?) +\|/gm)].map((match) => match[1] ?? '').slice(1)
  const { names, phrases } = readGlossary(text)
  expect(words.length).toBeGreaterThanOrEqual(40)
  expect(words.length).toBe(new Set(words).size)
  expect(words.filter((word) => names.has(word))).toEqual([])
  expect(names.get('desk')).toContain('endpoint')
  expect(phrases.length).toBeGreaterThan(20)
})

function check(files: Record<string, string>): string[] {
  return findWordProblems(GLOSSARY, new Map(Object.entries(files))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  )
}
