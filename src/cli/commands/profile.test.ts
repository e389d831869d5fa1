// `arc profile …`.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onlyJson, type Ran } from '../../../test/json-output.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
  askNobody(place.home)
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home: place.home, cwd: place.project })
const as = (profile: string, ...args: string[]) =>
  runArcInProcess(args, { home: place.home, env: { ARC_PROFILE: profile } })
const text = (path = PROFILE) => readFileSync(join(place.root, path), 'utf8')
const settings = (ran: Ran) => {
  const { settings: all } = onlyJson<{ settings: { key: string; value: unknown; from: string }[] }>(ran)
  return Object.fromEntries(all.map(({ key, value }) => [key, value]))
}

describe('arc profile', () => {
  it('without any file shows the defaults, creates nothing, and says how to change one', async () => {
    expect(onlyJson(await arc('profile', 'list', '--json'))).toMatchObject([{ name: 'default', inUse: true }])
    expect(settings(await arc('profile', 'show', '--json'))).toMatchObject({
      enforcement: 'log',
      'hooks.timeout': 5000,
    })
    const shown = await arc('profile', 'show')
    expect(shown.stdout).toMatch(/^default {2}\(active\) {2}no file: the defaults/)
    expect(shown.stderr).toContain('arc profile set KEY VALUE')
    expect(readdirSync(place.home)).toEqual(['confirm.json'])
  })

  it('C1 set and unset change one key and keep every comment, with the value in force and its place in show', async () => {
    await arc('init')
    expect(await arc('profile', 'set', 'enforcement', 'enforce')).toMatchObject({ code: 0, stdout: '' })
    expect(await arc('profile', 'set', 'hooks.risk-detection.messages', 'hold')).toMatchObject({ code: 0 })
    expect(await arc('profile', 'set', 'hooks.risk-detection.messages', 'holt')).toMatchObject({ code: 1 })
    const set = await arc('profile', 'set', 'hooks.risk-detection.timeout', '10000', '--json')
    expect(settings(set)).toMatchObject({ enforcement: 'enforce', 'hooks.risk-detection.timeout': 10_000 })
    expect(text()).toContain('// A profile of ARC')
    expect(text()).toContain('"enforcement": "enforce"')
    expect((await arc('profile', 'show')).stdout).toMatch(
      /hooks\.risk-detection\.timeout +10000 +profiles\/default\.json:\d+/,
    )
    expect(settings(await arc('profile', 'unset', 'hooks.risk-detection.timeout', '--json'))).not.toHaveProperty([
      'hooks.risk-detection.timeout',
    ])
    expect((await arc('profile', 'unset', 'hooks.risk-detection.timeout')).stderr).toContain('(unchanged)')
  })

  it('C1 refuses what is wrong, with what would be right, and changes nothing', async () => {
    await arc('init')
    const before = text()
    for (const [key, value, message] of [
      ['enforcment', 'log', /Did you mean "enforcement"\?/],
      ['enforcement', 'strict', /off.*log.*advise.*enforce/],
      ['hooks.timeout', 'soon', /number/],
      ['hooks.risk-detection.timeout', '-5', /default\.json:\d+:\d+/],
      ['__proto__.polluted', '1', /__proto__/],
      ['hooks.no-such-hook.enabled', 'false', /no hook "no-such-hook"/i],
      ['', 'x', /key/i],
    ] as const) {
      const { code, stdout, stderr } = await arc('profile', 'set', key, value)
      expect([key, code, stdout]).toEqual([key, 1, ''])
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('    at ')
    }
    expect(text()).toBe(before)
  })

  it('C1 a file that cannot be parsed is named with line and column, and not touched', async () => {
    place.write(PROFILE, '{\n  // mine\n  "enforcement": "enforce"\n  "tool": "claude"\n}\n')
    const before = text()
    const { code, stdout, stderr } = await arc('profile', 'set', 'enforcement', 'log', '--json')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/default\.json:4:3: /)
    expect(text()).toBe(before)
    const shown = await arc('profile', 'show')
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/problem .*default\.json:4:3/) })
    expect((await arc('profile', 'list')).stdout).toContain('(has problems)')
  })

  it('create, use, delete: from another profile, replacing another, and never the active profile', async () => {
    await arc('init', '--enforcement', 'enforce')
    expect(onlyJson(await arc('profile', 'create', 'strict', '--from', 'default', '--json'))).toMatchObject({
      name: 'strict',
      enforcement: 'enforce',
      inUse: false,
    })
    expect(text('home/profiles/strict.json')).toContain('"name": "strict"')
    expect(await arc('profile', 'create', 'strict')).toMatchObject({ code: 1, stdout: '' })
    expect(onlyJson(await arc('profile', 'use', 'strict', '--json'))).toMatchObject({ name: 'strict', inUse: true })
    const names = onlyJson<{ name: string; inUse: boolean }[]>(await arc('profile', 'list', '--json'))
    expect(names.map(({ name, inUse }) => [name, inUse])).toEqual([
      ['default', false],
      ['strict', true],
    ])
    expect(await arc('profile', 'delete', 'strict', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is active'),
    })
    expect(await arc('profile', 'use', 'strct')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "strict"?'),
    })
    await arc('profile', 'use', 'default')
    expect(onlyJson(await arc('profile', 'delete', 'strict', '--yes', '--json'))).toMatchObject({ deleted: true })
    expect(existsSync(join(place.home, 'profiles/strict.json'))).toBe(false)
    expect(await arc('profile', 'show', 'strict')).toMatchObject({ code: 1, stdout: '' })
  })

  it('a name that is none is refused by every command, and nothing is written anywhere', async () => {
    await arc('init')
    const before = readdirSync(place.root, { recursive: true }).sort()
    const refuse = async (command: string, name: string) => {
      const ran = await arc('profile', command, ...(command === 'delete' ? ['--yes'] : []), '--', name)
      expect([command, name, ran.code, ran.stdout]).toEqual([command, name, 1, ''])
      expect(ran.stderr).toMatch(/^arc: /)
      expect(ran.stderr).not.toContain('    at ')
    }
    for (const command of ['create', 'use', 'show', 'delete']) await refuse(command, '../x')
    const names = ['/etc/passwd', 'a\\b', '', '-x', 'x\n', '.hidden', 'x.json', '\u202egnp']
    for (const name of [...names, 'x'.repeat(300)]) await refuse('create', name)
    expect(readdirSync(place.root, { recursive: true }).sort()).toEqual(before)
  })

  it('values in other scripts come back as they were given', async () => {
    await arc('init')
    const tool = 'клод-日本語-🦊'
    expect(onlyJson(await arc('profile', 'set', 'tool', tool, '--json'))).toMatchObject({ tool })
    expect((await arc('profile', 'list')).stdout).toContain(tool)
  })

  it('$ARC_PROFILE picks the profile for one run, and is named where it wins over a choice', async () => {
    await arc('init')
    await arc('profile', 'create', 'strict')
    await as('strict', 'profile', 'set', 'enforcement', 'enforce')
    expect(text('home/profiles/strict.json')).toContain('"enforcement": "enforce"')
    expect(text()).toContain('"enforcement": "log"')
    expect(onlyJson(await as('strict', 'profile', 'show', '--json'))).toMatchObject({ name: 'strict', inUse: true })
    expect((await as('strict', 'profile', 'use', 'default')).stderr).toContain('$ARC_PROFILE is set')
    const lost = await as('gone', 'profile', 'list')
    expect(lost).toMatchObject({ code: 0, stderr: expect.stringContaining('"gone" does not exist') })
    expect(await as('../../etc/passwd', 'profile', 'show')).toMatchObject({ code: 1, stdout: '' })
  })

  it('YAML stays YAML, comments included', async () => {
    place.write('home/profiles/default.yaml', '# mine\nenforcement: log # for now\n')
    expect(onlyJson(await arc('profile', 'set', 'enforcement', 'enforce', '--json'))).toMatchObject({
      enforcement: 'enforce',
    })
    expect(text('home/profiles/default.yaml')).toBe('# mine\nenforcement: enforce # for now\n')
  })
})
