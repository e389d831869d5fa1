// `arc doctor` on real homes and real files of hosts.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { onlyJson } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { HOST_NAMES } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly fix: string | null
}

let user: string
let home: string

beforeEach(() => {
  user = makeTempFolder('arc-doctor-')
  home = join(user, '.arc')
})

const moved = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'GEMINI_CLI_HOME', 'XDG_CONFIG_HOME']
const env = () => ({ HOME: user, ...Object.fromEntries(moved.map((name) => [name, undefined])) })
const arc = (...args: string[]) => runArcInProcess(args, { home, env: env(), cwd: user })

async function doctor(
  ...args: string[]
): Promise<{ ok: boolean; checks: readonly Check[]; find(name: string): Check }> {
  const ran = await arc('doctor', '--json', ...args)
  const report = onlyJson<{ ok: boolean; checks: readonly Check[] }>(ran)
  expect(ran.code).toBe(report.ok ? 0 : 1)
  const find = (name: string): Check => {
    const check = report.checks.find((one) => one.name === name)
    if (check === undefined) throw new Error(`no check ${name} in ${report.checks.map((one) => one.name).join(', ')}`)
    return check
  }
  return { ...report, find }
}

it('finds a new home in order', async () => {
  await arc('init')
  const { ok, checks } = await doctor()
  expect(checks.filter((check) => !check.ok)).toEqual([])
  expect(ok).toBe(true)
  expect(checks.map(({ name }) => name)).toEqual([
    'home',
    'database',
    'record',
    'gaps',
    'configuration',
    'breaker',
    'retention',
    'mode',
    'daemon',
    'agents',
  ])
})

it('names what is wrong, and what to do about it', async () => {
  expect((await doctor()).find('home')).toMatchObject({ ok: false, fix: 'arc install' })
  await arc('init')
  chmodSync(home, 0o755)
  writeFileSync(join(home, 'profiles/default.json'), '{ "enforcment": "enforce" }')
  mkdirSync(join(user, '.arc/other'), { recursive: true })
  const { find } = await doctor()
  expect(find('home')).toMatchObject({ ok: false, fix: `chmod 700 ${home}` })
  expect(find('configuration')).toMatchObject({ ok: false, detail: expect.stringContaining('default.json:1:3') })
})

it('says that the hooks of a project do not run before they are trusted', async () => {
  await arc('init')
  const project = join(user, 'project')
  mkdirSync(join(project, '.arc'), { recursive: true })
  const command = { name: 'x', event: 'pre_tool_use', command: 'true' }
  writeFileSync(join(project, '.arc/config.json'), JSON.stringify({ commands: [command] }))
  const look = async () => {
    const { checks } = onlyJson<{ checks: Check[] }>(
      await runArcInProcess(['doctor', '--json'], { home, env: env(), cwd: project }),
    )
    return checks.find(({ name }) => name === 'trust')
  }
  expect(await look()).toMatchObject({ ok: false, fix: `arc trust ${project}` })
  askNobody(home)
  await runArcInProcess(['trust', project, '--yes'], { home, env: env(), cwd: project })
  expect(await look()).toMatchObject({ ok: true })
})

it.each(HOST_NAMES)('%s: a canary goes through the installed line and leaves its trace', async (host) => {
  await arc('init')
  expect((await arc('install', host)).code).toBe(0)
  expect((await doctor()).find(`${host}: installed`)).toMatchObject({ ok: true })
  const { find } = await doctor('--live')
  expect(find(`${host}: canary`)).toMatchObject({ ok: true, detail: expect.stringContaining('in the trace') })
  expect((await doctor()).find(`${host}: last seen`).detail).toMatch(/ago/)
})

it('a line that leads nowhere is found by the canary', async () => {
  await arc('init')
  await arc('install', 'claude')
  rmSync(join(home, 'bin/arc'))
  const { ok, find } = await doctor('--live')
  expect(ok).toBe(false)
  expect(find('claude: command')).toMatchObject({ ok: false })
  expect(find('claude: canary')).toMatchObject({ ok: false, detail: expect.stringContaining('nothing in the trace') })
})

it('reads the release of the program: another release is reported, another kind fails, none is no failure', async () => {
  await arc('init')
  await arc('install', 'claude')
  const bin = join(user, 'bin')
  mkdirSync(bin)
  const look = async (script: string): Promise<Check | undefined> => {
    writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const options = { home, cwd: user, env: { ...env(), PATH: `${bin}:${process.env.PATH}` } }
    const { checks } = onlyJson<{ checks: Check[] }>(await runArcInProcess(['doctor', '--json'], options))
    return checks.find(({ name }) => name === 'claude: version')
  }
  const { verifiedWith = '' } = HOSTS.claude
  expect(await look(`echo "${verifiedWith} (Claude Code)"`)).toMatchObject({
    ok: true,
    detail: `${verifiedWith}, tested with ${verifiedWith}`,
  })
  expect(await look('echo 2.0.1')).toMatchObject({ ok: true, detail: expect.stringContaining('2.0.1 is older') })
  expect(await look('echo 99.0.0')).toMatchObject({ ok: false, detail: expect.stringContaining('99.0.0') })
  const untold = { ok: true, detail: expect.stringContaining('the installed version is unknown') }
  expect(await look('echo "native binary not installed" >&2; exit 1')).toMatchObject(untold)
  // One that never answers, and a child of it that holds the pipe.
  expect(await look('sleep 600 & sleep 600')).toMatchObject(untold)
})
