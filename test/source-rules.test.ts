// Proves that each source rule fires on what it forbids and stays silent on clean code.
// The sources exist only in memory: nothing here depends on the state of the project.

import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { findProblems } from '../scripts/check/source-rules.mjs'

const OPTIONS: ts.CompilerOptions = { target: ts.ScriptTarget.ES2023, strict: true, noEmit: true, types: [] }
const TABLE_MARKER = '// A table: exempt from the file length limit.'
const PRELUDE = `
declare function save(): Promise<void>
declare function maybe(): number | Promise<number>
declare function report(error: unknown): void
declare const thenable: { then(done: (value: number) => void): void }
declare const clause: { then: string }
`

// The standard library is parsed once for all programs of this file.
const libraries = new Map<string, ts.SourceFile | undefined>()

describe('sizes', () => {
  it('a function of 60 lines passes, one of 61 does not', () => {
    expect(problemsOf({ 'src/a.ts': functionOf(60) })).toEqual([])
    expect(problemsOf({ 'src/a.ts': `\n${functionOf(61)}` })).toEqual([
      'src/a.ts:2: the function long has 61 lines, the limit is 60',
    ])
  })

  it.each([
    ['method', (body: string) => `export class A { long() {\n${body}\n} }`, 'the function long'],
    ['constructor', (body: string) => `export class A { constructor() {\n${body}\n} }`, 'the constructor'],
    ['getter', (body: string) => `export class A { get long() {\n${body}\nreturn 1 } }`, 'the function long'],
    ['arrow', (body: string) => `export const long = () => {\n${body}\n}`, 'the function long'],
    ['callback', (body: string) => `[1].map(() => {\n${body}\n})`, 'a function without a name'],
  ])('a long %s counts as a function', (_kind, wrap, name) => {
    expect(problemsOf({ 'src/a.ts': wrap(linesOf(70)) })).toEqual([expect.stringContaining(`${name} has 72 lines`)])
  })

  it('a file of 350 lines passes, one of 351 does not', () => {
    expect(problemsOf({ 'src/a.ts': `${linesOf(350)}\n` })).toEqual([])
    expect(problemsOf({ 'src/a.ts': `// opening\n${linesOf(350)}\n` })).toEqual([
      'src/a.ts:1: the file has 351 lines, the limit is 350',
    ])
  })

  it('a file marked as a table may be long, but the functions in it may not', () => {
    const table = `// What it is for.\n${TABLE_MARKER}\n${linesOf(400)}\n`
    expect(problemsOf({ 'src/a.ts': table })).toEqual([])
    expect(problemsOf({ 'src/a.ts': table + functionOf(61) })).toEqual([expect.stringContaining('61 lines')])
  })

  it('the mark counts only at the top of the file', () => {
    expect(problemsOf({ 'src/a.ts': `${linesOf(400)}\n${TABLE_MARKER}\n` })).toHaveLength(1)
  })

  it.each(['src/a.test.ts', 'src/hosts/fixtures/a.ts', 'test/a.ts'])('%s is exempt', (file) => {
    expect(problemsOf({ [file]: `${linesOf(400)}\n${functionOf(80)}` })).toEqual([])
  })
})

describe('any', () => {
  it.each(['const a: any = 1', 'const a = 1 as any', 'const a: Array<any> = []', 'type A<T = any> = T[]'])(
    'fires on %s, in tests too',
    (source) => {
      for (const file of ['src/a.ts', 'src/a.test.ts', 'dashboard/a.ts', 'test/a.ts']) {
        expect(problemsOf({ [file]: source })).toEqual([expect.stringMatching(`^${file}:1: no any`)])
      }
    },
  )

  it('does not fire on the word in names, texts and comments', () => {
    expect(problemsOf({ 'src/a.ts': "// any\nexport const any = 'any'\nexport const b: unknown = any" })).toEqual([])
  })
})

describe('floating promises', () => {
  it.each([
    'save()',
    '(save())',
    'maybe()',
    'thenable',
    'save().then(() => 1)',
    'save().catch(report).then(() => 1)',
    'save().finally(() => 1)',
    'report(1), save()',
    'Math.random() > 1 && save()',
    'Math.random() > 1 ? save() : report(1)',
    '(async () => 1)()',
    '[save()].pop()',
    'new Promise(() => 1)',
  ])('fires on %s', (statement) => {
    expect(problemsOf({ 'src/a.ts': inFunction(statement) })).toEqual([expect.stringContaining('floating promise')])
  })

  it.each([
    'await save()',
    'void save()',
    'return save()',
    'const kept = save(); return kept',
    'let kept = save(); kept = save(); return kept',
    'save().catch(report)',
    'save().then(() => 1, report)',
    'save().catch(report).finally(() => 1)',
    'Math.random() > 1 && save().catch(report)',
    'await maybe()',
    'report(save())',
    'return [1].map(() => save())',
    'clause',
  ])('stays silent on %s', (statement) => {
    expect(problemsOf({ 'src/a.ts': inFunction(statement) })).toEqual([])
  })

  it('fires on a value whose type parameter may be a promise', () => {
    const source = 'export function run<T extends Promise<void>>(make: () => T) {\n  make()\n}'
    expect(problemsOf({ 'src/a.ts': source })).toEqual([expect.stringMatching(/^src\/a\.ts:2: floating promise/)])
  })

  it('fires in tests too', () => {
    expect(problemsOf({ 'src/a.test.ts': inFunction('save()') })).toHaveLength(1)
  })
})

describe('names', () => {
  it.each(['src/utils.ts', 'src/core/helpers.ts', 'src/misc.test.ts', 'src/common/read.ts', 'test/helpers.ts'])(
    '%s is refused',
    (file) => {
      expect(problemsOf({ [file]: 'export {}' })).toEqual([expect.stringMatching(`^${file}:1: the name `)])
    },
  )

  it('a name that only contains such a word passes', () => {
    expect(problemsOf({ 'src/common-prefix.ts': 'export {}' })).toEqual([])
  })
})

describe('empty catch', () => {
  it.each(['catch {}', 'catch (error) {}', 'catch {\n}'])('fires on %s', (clause) => {
    expect(problemsOf({ 'src/a.ts': `try { Math.random() } ${clause}` })).toEqual([
      expect.stringContaining('empty catch'),
    ])
  })

  it.each(['catch (error) { throw error }', 'catch {\n// The file is gone already: that is what was wanted.\n}'])(
    'stays silent on %s',
    (clause) => {
      expect(problemsOf({ 'src/a.ts': `try { Math.random() } ${clause}` })).toEqual([])
    },
  )
})

it('files outside the checked folders are not looked at', () => {
  expect(problemsOf({ 'examples/utils.ts': 'const a: any = 1' })).toEqual([])
})

function problemsOf(sources: Record<string, string>): string[] {
  const files = Object.entries(sources).map(([name, text]) => [`/project/${name}`, text] as const)
  const program = ts.createProgram(
    files.map(([name]) => name),
    OPTIONS,
    hostOf(new Map(files)),
  )
  return findProblems(program, '/project').map(({ file, line, message }) => `${file}:${line}: ${message}`)
}

function hostOf(files: Map<string, string>): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS)
  const readLibrary = host.getSourceFile
  host.fileExists = (name) => files.has(name)
  host.getSourceFile = (name, version) => {
    const text = files.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, version, true)
    if (!libraries.has(name)) libraries.set(name, readLibrary(name, version))
    return libraries.get(name)
  }
  return host
}

function linesOf(count: number): string {
  return Array.from({ length: count }, () => 'Math.random()').join('\n')
}

function functionOf(lines: number): string {
  return `export function long() {\n${linesOf(lines - 2)}\n}`
}

function inFunction(statement: string): string {
  return `${PRELUDE}export async function run() {\n  ${statement}\n}`
}
