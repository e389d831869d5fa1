// Keeps the list of claimed requirements true: each has a test that really runs, and no test names one not claimed.
// Reads the titles from the source text, so it says what exists, not what passes: passing is the other tests' business.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { SPEC_CLAIMS } from './spec-claims.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TEST_FOLDERS = ['src', 'test', 'dashboard']
const REQUIREMENT_NUMBER = /^([PDHMBRTCLGKZ]\d+) /
// A conditional skip does not count either: where the condition holds, nothing would prove the requirement.
const SKIPPING = new Set(['skip', 'todo', 'skipIf', 'runIf'])

describe('the claimed requirements', () => {
  const titles = readTestFiles().flatMap(collectTitles)

  it('each have a test whose title begins with the number', () => {
    expect(findUncovered(Object.keys(SPEC_CLAIMS), titles)).toEqual([])
  })

  it('are all that test titles name', () => {
    expect(findUnclaimed(Object.keys(SPEC_CLAIMS), titles)).toEqual([])
  })
})

describe('collecting titles', () => {
  it.each([
    ["it('P1 a', f)", ['P1 a']],
    ["test('P1 a', f)", ['P1 a']],
    ["it.only('P1 a', f); it.concurrent('P1 b', f)", ['P1 a', 'P1 b']],
    ["it.each([1, 2])('P1 %s', f)", ['P1 %s']],
    ["test.for([1])('P1 %s', f)", ['P1 %s']],
    ["it.each`a | b`('P1 $a', f)", ['P1 $a']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test contains a template
    ['for (const x of xs) it(`P1 ${x}`, f)', ['P1 ']],
    ["it('P1 ' + x, f)", ['P1 ']],
    ["describe('P1 a', () => { it('b', f) })", ['P1 a', 'b']],
    ["describe('P1 from elsewhere', () => { runContract() })", ['P1 from elsewhere']],
  ])('finds what runs in %s', (source, expected) => {
    expect(collectTitles(source)).toEqual(expected)
  })

  it.each([
    "it.skip('P1 a', f)",
    "it.todo('P1 a')",
    "test.skip.each([1])('P1 a', f)",
    "it.skipIf(isWindows)('P1 a', f)",
    "describe.skip('P1 a', () => { it('P1 b', f) })",
    "describe('P1 a', () => { it.skip('P1 b', f) })",
    "// it('P1 a', f)",
    "submit('P1 a', f)",
  ])('skips titles that may not run in %s', (source) => {
    expect(collectTitles(source)).toEqual([])
  })
})

describe('comparing titles with claims', () => {
  it('names the requirement that has no test, without taking D1 for D10', () => {
    expect(findUncovered(['D1', 'D10'], ['D10 swaps', 'about D1 too'])).toEqual(['D1'])
  })

  it('names the test of a requirement that is not claimed', () => {
    expect(findUnclaimed(['D1'], ['D1 runs in order', 'D99 flies', 'Dispatch works'])).toEqual(['D99 flies'])
  })
})

function findUncovered(claimed: string[], titles: string[]): string[] {
  return claimed.filter((number) => !titles.some((title) => title.startsWith(`${number} `)))
}

function findUnclaimed(claimed: string[], titles: string[]): string[] {
  return titles.filter((title) => {
    const number = REQUIREMENT_NUMBER.exec(title)?.[1]
    return number !== undefined && !claimed.includes(number)
  })
}

function readTestFiles(): string[] {
  return TEST_FOLDERS.map((folder) => join(ROOT, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => readFileSync(file, 'utf8'))
}

function collectTitles(text: string): string[] {
  return titlesBelow(ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest)).running
}

interface Titles {
  running: string[]
  skipped: number
}

function titlesBelow(node: ts.Node): Titles {
  const found: Titles = { running: [], skipped: 0 }
  ts.forEachChild(node, (child) => {
    const { running, skipped } = titlesAt(child)
    found.running.push(...running)
    found.skipped += skipped
  })
  return found
}

function titlesAt(node: ts.Node): Titles {
  const call = ts.isCallExpression(node) ? readTestCall(node) : undefined
  if (!call) return titlesBelow(node)
  if (call.isSkipped) return { running: [], skipped: 1 }
  const inside = titlesBelow(node)
  // A suite in which every test is skipped proves nothing; a suite without tests gets them from a function.
  const isEmptied = inside.running.length === 0 && inside.skipped > 0
  return isEmptied ? inside : { running: [call.title, ...inside.running], skipped: inside.skipped }
}

function readTestCall(call: ts.CallExpression): { title: string; isSkipped: boolean } | undefined {
  const title = call.arguments[0] && leadingText(call.arguments[0])
  if (title === undefined) return undefined
  const names = calleeNames(call.expression)
  if (!['it', 'test', 'describe'].includes(names[0] ?? '')) return undefined
  return { title, isSkipped: names.some((name) => SKIPPING.has(name)) }
}

/** `it.skip.each(rows)` → it, skip, each. */
function calleeNames(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text]
  if (ts.isPropertyAccessExpression(callee)) return [...calleeNames(callee.expression), callee.name.text]
  if (ts.isCallExpression(callee)) return calleeNames(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return calleeNames(callee.tag)
  return []
}

/** The part of a title that is known without running the code. */
function leadingText(title: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(title)) return title.text
  if (ts.isTemplateExpression(title)) return title.head.text
  if (ts.isBinaryExpression(title)) return leadingText(title.left)
  return undefined
}
