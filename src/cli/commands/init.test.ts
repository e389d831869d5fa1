// `arc init` in new and used homes.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { onlyJson, type Ran } from '../../../test/json-output.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home: place.home, cwd: place.project })
const everything = () =>
  readdirSync(place.home, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) => {
      const file = join(place.home, name)
      return statSync(file).isFile() ? [[name, readFileSync(file, 'utf8')]] : []
    })

it('creates a home for its owner only, says what it means and which commands come next', async () => {
  const { code, stdout, stderr } = await arc('init')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`Created ${place.home}`)
  expect(stdout).toContain('mode log\n  records every decision; stops only catastrophes (rm -rf /)\n')
  const next = stdout.slice(stdout.indexOf('Next:\n'))
  expect(next).toMatch(/arc check git push .*\n.*arc install .*\n.*arc mode enforce.*\n.*arc profile show.*\n$/)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(90)
  expect(statSync(place.home).mode & 0o077).toBe(0)
  expect(JSON.parse(readFileSync(join(place.home, 'schema/profile.json'), 'utf8'))).toHaveProperty('properties')
})

it('a second time changes not one byte; with the option it sets the mode and keeps the rest', async () => {
  expect(onlyJson(await arc('init', '--json'))).toEqual({ home: place.home, profile: 'default', enforcement: 'log' })
  const before = everything()
  expect(onlyJson(await arc('init', '--json'))).toMatchObject({ enforcement: 'log' })
  expect(everything()).toEqual(before)
  expect(onlyJson(await arc('init', '--enforcement', 'warn', '--json'))).toMatchObject({ enforcement: 'advise' })
  const text = readFileSync(join(place.root, PROFILE), 'utf8')
  expect(text).toContain('// off: no hook runs')
  expect((await arc('init')).stdout).toContain('Already exists:')
  expect(await arc('init', '--enforcement', 'strict')).toMatchObject({ code: 2, stdout: '' })
})

it('a profile that cannot be parsed is named with its place and left alone', async () => {
  const file = place.write(PROFILE, '{\n  "enforcement": "log",,\n}\n')
  const { code, stdout, stderr } = await arc('init', '--enforcement', 'enforce', '--json')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/default\.json:2:\d+: /)
  expect(readFileSync(file, 'utf8')).toBe('{\n  "enforcement": "log",,\n}\n')
})

it('sets the mode of the profile in $ARC_PROFILE, and refuses one that does not exist', async () => {
  await arc('init')
  await arc('profile', 'create', 'strict')
  const strict = { home: place.home, env: { ARC_PROFILE: 'strict' } }
  expect(onlyJson(await runArcInProcess(['init', '--enforcement', 'enforce', '--json'], strict))).toMatchObject({
    profile: 'strict',
    enforcement: 'enforce',
  })
  expect(onlyJson(await arc('init', '--json'))).toMatchObject({ profile: 'default', enforcement: 'log' })
  const lost = await runArcInProcess(['init', '--enforcement', 'off'], {
    home: place.home,
    env: { ARC_PROFILE: 'strct' },
  })
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean "strict"?') })
})

it('a file where the home should be, and a folder where the profile should be: said, nothing half done', async () => {
  writeFileSync(place.home, 'mine')
  const blocked = await arc('init')
  expect(blocked).toMatchObject({ code: 1, stdout: '' })
  expect(blocked.stderr).toMatch(/^arc: .*(EEXIST|ENOTDIR)/)
  expect(blocked.stderr).not.toContain('    at ')
  expect(readFileSync(place.home, 'utf8')).toBe('mine')
})
