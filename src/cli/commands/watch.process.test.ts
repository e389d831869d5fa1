// `arc watch` on a real pseudo terminal: a held step is answered, and the terminal is restored; and without a terminal.

import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { canBePerson } from '../../../test/person.ts'
import { ARC } from '../../../test/run-arc.ts'
import { makeHome, type SupervisedHome } from '../../../test/supervised-home.ts'
import { Approvals } from '../../approvals/approvals.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { canonicalize } from '../../trace/canonical.ts'

// The one of util-linux.
const MAKE_TERMINAL = 'script'
const hasScript = spawnSync(MAKE_TERMINAL, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
if (!hasScript) console.warn('skipped: there is no "script" of util-linux here to make a terminal with')

const WATCH = `sh -c 'echo PID=$$; exec "${process.execPath}" "${ARC}" watch'; echo "CODE=$?"; stty -a`
const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?25h\u001b[?1049l'

let place: SupervisedHome
let state: SqliteStateStore

beforeEach(() => {
  place = makeHome()
  place.write('home/profiles/default.json', { enforcement: 'enforce' })
  state = new SqliteStateStore(join(place.home, 'arc.db'))
})
afterEach(() => {
  state.close()
  place.remove()
})

/** A program and what it printed since the last `until`. */
class Output {
  readonly child: ChildProcessWithoutNullStreams
  #text = ''

  constructor(program: string, args: readonly string[]) {
    const env = {
      ...process.env,
      TERM: 'xterm',
      NO_COLOR: '1',
      ARC_HOME: place.home,
      ARC_PROFILE: '',
      ARC_DAEMON: 'off',
    }
    this.child = spawn(program, args, { cwd: place.project, env })
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.#text += chunk
    })
  }

  async until(wanted: string): Promise<string> {
    while (!this.#text.includes(wanted)) await new Promise((resolve) => setTimeout(resolve, 20))
    const end = this.#text.indexOf(wanted) + wanted.length
    const seen = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return seen
  }

  type(keys: string): void {
    this.child.stdin.write(keys)
  }
}

function hold(command: string) {
  const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
  const step = { point: 'pre:tool', tool: 'Bash', args: { command }, workspace: place.project, host: 'claude' }
  return approvals.hold(step, { reason: 'it deletes', hook: 'risk-detection' })
}

it.skipIf(!hasScript || !canBePerson)(
  'Q6 a held step appears with a bell, a and yes let the waiting call run, d denies; q and SIGTERM restore the terminal',
  async () => {
    const terminal = new Output(MAKE_TERMINAL, ['-qec', `stty cols 80 rows 24; ${WATCH}; ${WATCH}`, '/dev/null'])
    await terminal.until(ENTER)
    await terminal.until('nothing held')
    const approved = hold('git branch -D one\u001b[2J')
    expect(await terminal.until('\u0007')).toContain('git branch -D one\\u{1b}[2J')
    terminal.type('a')
    const question = await terminal.until('Type yes to confirm: ')
    expect(question).toContain(LEAVE)
    expect(question).toContain('command: git branch -D one')
    terminal.type('yes\r')
    expect(await approved).toMatchObject({ isApproved: true })
    await terminal.until('Approved.')
    const denied = hold('git branch -D two')
    await terminal.until('\u0007')
    terminal.type('d')
    await terminal.until('keeps it held: ')
    terminal.type('use a copy\r')
    expect(await denied).toMatchObject({ isApproved: false, status: 'denied' })
    await terminal.until('Denied.')
    terminal.type('q')
    expect(await terminal.until('CODE=0')).toContain(LEAVE)
    expect(await terminal.until('PID=')).toMatch(/ icanon .* echo /s)
    const pid = Number.parseInt(await terminal.until('\n'), 10)
    await terminal.until('nothing held')
    process.kill(pid, 'SIGTERM')
    expect(await terminal.until('CODE=143')).toContain(LEAVE)
    expect(await terminal.until('-echoprt')).toMatch(/ icanon .* echo /s)
  },
)

it('Q6 without a terminal it prints lines, as arc logs --follow', async () => {
  const piped = new Output(process.execPath, [ARC, 'watch'])
  const call = { session_id: 's', cwd: place.project, hook_event_name: 'PreToolUse', tool_use_id: 'c1' }
  const payload = JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command: 'echo hello' } })
  const hook = new Output(process.execPath, [ARC, 'hook', 'claude', 'PreToolUse'])
  hook.child.stdin.end(payload)
  expect(await piped.until('echo hello')).not.toContain('\u001b')
  const ended = new Promise((resolve) => piped.child.on('close', resolve))
  piped.child.kill()
  await ended
})
