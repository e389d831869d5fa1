// The binary on a real pseudo terminal: questions, colours and the width of lines.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canBePerson } from '../../test/person.ts'
import { ARC, onlyJson, type Ran, runArc } from '../../test/run-arc.ts'
import { LAYER, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'

// The one of util-linux: it gives a program a terminal and hands back its exit code.
const MAKE_TERMINAL = 'script'
const canBeTerminal =
  spawnSync(MAKE_TERMINAL, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
if (!canBeTerminal) console.warn('skipped: there is no "script" of util-linux here to make a terminal with')

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArc(args, { home: place.home, cwd: place.project })

interface OnTerminal {
  readonly code: number | null
  readonly screen: string
}

// Types the answer once the question is shown.
function onTerminal(
  line: string,
  options: { answer?: string; env?: Record<string, string> } = {},
): Promise<OnTerminal> {
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...others } = process.env
  const env = { ...others, TERM: 'xterm', ARC_HOME: place.home, ARC_PROFILE: '', ...options.env }
  const command = `stty cols 80 rows 40; "${process.execPath}" "${ARC}" ${line}`
  return new Promise((resolve) => {
    const child = spawn(MAKE_TERMINAL, ['-qec', command, '/dev/null'], { cwd: place.project, env })
    let screen = ''
    let isAnswered = false
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk
      if (isAnswered || options.answer === undefined || !screen.includes('Type yes')) return
      isAnswered = true
      child.stdin.write(options.answer)
    })
    child.on('close', (code) => resolve({ code, screen }))
  })
}

describe.skipIf(!canBeTerminal || !canBePerson)('on a terminal', () => {
  it.each([
    ['y\r', 1, false],
    ['yes\r', 0, true],
    ['\r', 1, false],
    ['n\r', 1, false],
    ['yep\r', 1, false],
    ['\u0004', 1, false],
    ['\u0003', 1, false],
  ])('C2 trust asks, and only a clear yes counts: %j', async (answer, code, isTrusted) => {
    place.write('project/check.sh', 'echo checked\n')
    place.write(LAYER, { commands: [{ name: 'own', event: 'pre:tool', command: './check.sh' }] })
    const ran = await onTerminal('trust', { answer })
    expect(ran.screen).toContain('echo checked')
    expect(ran.screen).toContain('Type yes')
    expect([answer, ran.code === 0]).toEqual([answer, code === 0])
    const names = onlyJson<{ name: string }[]>(await arc('hooks', 'list', '--json')).map(({ name }) => name)
    expect(names.includes('own')).toBe(isTrusted)
  })

  it.each([
    ['yes\r', true],
    ['n\r', false],
  ])('profile delete asks: %j', async (answer, isDeleted) => {
    place.write(PROFILE, {})
    place.write('home/profiles/old.json', {})
    const { code } = await onTerminal('profile delete old', { answer })
    expect(code).toBe(isDeleted ? 0 : 1)
    expect(existsSync(join(place.home, 'profiles/old.json'))).toBe(!isDeleted)
  })

  it('has colours, and none with NO_COLOR or in a pipe', async () => {
    const colour = '\u001b['
    const line = `check -- 'git push --force'`
    const painted = await onTerminal(line)
    expect(painted.code).toBe(2)
    expect(painted.screen).toContain(colour)
    const plain = await onTerminal(line, { env: { NO_COLOR: '1' } })
    expect(plain.screen).not.toContain(colour)
    expect(stripVTControlCharacters(painted.screen)).toBe(plain.screen)
    expect((await arc('check', '--', 'git push --force')).stdout).toBe(plain.screen.replaceAll('\r\n', '\n'))
  })

  it('what a new user looks at fits 80 columns', async () => {
    await arc('sample', '--wait', '0')
    const lines = [
      'init',
      'profile list',
      'hooks list',
      'logs',
      'why last',
      'breaker status',
      'check -- rm -rf /',
      '--help',
    ]
    for (const line of lines) {
      const isRead = ['logs', 'why last'].includes(line)
      const { screen } = await onTerminal(line, isRead ? { env: { ARC_HOME: join(place.home, 'sample') } } : {})
      const shown = stripVTControlCharacters(screen).replaceAll(place.home, '~/.arc').split('\r\n')
      expect({ line, wide: shown.filter((text) => text.length > 80) }).toEqual({ line, wide: [] })
    }
  })
})
