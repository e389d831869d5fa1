// Files that are missing, misspelt, damaged or gone: through the installed line, the strictest of what was last in force
// holds, and the message of the host says so.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type InstalledAgent, installAgent } from './installed-agent.ts'
import { ARC, onlyJson, type Ran } from './run-arc.ts'
import { askNobody } from './supervised-home.ts'

const DANGER = 'git push --force origin main'
const children: ChildProcess[] = []

let agent: InstalledAgent
let profile: string

beforeEach(async () => {
  agent = await installAgent('enforce')
  profile = join(agent.home, 'profiles/default.json')
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

async function startDaemon(): Promise<void> {
  const env = { ...process.env, ...agent.env, ARC_HOME: agent.home, ARC_PROFILE: '' } as NodeJS.ProcessEnv
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], { env })
  children.push(child)
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
      if (said.includes('socket')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
}

const isStopped = ({ stdout, code }: Ran): boolean => code === 2 || /"permissionDecision":"(?:deny|ask)"/.test(stdout)

async function expectStopped(env: Record<string, string> = {}): Promise<string> {
  const ran = await agent.call(DANGER, env)
  expect({ isStopped: isStopped(ran), ...ran }).toMatchObject({ isStopped: true })
  return ran.stdout + ran.stderr
}

// Files are followed a moment later where a daemon runs.
async function untilStopped(): Promise<void> {
  while (!isStopped(await agent.call(DANGER))) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function failedChecks(): Promise<string[]> {
  const { checks } = JSON.parse((await agent.arc('doctor', '--json')).stdout) as {
    checks: { name: string; ok: boolean; fix: string | null }[]
  }
  for (const { ok, fix } of checks) expect(ok || (fix ?? '') !== '').toBe(true)
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

function emptyHome(except: string): void {
  for (const name of readdirSync(agent.home)) {
    if (name !== except) rmSync(join(agent.home, name), { recursive: true })
  }
}

describe('a fresh profile that was never loaded', () => {
  it.each([
    ['an unknown key', '{ "enforcement": "enforce", "hoooks": {} }'],
    ['a bad entry of a hook', '{ "enforcement": "enforce", "hooks": { "memory-sync": { "timeout": "x" } } }'],
    ['a hook that does not exist', '{ "enforcement": "enforce", "hooks": { "memroy-sync": { "enabled": false } } }'],
    ['a bad command', '{ "enforcement": "enforce", "commands": [{ "event": "pre_tol", "command": "x" }] }'],
    ['a text that cannot be parsed', '{ "enforcement": "enforce", "hooks": { '],
    ['a misspelt mode', '{ "enforcement": "enforec" }'],
    ['a misspelt key of the mode', '{ "enforcment": "enforce" }'],
    ['a missing base', '{ "extends": "nope", "enforcement": "enforce" }'],
  ])('G6 with %s keeps the mode that it asks for, and says so', async (_what, text) => {
    const other = await installAgent('log')
    agent = { ...other }
    profile = join(agent.home, 'profiles/default.json')
    rmSync(join(agent.home, 'last-good'), { recursive: true, force: true })
    writeFileSync(profile, text)
    const said = await expectStopped()
    expect(said).toContain('Mode enforce is in force')
    expect(await failedChecks()).toContain('configuration')
  })

  it('G6 with a bad entry keeps its good entries', async () => {
    const commands = [
      { event: 'pre_tool_use', command: 'echo stopped >&2; exit 2', name: 'mine', blocking: true },
      { event: 'nowhere', command: 'x' },
    ]
    writeFileSync(profile, JSON.stringify({ enforcement: 'enforce', commands, unknown: 1 }))
    expect((await agent.call('ls')).stderr).toContain('mine')
  })
})

describe.each([['without a daemon'], ['with a daemon']])('%s', (with_) => {
  beforeEach(async () => {
    await expectStopped()
    if (with_ === 'with a daemon') await startDaemon()
  })

  it('G6 a profile in the environment that does not exist, or is laxer, loosens nothing', async () => {
    expect(await expectStopped({ ARC_PROFILE: 'nope' })).toContain('There is no profile nope')
    await expectStopped({ ARC_PROFILE: '../../etc/passwd' })
    const hooks = { 'risk-detection': { enabled: false }, 'supervision-gate': { mode: 'log' } }
    writeFileSync(
      join(agent.home, 'profiles/lax.json'),
      JSON.stringify({ enforcement: 'off', risk: { floor: false }, hooks }),
    )
    await expectStopped({ ARC_PROFILE: 'lax' })
    await expectStopped({ ARC_PROFILE: 'lax', ARC_LAUNCH: 'launch-forged' })
    await expectStopped({ ARC_PROFILE: 'lax', ARC_LAUNCH: '../profiles' })
  })

  it('G6 a broken profile whose last good copy is gone', async () => {
    rmSync(join(agent.home, 'last-good'), { recursive: true })
    writeFileSync(profile, '{ "enforcement": "log", ')
    await untilStopped()
    expect(await expectStopped()).toContain('Mode enforce is in force')
    expect(await failedChecks()).toEqual(expect.arrayContaining(['configuration', 'mode']))
  })

  it('G6 a deleted rogue file does not stay in force', async () => {
    const rogue = join(agent.home, 'config.json')
    writeFileSync(join(agent.home, 'profiles/lax.json'), '{ "enforcement": "off", "risk": { "floor": false } }')
    writeFileSync(rogue, '{ "profile": "lax", "hooks": { "risk-detection": { "enabled": false } } }')
    while (isStopped(await agent.call(DANGER))) await new Promise((resolve) => setTimeout(resolve, 50))
    rmSync(rogue)
    await untilStopped()
    expect(await expectStopped()).toContain('Mode enforce is in force')
  })
})

describe('an emptied home', () => {
  it('G6 stays as strict as it was, is reported, and a new profile begins with that mode', async () => {
    await expectStopped()
    emptyHome('bin')
    const said = await expectStopped()
    expect(said).toContain('the last known mode applies: enforce')
    expect(await failedChecks()).toContain('mode')
    expect(onlyJson(await agent.arc('mode', '--json'))).toMatchObject({ mode: 'enforce', source: 'last in force' })
    expect(onlyJson(await agent.arc('init', '--json'))).toMatchObject({ enforcement: 'enforce' })
    await expectStopped()
    expect(await failedChecks()).not.toContain('mode')
  })

  it('G6 also when another profile was in use', async () => {
    askNobody(agent.home)
    await agent.arc('profile', 'create', 'strict')
    await agent.arc('profile', 'set', 'enforcement', 'enforce', '--profile', 'strict')
    await agent.arc('profile', 'use', 'strict')
    writeFileSync(profile, '{ "enforcement": "log" }')
    await expectStopped()
    emptyHome('bin')
    await expectStopped()
    mkdirSync(join(agent.home, 'profiles'), { recursive: true })
    writeFileSync(profile, '{ "enforcement": "log" }')
    await expectStopped()
  })

  it('G6 holds with no more than the launcher as well', async () => {
    await expectStopped()
    rmSync(join(agent.home, 'profiles'), { recursive: true })
    rmSync(join(agent.home, 'last-good'), { recursive: true })
    rmSync(join(agent.user, '.local/state'), { recursive: true })
    // The second copy is gone, so the state of the home has to do.
    await expectStopped()
  })
})

it('G6 arc launch sets its profile for the run, and only for the run', async () => {
  writeFileSync(join(agent.home, 'profiles/lax.json'), JSON.stringify({ enforcement: 'log', tool: 'probe' }))
  const bin = join(agent.user, 'bin')
  mkdirSync(bin)
  const call = {
    session_id: 's',
    cwd: agent.user,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_use_id: 'one',
  }
  writeFileSync(join(agent.user, 'payload'), JSON.stringify({ ...call, tool_input: { command: DANGER } }))
  const line = `'${agent.home}/bin/arc' hook claude <'${agent.user}/payload'`
  writeFileSync(join(bin, 'probe'), `#!/bin/sh\n${line}\necho "code $?"\necho "$ARC_LAUNCH" >'${agent.user}/id'\n`, {
    mode: 0o755,
  })
  const { runArc } = await import('./run-arc.ts')
  const env = { ...agent.env, ARC_HOME: agent.home, PATH: `${bin}:${process.env.PATH}` }
  const ran = await runArc(['launch', 'lax'], { home: agent.home, env, cwd: agent.user })
  expect(ran.stdout).toContain('code 0')
  const { readFileSync } = await import('node:fs')
  await expectStopped({ ARC_PROFILE: 'lax', ARC_LAUNCH: readFileSync(join(agent.user, 'id'), 'utf8').trim() })
})
