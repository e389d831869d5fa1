// Starts the real program: every command once, and what only processes can show (concurrent changes, another user, a full
// disk). All other tests of commands run in process (test/run-in-process.ts).

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ARC, onlyJson, type Ran, runArc } from '../../test/run-arc.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { commandTree } from './commands.ts'

let place: SupervisedHome
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const env = () => ({ ...process.env, NO_COLOR: '1', ARC_HOME: place.home, ARC_PROFILE: '' })
const arc = (...args: string[]): Promise<Ran> =>
  runArc(args, { home: place.home, cwd: place.project, env: { HOME: place.root } })
const text = (path = PROFILE) => readFileSync(join(place.root, path), 'utf8')
const settings = (ran: Ran) => {
  const { settings: all } = onlyJson<{ settings: { key: string; value: unknown }[] }>(ran)
  return Object.fromEntries(all.map(({ key, value }) => [key, value]))
}

const STARTS: readonly (readonly [args: readonly string[], code: number, output: RegExp])[] = [
  [['init', '--json'], 0, /"enforcement":"log"/],
  [['sample', '--wait', 'soon'], 2, /--wait must be/],
  [['install', 'claude', '--dry-run'], 0, /settings\.json/],
  [['uninstall', 'claude', '--dry-run'], 0, /not installed/],
  [['launch', 'none'], 1, /none/],
  [['doctor', '--json'], 1, /"checks":/],
  [['setup', '--managed', '--dry-run', '--root', '/nowhere'], 0, /Nothing was changed/],
  [['completion', 'bash'], 0, /complete .*arc/],
  [['check', '--json', '--', 'git push --force'], 2, /"decision":"block"/],
  [['logs'], 0, /No matching records/],
  [['watch', '--bell'], 2, /unknown option/],
  [['report'], 0, /no actions/],
  [['why'], 1, /no records yet/],
  [['trace', 'verify', '--json'], 0, /"ok":true/],
  [['serve', '--port', 'x'], 2, /--port must be/],
  [['stop', '--now'], 2, /unknown option/],
  [['open'], 1, /not running/],
  [['status', '--json'], 0, /"running":false/],
  [['approvals', 'list', '--json'], 0, /\[\]/],
  [['approve'], 1, /No step waits|no step waits|nothing waits/i],
  [['deny'], 1, /no step waits|nothing waits/i],
  [['allow', 'list'], 0, /./],
  [['mode'], 0, /log/],
  [['profile', 'list'], 0, /default/],
  [['hooks', 'list'], 0, /risk-detection/],
  [['breaker', 'status'], 0, /closed/],
  [['trust'], 1, /nothing to trust/],
  [['untrust', 'a', 'b'], 2, /too many arguments/],
  [['script', 'check', 'none.arma'], 1, /cannot be read/],
  [['task', 'list'], 0, /No tasks/],
  [['roundtable', 'list'], 0, /No roundtables/],
  [['hook', '--help'], 0, /arc hook claude/],
]

it.each(STARTS)('starts %j', async (args, code, output) => {
  const ran = await arc(...args)
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([code, expect.stringMatching(output)])
})

it('has a start of every command in the table', () => {
  const tree = commandTree(async () => undefined)
  const names = tree
    .createHelp()
    .visibleCommands(tree)
    .map((command) => command.name())
  const started = STARTS.map(([[name]]) => name)
  expect([...started].sort()).toEqual(names.filter((name) => name !== 'help').sort())
})

it('eight changes at the same time lose nothing', async () => {
  askNobody(place.home)
  await arc('init')
  const hooks = ['source-classify', 'interagent-routing', 'watchdog-pause', 'risk-detection']
  const keys = hooks.flatMap((hook) => [`hooks.${hook}.enabled`, `hooks.${hook}.timeout`])
  const all = await Promise.all(
    keys.map((key, at) => arc('profile', 'set', key, key.endsWith('enabled') ? 'false' : String(1_000 + at), '--json')),
  )
  expect(all.map(({ code }) => code)).toEqual(keys.map(() => 0))
  const found = settings(await arc('profile', 'show', '--json'))
  expect(keys.map((key) => found[key])).toEqual(keys.map((key, at) => (key.endsWith('enabled') ? false : 1_000 + at)))
  expect(readdirSync(join(place.home, 'profiles'))).toEqual(['default.json'])
  expect(text()).toContain('// A profile of ARC')
})

it.skipIf(!isRoot)('a home on which one may not write: exit 1 with the reason, and looking still works', async () => {
  mkdirSync(place.home)
  chmodSync(place.root, 0o755)
  chmodSync(place.home, 0o755)
  chmodSync(place.project, 0o755)
  const nobody = (...args: string[]) => runArc(args, { home: place.home, cwd: place.project, uid: NOBODY })
  for (const args of [['init'], ['profile', 'create', 'x'], ['profile', 'set', 'enforcement', 'log']]) {
    const { code, stdout, stderr } = await nobody(...args)
    expect([args, code, stdout]).toEqual([args, 1, ''])
    expect(stderr).toMatch(/EACCES|EROFS/)
    expect(stderr).not.toContain('    at ')
  }
  expect(await nobody('check', '--', 'git push --force')).toMatchObject({ code: 2 })
  expect(await nobody('profile', 'show')).toMatchObject({ code: 0 })
  expect(await nobody('hooks', 'list')).toMatchObject({ code: 0 })
  expect(readdirSync(place.home)).toEqual([])
})

it('a full disk: what cannot be kept is said, and supervision decides all the same', async () => {
  place.write('home/profiles/hooks.arma', 'hook pre:tool:shell /block "no shell here"\n')
  place.write(PROFILE, { scripts: ['hooks.arma'], enforcement: 'enforce' })
  askNobody(place.home)
  const ran = await new Promise<Ran>((resolve) => {
    // No file may grow beyond half a KiB, as on a disk without room; the signal that comes with it is ignored.
    const line = `trap '' XFSZ; ulimit -f 1; exec "${process.execPath}" "${ARC}" hooks disable hooks.arma:1`
    execFile('sh', ['-c', line], { env: env(), cwd: place.project }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toMatch(/cannot be used|without a durable record|could not be/)
  expect((await arc('check', '--', 'true')).code).toBe(2)
  expect(readFileSync(join(place.root, PROFILE), 'utf8')).toContain('enforce')
})
