// The completion scripts in real shells, with the real binary as `arc` on the path.

import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ARC, runArc, runProgram } from '../../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'

let place: SupervisedHome
let env: Record<string, string>

beforeAll(() => {
  place = makeHome()
  place.write(PROFILE, { commands: [{ name: 'lint', event: 'pre:tool', command: 'true' }] })
  place.write('home/profiles/strict.json', {})
  place.write('home/profiles/$(touch owned).json', {})
  mkdirSync(join(place.root, 'bin'))
  symlinkSync(ARC, join(place.root, 'bin', 'arc'))
  const path = `${join(place.root, 'bin')}:${process.env.PATH}`
  env = { ARC_HOME: place.home, PATH: path, ZDOTDIR: place.root, XDG_CONFIG_HOME: place.root, HOME: place.root }
})
afterAll(() => place.remove())

function has(shell: string): boolean {
  const isThere = spawnSync(shell, ['--version']).status === 0
  if (!isThere) console.warn(`skipped: ${shell} is not installed, so its completion is not tried`)
  return isThere
}

const words = (text: string) => text.split(/\s+/).filter(Boolean).sort()

// What is typed, and what is offered among the rest; `exactly` where nothing else may be.
const CASES: readonly (readonly [typed: string, offered: readonly string[], exactly?: boolean])[] = [
  ['arc prof', ['profile'], true],
  ['arc profile ', ['list', 'show', 'create', 'use', 'set', 'unset', 'delete']],
  ['arc profile use ', ['default', 'strict'], true],
  ['arc profile use s', ['strict'], true],
  ['arc init --enforcement ', ['off', 'log', 'advise', 'enforce', 'warn'], true],
  ['arc init --enforcement=e', ['enforce'], true],
  ['arc logs --json --dec', ['--decision'], true],
  ['arc hooks disable risk', ['risk-detection'], true],
  ['arc hooks disable l', ['lint'], true],
  ['arc install cl', ['claude', 'cline'], true],
  ['arc completion ', ['bash', 'zsh', 'fish'], true],
  ['arc untr', ['untrust'], true],
]

function verify(typed: string, found: readonly string[], offered: readonly string[], isExact: boolean): void {
  const wanted = [...offered].sort()
  expect({ typed, found: isExact ? found : found.filter((word) => wanted.includes(word)) }).toEqual({
    typed,
    found: wanted,
  })
}

describe.skipIf(!has('bash'))('bash', () => {
  const complete = async (typed: string) => {
    const script = `eval "$(arc completion bash)"
COMP_LINE=$1 COMP_POINT=\${#1}
read -ra COMP_WORDS <<<"$1"
case "$1" in *' ') COMP_WORDS+=('') ;; esac
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_arc
printf '%s\\n' "\${COMPREPLY[@]}"`
    return runProgram('bash', ['--norc', '-c', script, 'bash', typed], { env, cwd: place.project })
  }

  it.each(CASES.map((one) => [one[0], one] as const))(
    '%j is completed',
    async (_name, [typed, offered, isExact = false]) => {
      const { stdout, stderr } = await complete(typed)
      expect(stderr).toBe('')
      verify(typed, words(stdout), offered, isExact)
    },
  )

  it('leaves the words of a command under check to the shell, and runs nothing that a name holds', async () => {
    expect(words((await complete('arc check -- gi')).stdout)).toEqual([])
    expect(words((await complete('arc profile use \\$')).stdout)).toEqual([])
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  it('the script is valid and, asked through compadd, offers what bash offers', async () => {
    for (const [typed, offered, isExact = false] of CASES.filter(([line]) => !line.includes('='))) {
      // The widget of zsh needs a terminal; its function does not, once compadd says what fits, as the real one does.
      const script = `compadd() { shift; for one; do [[ $one == "$current"* ]] && print -r -- $one; done }; compset() { :; }; _files() { :; }
eval "$(arc completion zsh)"
words=("\${(@s/ /)1}"); CURRENT=\${#words}
_arc`
      const ran = await runProgram('zsh', ['-f', '-c', script, 'zsh', typed], { env, cwd: place.project })
      expect(ran.stderr).toBe('')
      verify(typed, words(ran.stdout), offered, isExact)
    }
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  it('offers the same, with what each means', async () => {
    for (const [typed, offered, isExact = false] of CASES) {
      const script = 'arc completion fish | source; complete -C $argv[1]'
      const ran = await runProgram('fish', ['--no-config', '-c', script, typed], { env, cwd: place.project })
      expect(ran.stderr).toBe('')
      const found = ran.stdout.split('\n').map((line) => (line.split('\t')[0] ?? '').replace(/^--\w+=/, ''))
      verify(typed, found.filter(Boolean).sort(), offered, isExact)
    }
  })
})

it('prints one script and nothing else, whatever state the home is in', async () => {
  const broken = join(place.root, 'broken')
  place.write('broken/profiles/default.json', '{')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await runArc(['completion', shell], { home: broken })
    expect([shell, code, stderr]).toEqual([shell, 0, ''])
    expect(stdout).toContain('arc')
  }
  const names = await runArc(['complete', 'hook'], { home: broken })
  expect(names).toMatchObject({ code: 0, stderr: '' })
  expect(names.stdout).toContain('risk-detection\n')
})
