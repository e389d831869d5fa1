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

/** What a shell offers for each of the typed lines: one shell asks for all of them, with this between the answers. */
const BETWEEN = '\u001e'

async function offers(shell: readonly [string, ...string[]], typed: readonly string[]): Promise<string[]> {
  const [program, ...args] = shell
  const { stdout, stderr } = await runProgram(program, [...args, ...typed], { env, cwd: place.project })
  expect(stderr).toBe('')
  const answers = stdout.split(BETWEEN).slice(0, -1)
  expect(answers).toHaveLength(typed.length)
  return answers
}

describe.skipIf(!has('bash'))('bash', () => {
  const complete = (typed: readonly string[]) => {
    const script = `eval "$(arc completion bash)"
for typed; do
  COMP_LINE=$typed COMP_POINT=\${#typed} COMPREPLY=()
  read -ra COMP_WORDS <<<"$typed"
  case "$typed" in *' ') COMP_WORDS+=('') ;; esac
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  _arc
  printf '%s\\n' "\${COMPREPLY[@]}" '${BETWEEN}'
done`
    return offers(['bash', '--norc', '-c', script, 'bash'], typed)
  }

  it('completes commands, options and names', async () => {
    const answers = await complete(CASES.map(([typed]) => typed))
    for (const [at, [typed, offered, isExact = false]] of CASES.entries()) {
      verify(typed, words(answers[at] ?? ''), offered, isExact)
    }
  })

  it('leaves the words of a command under check to the shell, and runs nothing that a name holds', async () => {
    const answers = await complete(['arc check -- gi', 'arc profile use \\$'])
    expect(answers.map(words)).toEqual([[], []])
  })
})

describe.skipIf(!has('zsh'))('zsh', () => {
  it('the script is valid and, asked through compadd, offers what bash offers', async () => {
    // The widget of zsh needs a terminal; its function does not, once compadd says what fits, as the real one does.
    const script = `compadd() { shift; for one; do [[ $one == "$current"* ]] && print -r -- $one; done }; compset() { :; }; _files() { :; }
eval "$(arc completion zsh)"
for typed; do words=("\${(@s/ /)typed}"); CURRENT=\${#words}; _arc; print -r -- '${BETWEEN}'; done; true`
    const cases = CASES.filter(([line]) => !line.includes('='))
    const typedLines = cases.map(([typed]) => typed)
    const answers = await offers(['zsh', '-f', '-c', script, 'zsh'], typedLines)
    for (const [at, [typed, offered, isExact = false]] of cases.entries()) {
      verify(typed, words(answers[at] ?? ''), offered, isExact)
    }
  })
})

describe.skipIf(!has('fish'))('fish', () => {
  it('offers the same, with what each means', async () => {
    const script = `arc completion fish | source; for typed in $argv; complete -C $typed; echo '${BETWEEN}'; end`
    const typedLines = CASES.map(([typed]) => typed)
    const answers = await offers(['fish', '--no-config', '-c', script], typedLines)
    for (const [at, [typed, offered, isExact = false]] of CASES.entries()) {
      const found = (answers[at] ?? '').split('\n').map((line) => (line.split('\t')[0] ?? '').replace(/^--\w+=/, ''))
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
