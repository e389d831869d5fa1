// Agents choose the texts that the rules read, so no pattern may take long on any of them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { classifyRisk } from './classify.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PATTERNS = [...new Set(['', 'rules'].flatMap((name) => patternsIn(join(FOLDER, name))))]
// Longer than the code that the rules read: a pattern that takes the square of the length would need minutes.
const LONG = 200_000
const HOSTILE = ['a', ' ', '/', '.', '-', '0', "'", '"', '(', 'prod ', 'a.', ' ,', '-r'].map(
  (part) => `${part.repeat(LONG)}\u0000!`,
)

describe('the patterns of the rules', () => {
  it('are found by this test', () => {
    expect(PATTERNS.length).toBeGreaterThan(10)
  })

  it.each(PATTERNS)('B10 %s repeats nothing that repeats', (pattern) => {
    expect(hasNestedRepeat(pattern.slice(1, pattern.lastIndexOf('/')))).toBe(false)
  })

  it('B10 the check sees nested repeats', () => {
    expect(['(a+)+', '(?:a*b)*', '([ab]+)*', '((a{2,}))+'].map(hasNestedRepeat)).toEqual([true, true, true, true])
    expect(['(ab)+', 'a+b*', '(?:a|b)?c', '\\(a+\\)+', '[(a+)]+'].map(hasNestedRepeat)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })

  // A linear search takes milliseconds, one that takes the square of the length minutes.
  it.each(PATTERNS)('B10 %s ends on hostile texts', { timeout: 30_000 }, (pattern) => {
    const end = pattern.lastIndexOf('/')
    const compiled = new RegExp(pattern.slice(1, end), pattern.slice(end + 1))
    for (const text of HOSTILE) expect(typeof compiled.test(text)).toBe('boolean')
  })
})

describe('long commands', () => {
  it.each(['a ', '-r ', '$(', '"', "'", '| ', '; ', '{', '/* ', '<<A\n', 'rm -rf x ', '\\', '--', 'x=1 '])(
    'B10 a text of many %j is classified',
    (part) => {
      const assessment = classifyRisk({ tool: 'shell', args: { command: part.repeat(50_000 / part.length) } })
      expect(assessment.tier).toBeGreaterThan(0)
    },
  )

  it.each(['python3 -c', 'psql -c', 'node -e', 'perl -e'])('B10 %s with long code is classified', (program) => {
    for (const part of ['(', 'os.remove(', '"', 'DROP ', '-- ', 'exec(', '`', 'a', '~a', '$a ', '="~']) {
      const code = `~${part.repeat(90_000 / part.length)}`
      expect(classifyRisk({ tool: 'shell', args: { command: `${program} '${code}'` } }).tier).toBeGreaterThan(0)
    }
  })
})

function patternsIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return files.flatMap((name) => {
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest))
    return found
  })
}

// A group that holds an unbounded repeat, and is itself repeated without bound.
function hasNestedRepeat(source: string): boolean {
  const bare = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x')
  const open: boolean[] = []
  let isRepeated = false
  for (let at = 0; at < bare.length; at++) {
    const isRepeat =
      bare[at] === '*' || (bare[at] === '+' && bare[at - 1] !== undefined) || /^\{\d+,\}/.test(bare.slice(at))
    if (bare[at] === '(') {
      open.push(isRepeated)
      isRepeated = false
    } else if (bare[at] === ')') {
      const inner: boolean = isRepeated
      const next = bare.slice(at + 1)
      if (inner && /^(?:[*+]|\{\d+,\})/.test(next)) return true
      isRepeated = (open.pop() ?? false) || inner
    } else if (isRepeat) isRepeated = true
  }
  return false
}
