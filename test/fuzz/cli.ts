// The real binary with random arguments and input: it ends with a message and never shows a stack.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Ran, runArc } from '../run-arc.ts'
import { hostileRecord, hostileText, jsonText, mutated, wellFormedText } from './arbitraries.ts'
import type { FuzzTarget } from './target.ts'

// Only looks, changes what is in its own home, or is refused; nothing that serves, follows or launches.
const COMMANDS = [
  ...[
    'check',
    'logs',
    'why',
    'hooks list',
    'hooks enable',
    'hooks disable',
    'hooks match',
    'breaker status',
    'trace verify',
  ],
  ...[
    'profile list',
    'profile show',
    'profile set',
    'profile create',
    'task list',
    'task show',
    'task accept',
    'task delegate',
  ],
  ...[
    'approvals list',
    'approvals approve',
    'script check',
    'status',
    'completion',
    'install',
    'nothing',
    'trust',
    'help',
  ],
]
const OPTIONS = [
  '--json',
  '--limit',
  '--since',
  '--decision',
  '--cwd',
  '--tool',
  '--as',
  '--from',
  '--to',
  '--for',
  '--dry-run',
  '--help',
  '--',
]

// The system passes no NUL in an argument.
const word = wellFormedText.map((text) => text.replaceAll('\0', ''))
const args = fc
  .tuple(fc.constantFrom(...COMMANDS), fc.array(fc.oneof(word, fc.constantFrom(...OPTIONS)), { maxLength: 4 }))
  .map(([command, rest]) => [...command.split(' '), ...rest])

const STACK = /\n\s+at .+:\d+|node:internal|SqliteError|TypeError|RangeError|ReferenceError/

function assertPlain({ code, stderr, stdout }: Ran): void {
  assert.ok(code !== null && [0, 1, 2, 3].includes(code), `ended with ${code}: ${stderr}`)
  assert.ok(!STACK.test(stderr), `a stack: ${stderr}`)
  if (code === 2) assert.notEqual(stderr + stdout, '', 'a usage error without a word')
}

const argumentsTarget: FuzzTarget<string[]> = {
  name: 'arguments',
  input: args,
  cost: 300,
  open: () => {
    const home = mkdtempSync(join(tmpdir(), 'arc-fuzz-'))
    return {
      close: () => rmSync(home, { recursive: true, force: true }),
      check: async (given) => assertPlain(await runArc(given, { home, cwd: home, env: { HOME: home } })),
    }
  },
}

const line = fc.oneof(
  jsonText(hostileRecord(['id', 'command', 'cwd'])),
  fc.record({ id: fc.nat(), command: hostileText }).map((asked) => JSON.stringify(asked)),
  mutated(['{"id":1,"command":"git push --force","cwd":"/srv"}']),
)
const lines = fc.array(
  line.map((text) => text.replaceAll(/[\r\n\u2028\u2029]/g, ' ')),
  { minLength: 1, maxLength: 200 },
)

// One answer for each line that holds anything, in order.
const linesTarget: FuzzTarget<string[]> = {
  name: 'check --jsonl',
  input: lines,
  cost: 500,
  open: () => {
    const home = mkdtempSync(join(tmpdir(), 'arc-fuzz-'))
    return {
      close: () => rmSync(home, { recursive: true, force: true }),
      check: async (given) => {
        const ran = await runArc(['check', '--jsonl'], { home, cwd: home, input: `${given.join('\n')}\n` })
        assertPlain(ran)
        const answers = ran.stdout.split('\n').filter((text) => text !== '')
        const asked = given.filter((text) => text.trim() !== '')
        assert.equal(answers.length, asked.length, ran.stderr)
        for (const [at, answer] of answers.entries())
          assert.equal(JSON.stringify(idOf(answer)), JSON.stringify(idIn(asked[at])))
      },
    }
  },
}

function idOf(answer: string): unknown {
  return (JSON.parse(answer) as { id: unknown }).id
}

function idIn(text = ''): unknown {
  try {
    const asked = JSON.parse(text) as { id?: unknown } | null
    return typeof asked === 'object' && !Array.isArray(asked) ? (asked?.id ?? null) : null
  } catch {
    return null
  }
}

// A database with a byte changed is a chain that does not verify, a message, or a byte that meant nothing: never a crash.
const tamperedTarget: FuzzTarget<[number, number]> = {
  name: 'trace verify',
  input: fc.tuple(fc.nat(1_000_000), fc.integer({ min: 1, max: 255 })),
  cost: 300,
  open: async () => {
    const root = mkdtempSync(join(tmpdir(), 'arc-fuzz-'))
    assertPlain(await runArc(['sample', '--wait', '0'], { home: root }))
    const home = join(root, 'sample')
    const file = join(home, 'arc.db')
    const good = readFileSync(file)
    return {
      close: () => rmSync(root, { recursive: true, force: true }),
      check: async ([place, by]) => {
        const bytes = Buffer.from(good)
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ by
        for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
        writeFileSync(file, bytes)
        const ran = await runArc(['trace', 'verify', '--json'], { home })
        assertPlain(ran)
        if (ran.stdout === '') return
        const { ok, firstBad } = JSON.parse(ran.stdout) as { ok: boolean; firstBad?: { seq: number } | null }
        assert.equal(ran.code, ok ? 0 : 1)
        assert.ok(ok || typeof firstBad?.seq === 'number', ran.stdout)
      },
    }
  },
}

export const CLI: readonly FuzzTarget[] = [
  argumentsTarget as FuzzTarget,
  linesTarget as FuzzTarget,
  tamperedTarget as FuzzTarget,
]
