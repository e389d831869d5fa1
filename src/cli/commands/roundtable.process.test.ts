// `arc roundtable` with small programs for agents: what they are asked, what becomes of those that misbehave, and what is
// kept however it ends. The tests of signals and terminals start the real binary.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ARC, jsonLines, onlyJson, type Ran } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { answerHookCall } from '../../daemon/hook-call/answer.ts'
import { SupervisorPool } from '../../daemon/hook-call/supervisor-pool.ts'
import { openRoundtable, roundtableKey } from '../../roundtable/machine.ts'
import { takeSeat } from '../../roundtable/session-seats.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'

interface Turn {
  readonly agent: string
  readonly role: string
  readonly round: number
  readonly outcome: string
  readonly content: string
  readonly reason: string | null
  readonly durationMs: number
}

interface Table {
  readonly id: string
  readonly status: string
  readonly turns: readonly Turn[]
  readonly consensus: number | null
  readonly summary: string | null
  readonly keyPoints: readonly string[]
  readonly synthesis: {
    readonly isFallback: boolean
    readonly agent: string | null
    readonly reason: string | null
  } | null
}

let root: string
let home: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arc-table-'))
  home = join(root, 'home')
  mkdirSync(join(root, 'bin'))
  mkdirSync(join(home, 'profiles'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A program in the folder of programs; it is known by its name. */
function program(name: string, script: string): string {
  const file = join(root, 'bin', name)
  writeFileSync(file, script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

function profile(name: string, settings: object): void {
  writeFileSync(join(home, `profiles/${name}.json`), JSON.stringify(settings))
}

const env = () => ({ PATH: `${join(root, 'bin')}:${process.env.PATH}`, HOME: root })
const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home, cwd: root, env: env() })
const table = (...args: string[]): Promise<Ran> => arc('roundtable', ...args)
const shown = async (id = 'last'): Promise<Table> => onlyJson<Table>(await table('show', id, '--json'))
const logs = async (...args: string[]) => jsonLines((await arc('logs', '--json', '--limit', '500', ...args)).stdout)

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it never came to that')
}

const SUM = '{"consensus": 0.75, "summary": "Both, in their place.", "keyPoints": ["width", "layout"]}'
/** Says who it is and which role it was given, and sums up when asked to. */
const ECHO = `prompt=$(cat)
case "$prompt" in *'"keyPoints"'*) echo 'As asked:'; echo '${SUM}'; exit 0;; esac
role=$(printf '%s' "$prompt" | grep -o 'You are the [a-z]*\\|You are neutral' | head -1)
round=$(printf '%s' "$prompt" | grep -o 'round [0-9]* of [0-9]*' | head -1)
turns=$(printf '%s' "$prompt" | grep -c '^<turn ')
echo "$role, $round, after $turns turns, as $ARC_PROFILE"`

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

describe('R7 a roundtable on the command line', () => {
  it('R7 asks profiles and commands in turns, with their roles, and prints what it came to', async () => {
    program('echo-agent', ECHO)
    profile('ann', { headless: 'echo-agent' })
    profile('bob', { headless: ['echo-agent', '--flag'] })
    const ran = await table('Tabs', 'or', 'spaces?', '--agents', 'ann,bob', '--agent', 'cy=echo-agent', '--json')
    expect(ran.code).toBe(0)
    const told = onlyJson<Table>(ran)
    expect(told).toMatchObject({
      ...{ topic: 'Tabs or spaces?', status: 'complete', agents: ['ann', 'bob', 'cy'], rounds: 2 },
      ...{ consensus: 0.75, summary: 'Both, in their place.', keyPoints: ['width', 'layout'] },
      turns: [
        {
          agent: 'ann',
          role: 'advocate',
          round: 1,
          content: 'You are the advocate, round 1 of 2, after 0 turns, as ann',
        },
        { agent: 'bob', role: 'critic', round: 1, content: 'You are the critic, round 1 of 2, after 1 turns, as bob' },
        { agent: 'cy', role: 'neutral', content: 'You are neutral, round 1 of 2, after 2 turns, as default' },
        { agent: 'ann', round: 2, content: 'You are the advocate, round 2 of 2, after 3 turns, as ann' },
        { agent: 'bob', round: 2 },
        { agent: 'cy', round: 2, outcome: 'spoken' },
      ],
    })
    expect(told.turns.every(({ durationMs }) => durationMs > 0)).toBe(true)
    expect(await shown(told.id.slice(0, 12))).toEqual(told)
    expect(onlyJson<Table[]>(await table('list', '--json'))).toEqual([told])
  })

  it('R7 takes the seats without a session of a table that a message opened, and waits for the session', async () => {
    program('echo-agent', ECHO)
    profile('default', { enforcement: 'advise' })
    profile('ann', { headless: 'echo-agent' })
    const opening = 'roundtable: tabs? agents: ann, claude rounds: 1'
    const pool = new SupervisorPool(home, () => undefined)
    onTestFinished(() => pool.close())
    const hook = (event: string, more: object) => {
      const payload = { session_id: 'own', cwd: root, hook_event_name: event, ...more }
      return answerHookCall({ host: 'claude', payload: JSON.stringify(payload) }, pool)
    }
    await hook('UserPromptSubmit', { prompt: opening })
    const { id } = await shown()
    const ran = await table('--resume', id)
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain(`${id} waits for claude (critic, round 1 of 1): continue in its session (claude).`)
    expect(await shown()).toMatchObject({ status: 'active', isDriven: false, turns: [{ agent: 'ann' }] })
    expect((await hook('UserPromptSubmit', { prompt: 'go on' })).stdout).toContain('You are the critic')
    await hook('Stop', { last_assistant_message: 'No.' })
    await hook('Stop', { last_assistant_message: SUM })
    expect(await shown()).toMatchObject({ status: 'complete', turns: [{}, { content: 'No.' }], consensus: 0.75 })
  })

  it('R7 drives all agents of a table that its sessions deserted', async () => {
    program('echo-agent', ECHO)
    profile('ann', { headless: 'echo-agent' })
    const plan = { id: 'rt-old', topic: 'tabs?', agents: ['ann'], rounds: 1, at: Date.now() - 9_999, idleMs: 1 }
    const left = takeSeat(openRoundtable(plan), { agent: 'ann', session: 'gone', at: 1 }).table
    const state = new SqliteStateStore(join(home, 'arc.db'))
    state.set(roundtableKey('gone'), left, 0)
    state.close()
    expect((await table('show', 'last')).stdout).toContain('To continue: arc roundtable --resume rt-old')
    expect(await table('--resume', 'rt-old')).toMatchObject({ code: 0 })
    expect(await shown()).toMatchObject({ status: 'complete', turns: [{ agent: 'ann', outcome: 'spoken' }] })
  })

  it('R7 prints the turns as they come, in plain lines', async () => {
    program('echo-agent', ECHO)
    const ran = await table('Tabs?', '--agent', 'ann=echo-agent', '--agent', 'bob=echo-agent', '--rounds', '1')
    expect(ran.code).toBe(0)
    const [head, facts, ...rest] = ran.stdout.split('\n')
    expect(head).toBe('Tabs?')
    expect(facts).toMatch(/^rt-\w{26} · 1 round · ann \(advocate\), bob \(critic\)$/)
    expect(rest.join('\n')).toMatch(
      /^\nann {2}advocate · round 1 of 1 · [\d.]+s\n {2}You are the advocate, .*\n\nbob {2}critic/,
    )
    expect(rest.join('\n')).toMatch(
      /Synthesis {2}by bob · [\d.]+s\n {2}consensus: 75 %\n {2}Both, in their place\.\n {2}• width/,
    )
    expect(ran.stderr).toContain('ann (advocate) is speaking, round 1 of 1 …')
    for (const sign of ['\r', '\u001b']) expect(ran.stderr).not.toContain(sign)
    const again = await table('show', 'last')
    expect(again.stdout.split('\n').slice(3)).toEqual(ran.stdout.split('\n').slice(2))
    expect((await table('list')).stdout).toMatch(/rt-\w{26} {2}complete {2}2\/2 .*s +Tabs\?/)
  })

  it('R7 starts known agents as they answer one prompt, supervised for the turn only', async () => {
    const args = `printf '%s|' "$@"; cat > prompt.txt; test -e "$2" && echo "with settings"; exit 0`
    program('claude', args)
    program('qwen', `test -e "$QWEN_CODE_SYSTEM_SETTINGS_PATH" && echo "with settings"; ${args}`)
    profile('default', { enforcement: 'enforce' })
    const { turns } = onlyJson<Table>(await table('Tabs?', '--agents', 'claude,qwen', '--rounds', '1', '--json'))
    expect(turns[0]?.content).toMatch(/^--settings\|\S+settings\.json\|-p\|with settings$/)
    expect(turns[1]?.content).toBe('with settings\n|')
    expect(readdirSync(join(home, 'run')).filter((name) => name.startsWith('launch-'))).toEqual([])
    const launches = await logs('--component', 'launch')
    expect(new Set(launches.map(({ point, host }) => `${point} ${host}`))).toEqual(
      new Set(['pre:launch claude', 'pre:launch qwen']),
    )
  })

  it('R7 skips the turn of agents that fail, and continues without them', async () => {
    program('echo-agent', ECHO)
    program('fails', 'echo half; echo "no credit left" >&2; exit 1')
    program('silent', 'cat > /dev/null')
    program('flood', 'head -c 200000000 /dev/zero | tr "\\0" "x"')
    const agents = ['ann=echo-agent', 'bad=fails', 'mute=silent', 'gone=./no-such-program', 'loud=flood']
    const given = agents.flatMap((agent) => ['--agent', agent])
    const ran = await table('Tabs?', ...given, '--rounds', '1', '--synthesizer', 'ann', '--json')
    expect(ran.code).toBe(0)
    const { turns, consensus } = onlyJson<Table>(ran)
    expect(turns).toMatchObject([
      { agent: 'ann', outcome: 'spoken' },
      { agent: 'bad', outcome: 'failed', content: '', reason: 'it ended with exit code 1: no credit left' },
      { agent: 'mute', outcome: 'silent', content: '' },
      { agent: 'gone', outcome: 'failed', reason: expect.stringContaining('could not be started') },
      { agent: 'loud', outcome: 'spoken', reason: expect.stringMatching(/clipped: 8000 of .*cut by \d+ bytes/) },
    ])
    expect(turns[4]?.content.length).toBe(8_000)
    expect(consensus).toBe(0.75)
    const rows = await logs('--component', 'roundtable', '--action', 'roundtable:turn-end')
    expect(rows.map(({ level }) => level)).toEqual(['info', 'warn', 'warn', 'warn', 'info'])
  })

  it('R7 ends one that hangs with everything it started, though it ignores TERM', async () => {
    program('echo-agent', ECHO)
    program('hangs', `trap '' TERM; sh -c 'trap "" TERM; echo $$ > grandchild; sleep 1000' & echo $$ > child; wait`)
    // On a busy machine the limit may be too short for the other agent as well: then a longer one is taken.
    for (const limit of ['1s', '10s', '25s']) {
      const given = ['--agent', 'a=hangs', '--agent', 'b=echo-agent', '--turn-timeout', limit, '--rounds', '1']
      const ran = await table('Tabs?', ...given)
      expect(ran.stdout).toContain(`! skipped its turn: no answer within ${limit}`)
      if ((await shown()).turns[1]?.outcome === 'spoken' || limit === '25s') {
        expect(ran.code).toBe(0)
        break
      }
    }
    expect((await shown()).turns).toMatchObject([{ outcome: 'timeout' }, { outcome: 'spoken' }])
    for (const name of ['child', 'grandchild']) {
      expect(isAlive(Number(readFileSync(join(root, name), 'utf8')))).toBe(false)
    }
  })

  it('R7 exits 1 when no agent spoke, and says so rather than inventing a consensus', async () => {
    program('fails', 'exit 1')
    const ran = await table('Tabs?', '--agent', 'a=fails', '--agent', 'b=fails', '--json')
    expect(ran.code).toBe(1)
    expect(onlyJson<Table>(ran)).toMatchObject({
      ...{ consensus: null, keyPoints: [], summary: 'There is no synthesis: no agent spoke.' },
      synthesis: { isFallback: true, agent: null, reason: 'no agent spoke' },
    })
  })

  it.each([
    ['half of the JSON', `echo '{"consensus": 0.9, "summ'`, null, ['ann: I say so.', 'bob: I say so.']],
    ['prose', 'echo "They agree on everything."', 'They agree on everything.', []],
    ['nothing', 'exit 0', null, ['ann: I say so.', 'bob: I say so.']],
    ['a failure', 'exit 3', null, ['ann: I say so.', 'bob: I say so.']],
  ])('R7 falls back plainly when the synthesis is %s', async (_what, script, summary, keyPoints) => {
    program('agent', `case "$(cat)" in *'"keyPoints"'*) ${script}; exit 0;; esac; echo "I say so."`)
    const ran = await table('Tabs?', '--agent', 'ann=agent', '--agent', 'bob=agent', '--rounds', '1', '--json')
    expect(ran.code).toBe(0)
    const told = onlyJson<Table>(ran)
    expect(told).toMatchObject({ status: 'complete', consensus: null, keyPoints, synthesis: { isFallback: true } })
    expect(told.summary).toContain(summary ?? 'There is no synthesis. 2 of 2 turns were spoken')
    expect((await table('show', 'last')).stdout).toContain('! no structured synthesis: ')
  })

  it('R7 lets nothing that an agent says reach the terminal as a command to it', async () => {
    const nasty = String.raw`\033]0;owned\007\033[2J\033[31mred\033[0m\r\033Pq\033\\ \302\233 \342\200\256txt`
    program('nasty', `printf '${nasty}'; printf '${nasty}' >&2`)
    program('fails', `printf '${nasty}' >&2; exit 1`)
    const ran = await table('\u001b[31mTabs\u0007?', '--agent', 'a=nasty', '--agent', 'b=fails', '--rounds', '1')
    const looks = [
      ran,
      await table('show', 'last'),
      await table('list'),
      await arc('logs', '--component', 'roundtable'),
    ]
    for (const { stdout, stderr } of looks) {
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
      expect(stdout + stderr).not.toContain('\u202e')
    }
    expect(ran.stdout).toContain('red')
  })
})

describe('R7 the pipeline of a roundtable', () => {
  it('R7 blocks a topic if messages are held, names hook and reason, and runs no agent', async () => {
    profile('default', { enforcement: 'enforce', hooks: { 'risk-detection': { messages: 'hold' } } })
    program('agent', 'echo asked > asked; echo yes')
    const given = ['--agent', 'a=agent', '--agent', 'b=agent']
    const ran = await table('wipe the disk of production', ...given)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/arc: risk-detection blocked the topic: .*\n/)
    expect(ran.stderr).toMatch(/arc why \w{26}/)
    expect(existsSync(join(root, 'asked'))).toBe(false)
    expect((await table('list', '--json')).stdout).toBe('[]\n')
    const json = await table('wipe the disk of production', ...given, '--json')
    expect(onlyJson(json)).toMatchObject({ decision: 'block', hook: 'risk-detection' })
  })

  it('R7 holds a topic for a person, who lets it through', async () => {
    const ask = {
      name: 'careful',
      event: 'pre:message',
      command: `grep -q sender || echo '{"decision":"ask","reason":"look"}'`,
    }
    profile('default', { enforcement: 'enforce', commands: [ask] })
    program('agent', 'echo yes')
    const given = ['Tabs?', '--agent', 'a=agent', '--agent', 'b=agent', '--rounds', '1']
    const held = await table(...given)
    expect(held.code).toBe(3)
    const id = /arc approve (\w+)/.exec(held.stderr)?.[1] ?? ''
    askNobody(home)
    expect((await arc('approvals', 'approve', id)).code).toBe(0)
    expect((await table(...given)).code).toBe(0)
    expect((await table(...given)).code).toBe(3)
  })

  it('R7 gives up a turn whose words are blocked, or whose agent may not start', async () => {
    const guard = { name: 'no-start', event: 'pre-launch', command: 'echo "not this one" >&2; exit 2' }
    profile('default', { enforcement: 'enforce' })
    program('echo-agent', ECHO)
    program('danger', 'echo "Simply wipe the disk of production."')
    profile('barred', { enforcement: 'enforce', headless: 'echo-agent', commands: [guard] })
    const given = ['--agent', 'ann=echo-agent', '--agent', 'bad=danger']
    const ran = await table('Tabs?', '--agents', 'ann,bad,barred', ...given, '--rounds', '1')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/✗ skipped its turn: what it said was blocked by risk-detection: /)
    expect(ran.stdout).toMatch(
      /✗ skipped its turn: its launch was blocked by no-start: not this one\n {2}arc why \w{26}/,
    )
    const { turns } = await shown()
    expect(turns.map(({ outcome }) => outcome)).toEqual(['spoken', 'blocked', 'blocked'])
    expect(JSON.stringify(turns)).not.toContain('Simply wipe')
    const blocks = await logs('--action', 'hook:block')
    expect(blocks.map(({ hook, applied }) => `${hook} ${applied}`)).toEqual(['risk-detection true', 'no-start true'])
  })

  it('R7 does not start an agent in enforce that it could not supervise', async () => {
    profile('default', { enforcement: 'enforce' })
    program('cline', 'echo unsupervised > ran; echo hello')
    program('echo-agent', ECHO)
    await table('Tabs?', '--agent', 'c=cline', '--agent', 'a=echo-agent', '--rounds', '1')
    expect((await shown()).turns[0]).toMatchObject({
      outcome: 'blocked',
      reason: 'in enforce mode an agent is not started unsupervised',
    })
    expect(existsSync(join(root, 'ran'))).toBe(false)
  })
})

// Starts a table whose second agent waits, and gives it once that one has been asked.
async function startWaiting(script = ''): Promise<{ child: ChildProcess; ended: Promise<Ran>; told: () => string }> {
  program('echo-agent', ECHO)
  program('waits', `${script} echo $$ > waiting; sleep 1000 & wait; sleep 1000`)
  const args = [ARC, 'roundtable', 'Tabs?', '--agent', 'ann=echo-agent', '--agent', 'bob=waits']
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env(), ARC_HOME: home, ARC_PROFILE: '', NO_COLOR: '1' },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
  await until(() => existsSync(join(root, 'waiting')) && readFileSync(join(root, 'waiting'), 'utf8').endsWith('\n'))
  return { child, ended, told: () => stderr }
}

const waitingPid = () => Number(readFileSync(join(root, 'waiting'), 'utf8'))

describe('R7 a roundtable that is broken off', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('R7 by %s keeps the turns, ends the agent, and says how to show and resume it', async (signal, code) => {
    const { child, ended } = await startWaiting()
    child.kill(signal)
    const ran = await ended
    expect(ran.code).toBe(code)
    const { id, status, turns } = await shown()
    expect(ran.stderr).toContain(`arc roundtable show ${id} · to continue: arc roundtable --resume ${id}`)
    expect({ status, turns }).toMatchObject({ status: 'interrupted', turns: [{ agent: 'ann', outcome: 'spoken' }] })
    expect(isAlive(waitingPid())).toBe(false)
    program('waits', ECHO)
    const again = await table('--resume', id, '--agent', 'ann=echo-agent', '--agent', 'bob=waits', '--json')
    expect(again.code).toBe(0)
    expect(onlyJson<Table>(again)).toMatchObject({
      id,
      status: 'complete',
      consensus: 0.75,
      turns: [turns[0], {}, {}, {}],
    })
    expect((await table('--resume', id, '--agent', 'ann=echo-agent', '--agent', 'bob=waits')).code).toBe(1)
  })

  it('R7 ends at once at the second Ctrl-C, with an agent that would not end', async () => {
    const { child, ended, told } = await startWaiting(`trap '' TERM;`)
    child.kill('SIGINT')
    await until(() => told().includes('Press Ctrl-C again'))
    child.kill('SIGINT')
    const ran = await ended
    expect(ran.code).toBe(130)
    expect(ran.stderr).not.toContain('Interrupted;')
    await until(() => !isAlive(waitingPid()))
    expect(await shown()).toMatchObject({ status: 'interrupted', turns: [{ agent: 'ann' }] })
  })

  it('R7 by kill -9 has all finished turns, and shows that it has no driver', async () => {
    const { child, ended } = await startWaiting()
    expect(await shown()).toMatchObject({ status: 'active', speaking: { agent: 'bob', role: 'critic' } })
    child.kill('SIGKILL')
    await ended
    expect(await shown()).toMatchObject({ status: 'interrupted', turns: [{ agent: 'ann', outcome: 'spoken' }] })
    expect((await table('show', 'last')).stdout).toContain('To continue: arc roundtable --resume rt-')
    process.kill(waitingPid(), 'SIGKILL')
    for (const pid of childrenOf(waitingPid())) process.kill(pid, 'SIGKILL')
  })
})

// What the killed program leaves behind is the test's to end.
function childrenOf(group: number): readonly number[] {
  const found = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2] === String(group) && Number(name) !== group
    } catch {
      return false
    }
  })
  return found.map(Number)
}

describe('R7 what the command line refuses', () => {
  it.each([
    [['--agents', 'claude,codex'], 2, 'expected a topic'],
    [['Tabs?', '--agents', 'claude'], 2, 'at least two agents'],
    [['Tabs?', '--agents', 'claude,Claude'], 2, 'at least two agents'],
    [['Tabs?', '--agents', 'claude,codex', '--rounds', 'many'], 2, '--rounds must be a whole number'],
    [['Tabs?', '--agents', 'claude,codex', '--turn-timeout', 'soon'], 2, '--turn-timeout must be like'],
    [['Tabs?', '--agents', 'claude,codex', '--synthesizer', 'x'], 2, '--synthesizer must be one of claude, codex'],
    [['x'.repeat(2_001), '--agents', 'claude,codex'], 2, 'at most 2000 characters'],
    [['Tabs?', '--agents', 'claude,codexx'], 1, 'Did you mean "codex"?'],
    [['Tabs?', '--agents', 'claude,cline'], 1, `--agent cline='COMMAND'`],
    [['Tabs?', '--agents', 'claude,default'], 1, 'arc profile set headless'],
    [['Tabs?', '--agents', 'claude,codex', '--rounds', '99'], 1, '1 to 10 rounds'],
    [['Tabs?', '--agent', 'nothing'], 1, "--agent takes name='command'"],
    [['--resume', 'rt-none'], 1, 'ARC_ROUNDTABLE_UNKNOWN'],
    [['show', 'rt-none'], 1, 'ARC_ROUNDTABLE_UNKNOWN'],
    [['list', '--limit', '0'], 2, '--limit must be'],
  ] as const)('%j', async (args, code, message) => {
    const ran = await table(...args)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
  })

  it('takes agents and rounds from the words of the topic, or else from the profile', async () => {
    program('agent', 'echo yes')
    const hooks = { roundtable: { options: { agents: ['p', 'q'], rounds: 1 } } }
    profile('default', { hooks })
    for (const name of ['ann', 'bob', 'p', 'q']) profile(name, { headless: 'agent' })
    await table('roundtable: Tabs? agents: ann, bob rounds: 3')
    expect(await shown()).toMatchObject({ topic: 'Tabs?', agents: ['ann', 'bob'], rounds: 3 })
    await table("let's discuss tabs")
    expect(await shown()).toMatchObject({ topic: 'tabs', agents: ['p', 'q'], rounds: 1 })
  })
})

// The one of util-linux: it gives a program a terminal and hands back its exit code.
const MAKE_TERMINAL = 'script'
const canBeTerminal =
  spawnSync(MAKE_TERMINAL, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
if (!canBeTerminal) console.warn('skipped: there is no "script" of util-linux here to make a terminal with')

describe.skipIf(!canBeTerminal)('on a terminal', () => {
  it('a line says who speaks and for how long, and goes when the turn is there', async () => {
    program('slow', 'until test -e ticked; do sleep 0.1; done; echo slowly said')
    const line = `"${process.execPath}" "${ARC}" roundtable Tabs? --agent ann=slow --agent bob=slow --rounds 1`
    const options = { cwd: root, env: { ...process.env, ...env(), TERM: 'xterm', ARC_HOME: home, NO_COLOR: '1' } }
    const child = spawn(MAKE_TERMINAL, ['-qec', `stty cols 80 rows 40; ${line}`, '/dev/null'], options)
    let screen = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      screen += chunk
      if (/… [1-9]\d*s/.test(screen)) writeFileSync(join(root, 'ticked'), '')
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(0)
    expect(screen).toMatch(/ann \(advocate\) is speaking, round 1 of 1 … 0s\r +\r/)
    expect(screen).toMatch(/ann \(advocate\) is speaking, round 1 of 1 … [1-9]\d*s\r +\r/)
    expect(screen).toContain('slowly said')
    expect(screen).not.toContain('\u001b')
    const lines = screen.split('\r\n').map((text) => text.slice(text.lastIndexOf('\r') + 1))
    expect(lines.filter((text) => text.includes('is speaking'))).toEqual([])
    expect(lines.filter((text) => text.length > 80)).toEqual([])
  })
})
