import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { parseText } from '../parse-text.ts'
import { formatProblem } from '../problem.ts'
import { editFile, editText } from './edit-file.ts'
import { readKeyPath } from './key-path.ts'

const KIND = { kind: 'profile' } as const

function set(file: string, text: string, key: string, value: unknown): string {
  const { text: result, problems } = editText(file, text, { path: readKeyPath(key), value }, 'profile')
  if (result === undefined) throw new Error(problems.map(formatProblem).join('\n'))
  return result
}

function refusal(file: string, text: string, key: string, value: unknown): string {
  const { problems } = editText(file, text, { path: readKeyPath(key), value }, 'profile')
  return (problems ?? []).map(formatProblem).join('\n')
}

function folder(): string {
  return makeTempFolder('arc-edit-')
}

describe('C1 a change of JSON keeps everything else', () => {
  it.each([
    [
      'replaces a value',
      '{ "enforcement": "log" /* why */, "tool":"x" }',
      'enforcement',
      'enforce',
      '{ "enforcement": "enforce" /* why */, "tool":"x" }',
    ],
    [
      'adds beside, where all is on one line',
      '{"tool":"x"}',
      'enforcement',
      'log',
      '{"tool":"x", "enforcement": "log"}',
    ],
    [
      'adds a line, and a comment stays with its own',
      '{\n\t"tool": "x" // mine\n\t// the end\n}\n',
      'enforcement',
      'log',
      '{\n\t"tool": "x", // mine\n\t"enforcement": "log"\n\t// the end\n}\n',
    ],
    [
      'keeps a trailing comma trailing',
      '{\n  "tool": "x", // mine\n}',
      'enforcement',
      'log',
      '{\n  "tool": "x", // mine\n  "enforcement": "log",\n}',
    ],
    [
      'fills an empty object, comments first',
      '// top\n{\n  // nothing yet\n}',
      'enforcement',
      'log',
      '// top\n{\n  // nothing yet\n  "enforcement": "log"\n}',
    ],
    [
      'makes the objects on the way',
      '{}\n',
      'hooks.risk-detection.timeout',
      10_000,
      '{\n  "hooks": {\n    "risk-detection": {\n      "timeout": 10000\n    }\n  }\n}\n',
    ],
    [
      'writes the line ends of the file',
      '{\r\n  "tool": "x"\r\n}\r\n',
      'breaker.cooldownMs',
      5,
      '{\r\n  "tool": "x",\r\n  "breaker": {\r\n    "cooldownMs": 5\r\n  }\r\n}\r\n',
    ],
    ['keeps a byte order mark', '\uFEFF{"tool":"x"}', 'tool', 'y', '\uFEFF{"tool":"y"}'],
    [
      'takes a key away, its line and comma too',
      '{\n  // a\n  "tool": "x",\n  "enforcement": "log" // b\n}',
      'tool',
      undefined,
      '{\n  // a\n  "enforcement": "log" // b\n}',
    ],
    [
      'takes the last key away, and the comma before it',
      '{\n  "tool": "x", // a\n  // b\n  "enforcement": "log" // c\n}',
      'enforcement',
      undefined,
      '{\n  "tool": "x" // a\n  // b\n  // c\n}',
    ],
    [
      'takes a key away within a line',
      '{ "tool": "x", "enforcement": "log" }',
      'tool',
      undefined,
      '{ "enforcement": "log" }',
    ],
    ['takes an item of a list away', '{ "scripts": ["a", "b"] }', 'scripts[1]', undefined, '{ "scripts": ["a"] }'],
    [
      'replaces within a list',
      '{ "scripts": ["a", /* 2 */ "b"] }',
      'scripts[1]',
      'c',
      '{ "scripts": ["a", /* 2 */ "c"] }',
    ],
  ])('%s', (_title, text, key, value, expected) => {
    expect(set('p.json', text, key, value)).toBe(expected)
  })
})

describe('C1 a change of YAML keeps everything else', () => {
  it.each([
    [
      'replaces a value',
      'enforcement:   log   # why\ntool: x\n',
      'enforcement',
      'enforce',
      'enforcement:   enforce   # why\ntool: x\n',
    ],
    [
      'adds a line',
      '# top\ntool: x # mine\n\n# the end\n',
      'enforcement',
      'log',
      '# top\ntool: x # mine\nenforcement: log\n\n# the end\n',
    ],
    ['adds a line at the end of a file without one', 'tool: x', 'enforcement', 'log', 'tool: x\nenforcement: log\n'],
    [
      'makes the objects on the way',
      'tool: x\n',
      'hooks.risk-detection.timeout',
      10_000,
      'tool: x\nhooks:\n  risk-detection:\n    timeout: 10000\n',
    ],
    [
      'adds within a block, at its depth',
      'hooks:\n    timeout: 5 # ms\ntool: x\n',
      'hooks.errorBehavior',
      'log',
      'hooks:\n    timeout: 5 # ms\n    errorBehavior: log\ntool: x\n',
    ],
    [
      'adds within braces',
      'hooks: { timeout: 5 } # ms\n',
      'hooks.errorBehavior',
      'log',
      'hooks: { timeout: 5, errorBehavior: log } # ms\n',
    ],
    [
      'adds under a key without a value',
      'breaker: # soon\ntool: x\n',
      'breaker.cooldownMs',
      5,
      'breaker: # soon\n  cooldownMs: 5\ntool: x\n',
    ],
    [
      'adds after a block of text',
      'tool: |\n  a\n  b\n',
      'enforcement',
      'log',
      'tool: |\n  a\n  b\nenforcement: log\n',
    ],
    ['writes the line ends of the file', 'tool: x\r\n', 'enforcement', 'log', 'tool: x\r\nenforcement: log\r\n'],
    ['keeps a byte order mark', '\uFEFFtool: x\n', 'enforcement', 'log', '\uFEFFtool: x\nenforcement: log\n'],
    [
      'takes a key away and leaves its comment',
      '# a\ntool: x # b\nenforcement: log\n',
      'tool',
      undefined,
      '# a\n# b\nenforcement: log\n',
    ],
    ['quotes what would not be text', 'tool: x\n', 'tool', 'off', 'tool: "off"\n'],
    ['writes a list on one line', 'tool: x\n', 'scripts', ['a b', 'c'], 'tool: x\nscripts: ["a b", c]\n'],
  ])('%s', (_title, text, key, value, expected) => {
    expect(set('p.yaml', text, key, value)).toBe(expected)
  })

  it('a change through an alias, which would change something else too, is refused with its place', () => {
    const text = 'hooks:\n  roundtable: &a\n    timeout: 5\n  memory-sync: *a\n'
    expect(refusal('p.yaml', text, 'hooks.memory-sync.timeout', 6)).toMatch(
      /^p\.yaml:3:\d+: .*cannot be changed from here/,
    )
    expect(refusal('p.yaml', text, 'hooks.roundtable.timeout', 6)).toMatch(
      /^p\.yaml:3:\d+: .*cannot be changed from here/,
    )
  })
})

describe('C1 a change that would make the file invalid is refused, with place and suggestion', () => {
  it.each([
    [
      'p.json',
      '{\n  "tool": "x"\n}',
      'enforcment',
      'log',
      /^p\.json:3:3: There is no key "enforcment".*Did you mean "enforcement"\?/,
    ],
    [
      'p.yaml',
      'tool: x\n',
      'enforcement',
      'enforc',
      /^p\.yaml:2:14: enforcement: expected one of .*Did you mean "enforce"\?/,
    ],
    ['p.json', '{}', 'hooks.timeout', '5', /Write it without quotes/],
    ['p.json', '{ "tool": ', 'tool', 'x', /^p\.json:1:\d+: Expected a value, but the file ends here/],
    ['p.json', '{ "tool": "x" }', 'tool.name', 'y', /^p\.json:1:11: tool\.name cannot be set/],
    ['p.json', '{ "scripts": [] }', 'scripts[3]', 'y', /scripts\[3\] cannot be set/],
    ['p.json', '{}', '__proto__.polluted', true, /__proto__/],
    ['p.yaml', 'tool: x\n', '__proto__.polluted', true, /__proto__/],
    ['p.json', '', 'tool', 'x', /the file is empty/],
  ])('%s %j %s = %j', (file, text, key, value, message) => {
    expect(refusal(file, text, key, value)).toMatch(message)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('but a change that fixes an invalid file is accepted', () => {
    expect(set('p.json', '{ "enforcement": "strict" }', 'enforcement', 'log')).toBe('{ "enforcement": "log" }')
    expect(set('p.json', '{ "mode": 1, "tool": "x" }', 'mode', undefined)).toBe('{ "tool": "x" }')
  })
})

it.each([
  ['hooks."a.b".mode', ['hooks', 'a.b', 'mode']],
  ['commands[0].blocking', ['commands', 0, 'blocking']],
  ['hooks."a\\"b"', ['hooks', 'a"b']],
])('the key %s is read', (text, path) => expect(readKeyPath(text)).toEqual(path))

it.each(['', '.', 'a..b', 'a.', '[0]', 'a[x]', 'a b"c', 'a."b', ' a'])('the key %j is refused', (text) => {
  expect(() => readKeyPath(text)).toThrow(/Expected a key such as/)
})

describe('any sequence of changes', () => {
  const hook = fc.constantFrom('risk-detection', 'roundtable', 'a.b', 'ünï', 'x y', 'c#d', 'e: f')
  const text = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('off', '5', '# x', '// y', 'a: b', '- c', 'é\n', '"', "'"),
  )
  const word = text.map((given) => `w${given}`.trim())
  const change = fc.oneof(
    fc.tuple(fc.constant(['enforcement']), fc.constantFrom('off', 'log', 'advise', 'enforce')),
    fc.tuple(fc.constant(['tool']), word),
    fc.tuple(fc.constant(['hooks', 'timeout']), fc.integer({ min: 1, max: 80_000 })),
    fc.tuple(
      hook.map((name) => ['hooks', name, 'timeout']),
      fc.integer({ min: 1, max: 80_000 }),
    ),
    fc.tuple(
      hook.map((name) => ['hooks', name, 'options', 'deep', 'er']),
      // The parsers drop a key __proto__, so what was set could not be read back.
      fc.jsonValue({ noUnicodeString: false }).filter((value) => !JSON.stringify(value).includes('__proto__')),
    ),
    fc.tuple(fc.constant(['breaker', 'cooldownMs']), fc.integer({ min: 1, max: 80_000 })),
    fc.tuple(fc.constant(['scripts']), fc.array(word, { maxLength: 3 })),
  ) as fc.Arbitrary<[string[], unknown]>
  const starts: Record<string, string[]> = {
    'p.json': [
      '{}',
      '// c1\n{\n  // c2\n  "tool": "x", // c3\n  /* c4 */ "hooks": { /* c5 */ "timeout": 5 /* c6 */ } // c7\n  // c8\n} // c9\n',
      '\uFEFF{ /* c1 */ "enforcement": /* c2 */ "log", "hooks": {\r\n\t// c3\r\n}, "breaker": {"cooldownMs": 7,} }\r\n',
    ],
    'p.yaml': [
      '{}\n',
      '# c1\ntool: x # c2\nhooks: # c3\n    # c4\n    timeout: 5 # c5\n    # c6\n\n# c7\nbreaker: { cooldownMs: 7 } # c8\n# c9\n',
      '\uFEFF---\r\nenforcement: "log" # c1\r\nscripts:\r\n- a # c2\r\n- b\r\n# c3\r\n',
    ],
  }

  for (const [file, texts] of Object.entries(starts)) {
    it(`keeps all comments and all other keys of ${file}, and what was set is there`, () => {
      fc.assert(
        fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 8 }), (start, changes) => {
          let current = start
          for (const [path, value] of changes) {
            const before = plainValue(file, current)
            const { text: next, problems } = editText(file, current, { path, value }, 'profile')
            if (next === undefined) throw new Error(problems.map(formatProblem).join('\n'))
            current = next
            const after = plainValue(file, current)
            expect(at(after, path)).toEqual(JSON.parse(JSON.stringify(value)))
            expect(without(after, path)).toEqual(without(before, path))
          }
          // A comment is removed only with the value that contains it.
          const lost = (start.match(/c\d/g) ?? []).filter((comment) => !current.includes(comment))
          expect(lost.filter((comment) => !(file === 'p.yaml' && comment === 'c2'))).toEqual([])
          expect(current.startsWith('\uFEFF')).toBe(start.startsWith('\uFEFF'))
          if (start.includes('\r\n')) expect(current.match(/[^\r]\n/)).toBeNull()
        }),
        { numRuns: 150 },
      )
    })
  }
})

describe('the file', () => {
  const change = { path: ['enforcement'], value: 'enforce' }

  it('is created for its owner only, with its folders', async () => {
    const file = join(folder(), 'a', 'b', 'p.json')
    expect(await editFile(file, change, KIND)).toMatchObject({ isChanged: true })
    expect(readFileSync(file, 'utf8')).toBe('{\n  "enforcement": "enforce"\n}\n')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(file, '..'))).toEqual(['p.json'])
  })

  it('keeps its mode, is written through a link, and not at all when nothing changes', async () => {
    const dir = folder()
    const [file, link] = [join(dir, 'real.json'), join(dir, 'link.json')]
    writeFileSync(file, '{ "enforcement": "log" }')
    chmodSync(file, 0o640)
    symlinkSync('real.json', link)
    await editFile(link, change, KIND)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe('{ "enforcement": "enforce" }')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const { ino } = statSync(file)
    expect(await editFile(link, change, KIND)).toMatchObject({ isChanged: false })
    expect(statSync(file).ino).toBe(ino)
  })

  it('is created where a link leads that leads nowhere yet', async () => {
    const dir = folder()
    mkdirSync(join(dir, 'dotfiles'))
    symlinkSync(join('dotfiles', 'p.json'), join(dir, 'p.json'))
    await editFile(join(dir, 'p.json'), change, KIND)
    expect(existsSync(join(dir, 'dotfiles', 'p.json'))).toBe(true)
    expect(lstatSync(join(dir, 'p.json')).isSymbolicLink()).toBe(true)
  })

  it('stays as it is, to the byte, when the change is refused, by the schema or by the caller', async () => {
    const file = join(folder(), 'p.json')
    writeFileSync(file, '{ "tool": "x" ')
    expect((await editFile(file, change, KIND)).problems?.[0]?.line).toBe(1)
    expect(readFileSync(file, 'utf8')).toBe('{ "tool": "x" ')
    writeFileSync(file, '{}')
    const problem = { kind: 'invalid', file, line: 1, column: 1, key: '', message: 'No.' } as const
    expect((await editFile(file, change, { ...KIND, check: () => [problem] })).problems).toEqual([problem])
    expect(readFileSync(file, 'utf8')).toBe('{}')
    expect(readdirSync(join(file, '..'))).toEqual(['p.json'])
  })

  it('loses nothing when an editor, which knows of no lock, writes between reading and replacing', async () => {
    const file = join(folder(), 'p.json')
    writeFileSync(file, '{}')
    let times = 0
    const check = () => {
      if (times++ === 0) writeFileSync(file, '{ "tool": "by hand" }')
      return []
    }
    await editFile(file, change, { ...KIND, check })
    expect(readFileSync(file, 'utf8')).toBe('{ "tool": "by hand", "enforcement": "enforce" }')
    expect(times).toBe(2)
  })

  it('is not held up by the lock of a process that died', async () => {
    const dir = folder()
    const lock = join(dir, '.p.json.lock')
    const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid'])
    writeFileSync(lock, `${stdout.trim()} gone`)
    await editFile(join(dir, 'p.json'), change, KIND)
    writeFileSync(lock, `${process.pid} of a process that stands still`)
    utimesSync(lock, new Date(0), new Date(0))
    await editFile(join(dir, 'p.json'), { ...change, value: 'log' }, KIND)
    expect(readdirSync(dir)).toEqual(['p.json'])
  })

  it('takes many changes at once and loses none', async () => {
    const file = join(folder(), 'p.json')
    writeFileSync(file, '// top\n{}\n')
    const names = Array.from({ length: 30 }, (_, index) => `h${index}`)
    await Promise.all(names.map((name) => editFile(file, { path: ['hooks', name, 'timeout'], value: 5 }, KIND)))
    const value = plainValue(file, readFileSync(file, 'utf8')) as { hooks: Record<string, unknown> }
    expect(Object.keys(value.hooks).sort()).toEqual(names.sort())
  })
})

function plainValue(file: string, text: string): unknown {
  return parseText(file, text).parsed?.value
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value)
}

// The value without one leaf, and without the objects that only held it.
function without(value: unknown, [part = '', ...rest]: readonly string[]): unknown {
  const { [part]: held, ...others } = (value ?? {}) as Record<string, unknown>
  const inner = rest.length === 0 || typeof held !== 'object' ? {} : without(held, rest)
  return Object.keys(inner as object).length === 0 ? others : { ...others, [part]: inner }
}
