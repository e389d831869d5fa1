// Installing and uninstalling as a user does, with real files. `src/cli/commands.process.test.ts` starts the real binary.

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Ran } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { readInstalls } from '../../guard/installs.ts'
import { HOST_NAMES } from '../../hosts/host.ts'

function arc(home: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  return runArcInProcess(args, { home: join(home, '.arc'), env: { HOME: home, ...env } })
}

const newHome = (): string => makeTempFolder('arc-install-home-')

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function filesIn(dir: string): string[] {
  const all = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.arc'))
  return all.filter((name) => statSync(join(dir, name)).isFile()).sort()
}

it('install, install again, uninstall: one line an event, and every byte back', async () => {
  const home = newHome()
  const settings = join(home, '.claude/settings.json')
  const own = '{\n\t"hooks": { "PreToolUse": [\n\t\t{"hooks": [ {"type":"command", "command":"mine"} ]} ] }\n}'
  write(settings, own)
  const first = await arc(home, ['install', 'claude', '--json'])
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({
    host: 'claude',
    changed: true,
    files: [
      { path: `${settings}.arc-backup`, action: 'create' },
      { path: settings, action: 'change' },
    ],
    next: expect.any(String),
  })
  const installed = readFileSync(settings, 'utf8')
  expect(installed).toContain(`"command": "${join(home, '.arc/bin/arc')} hook claude"`)
  expect(JSON.parse((await arc(home, ['install', 'claude', '--json'])).stdout)).toMatchObject({
    changed: false,
    files: [],
  })
  expect(readFileSync(settings, 'utf8')).toBe(installed)
  expect((await arc(home, ['uninstall', 'claude'])).code).toBe(0)
  expect(readFileSync(settings, 'utf8')).toBe(own)
  expect(filesIn(home)).toEqual(['.claude/settings.json'])
})

it('E4 an event of each model request is registered once a hook needs it; until then doctor and hooks list say what to do', async () => {
  const home = newHome()
  const settings = join(home, '.gemini/settings.json')
  const own = '{\n  // mine\n  "theme": "dark"\n}\n'
  write(settings, own)
  const read = (): string => readFileSync(settings, 'utf8')
  expect((await arc(home, ['install', 'gemini'])).code).toBe(0)
  expect(read()).not.toMatch(/BeforeModel|AfterModel/)
  const commands = [{ name: 'each-request', event: 'before_generate', command: 'true' }]
  write(join(home, '.arc/profiles/default.json'), JSON.stringify({ commands }))
  const note = 'each-request never fires with gemini: run arc install gemini again'
  expect((await arc(home, ['hooks', 'list'])).stderr).toContain(note)
  expect((await arc(home, ['doctor'])).stdout).toContain(note)
  expect((await arc(home, ['install', 'gemini'])).code).toBe(0)
  expect(read()).toContain('BeforeModel')
  expect(read()).not.toContain('AfterModel')
  const [list, doctor] = [await arc(home, ['hooks', 'list']), await arc(home, ['doctor'])]
  expect(list.stderr + doctor.stdout).not.toContain('never fires')
  expect(doctor.stdout).toContain('all events are registered')
  expect((await arc(home, ['uninstall', 'gemini'])).code).toBe(0)
  expect(read()).toBe(own)
})

// Kimi Code has no hooks in projects.
it.each(HOST_NAMES.filter((name) => name !== 'kimi'))(
  '%s: a project is installed and left as it was, and the home is not touched',
  async (host) => {
    const home = newHome()
    const project = makeTempFolder('arc-install-project-')
    const place = ['--project', project]
    expect((await arc(home, ['install', host, ...place])).code).toBe(0)
    const files = filesIn(project)
    expect(files.length).toBeGreaterThan(0)
    expect(files.map((file) => readFileSync(join(project, file), 'utf8')).join()).toContain('.arc/bin/arc')
    if (host === 'cline') expect(statSync(join(project, files[0] ?? '')).mode & 0o111).toBe(0o111)
    expect((await arc(home, ['uninstall', host, ...place])).code).toBe(0)
    expect(readdirSync(project)).toEqual([])
    expect(filesIn(home)).toEqual([])
  },
)

it.each([
  ['claude', 'CLAUDE_CONFIG_DIR', 'settings.json'],
  ['codex', 'CODEX_HOME', 'hooks.json'],
  ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
  ['copilot', 'COPILOT_HOME', 'hooks/arc.json'],
  ['opencode', 'OPENCODE_CONFIG_DIR', 'plugin/arc.js'],
  ['opencode', 'XDG_CONFIG_HOME', 'opencode/plugin/arc.js'],
  ['pi', 'PI_CODING_AGENT_DIR', 'extensions/arc.js'],
  ['kimi', 'KIMI_CODE_HOME', 'config.toml'],
])('%s: $%s moves its configuration', async (host, variable, file) => {
  const home = newHome()
  const moved = makeTempFolder('arc-install-moved-')
  await arc(home, ['install', host, '--user'], { [variable]: moved })
  expect(filesIn(moved)).toEqual([file])
  expect(filesIn(home)).toEqual([])
})

it('--dry-run shows the difference and writes nothing', async () => {
  const home = newHome()
  const { code, stdout } = await arc(home, ['install', 'gemini', '--dry-run'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^--- \/dev\/null\n\+\+\+ .*settings\.json\n@@ -0,0 \+1,\d+ @@\n\+\{/)
  expect(existsSync(join(home, '.gemini'))).toBe(false)
})

it('a file that cannot be read is left alone, with its place on stderr and exit code 1', async () => {
  const home = newHome()
  write(join(home, '.claude/settings.json'), '{\n  "hooks": oops\n}')
  const { code, stderr } = await arc(home, ['install', 'claude'])
  expect(code).toBe(1)
  expect(stderr).toMatch(/settings\.json:2:12 This is not JSON/)
  expect(filesIn(home)).toEqual(['.claude/settings.json'])
})

it('--fail-closed makes Claude stop calls of a broken hook, and is removed with uninstall', async () => {
  const home = newHome()
  await arc(home, ['install', 'claude', '--fail-closed'])
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'))
  expect(hooks.PreToolUse[0].hooks[0].onFailure).toBe('block')
  expect(hooks.Stop[0].hooks[0]).not.toHaveProperty('onFailure')
  await arc(home, ['uninstall', 'claude'])
  expect(filesIn(home)).toEqual([])
})

describe('Q6 without a host', () => {
  // A machine with the program of one agent and the settings folder of another.
  function makeMachine(): { readonly home: string; readonly env: Record<string, string> } {
    const home = newHome()
    const bin = join(home, 'programs')
    write(join(bin, 'codex'), '#!/bin/sh\n')
    chmodSync(join(bin, 'codex'), 0o755)
    mkdirSync(join(home, '.claude'))
    return { home, env: { PATH: bin } }
  }

  it('Q6 lists the agents found by program and by settings folder; without a terminal it changes nothing', async () => {
    const { home, env } = makeMachine()
    const { code, stdout, stderr } = await arc(home, ['install'], env)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/claude +Claude Code +~\/\.claude\n/)
    expect(stderr).toMatch(/codex +\S.* ~\/programs\/codex\n/)
    expect(stderr).not.toContain('gemini')
    expect(stderr).toContain('arc install --all')
    expect(filesIn(home)).toEqual(['programs/codex'])
    const none = await arc(newHome(), ['install'], { PATH: '' })
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('No agent was found') })
    expect((await arc(newHome(), ['install', '--all'], { PATH: '' })).code).toBe(1)
  })

  it('Q6 --all registers all of them, says what is in force, and uninstall --all removes ARC everywhere', async () => {
    const { home, env } = makeMachine()
    const project = makeTempFolder('arc-install-project-')
    const all = await arc(home, ['install', '--all', '--json'], env)
    expect(all).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(all.stdout)).toMatchObject([
      { host: 'claude', changed: true },
      { host: 'codex', changed: true },
    ])
    const one = await arc(home, ['install', 'qwen', '--project', project], env)
    expect(one.stderr).toMatch(/✓ Claude Code +\d+ events\n[\s\S]*✓ Qwen Code +\d+ events in \//)
    expect(one.stderr).toContain('Mode log: ARC records every decision; stops only catastrophes (rm -rf /).\n')
    expect(one.stderr).toMatch(/\n {2}arc mode enforce +\S/)
    const { stdout } = await arc(home, ['mode'], env)
    expect(stdout).toMatch(
      /^log \(profile default\): .*catastrophes.* · Claude Code, Codex.*, Qwen Code · next: arc mode enforce\n$/,
    )
    expect((await arc(home, ['uninstall'], env)).code).toBe(2)
    const gone = await arc(home, ['uninstall', '--all', '--json'], env)
    expect(JSON.parse(gone.stdout)).toMatchObject([{ host: 'claude' }, { host: 'codex' }, { host: 'qwen' }])
    expect(filesIn(home)).toEqual(['programs/codex'])
    expect(readdirSync(project)).toEqual([])
    expect(await arc(home, ['uninstall', '--all'], env)).toMatchObject({ code: 0 })
  })

  it.each([
    ['\n', 0, ['claude', 'codex']],
    ['codex\n', 0, ['codex']],
    ['gemini, codex\n', 0, ['codex', 'gemini']],
    ['n\n', 1, []],
    ['', 1, []],
    ['claud\n', 1, []],
  ] as const)('Q6 on a terminal it asks; %j', async (input, code, installed) => {
    const { home, env } = makeMachine()
    const options = { home: join(home, '.arc'), env: { HOME: home, ...env }, input, isTerminal: true }
    const ran = await runArcInProcess(['install'], options)
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain('Install ARC in all 2?')
    if (input === 'claud\n') expect(ran.stderr).toContain('Did you mean "claude"? Nothing was changed.')
    const states = readInstalls(join(home, '.arc')).map(({ host }) => host)
    expect(states.sort()).toEqual(installed)
  })

  it('Q6 the state says enforce after the mode was raised, and nothing is stopped without the setting', async () => {
    const { home, env } = makeMachine()
    await arc(home, ['mode', 'enforce'], env)
    const { stderr } = await arc(home, ['install', 'claude'], env)
    expect(stderr).toContain('Mode enforce: ARC stops dangerous calls, or holds them for your approval.')
    expect(stderr).not.toContain('arc mode enforce')
  })
})

it.each([
  [['install', 'cladue'], /Did you mean "claude"\?/, 1],
  [['install', 'claude', '--user', '--project', '.'], /cannot be used with/, 2],
  [['install', 'claude', '--all'], /expected a host or --all, not both/, 2],
] as const)('%j is refused', async (args, message, exitCode) => {
  const { code, stderr } = await arc(newHome(), args)
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)])
})
