import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { addInstall, type Install, installsFile, readInstalls, removeInstall } from './installs.ts'

const USER: Install = {
  host: 'claude',
  scope: 'user',
  dir: '/home/ann',
  files: ['/home/ann/.claude/settings.json'],
  failClosed: false,
  at: '2026-01-01T00:00:00.000Z',
}
const PROJECT: Install = { ...USER, scope: 'project', dir: '/work/a', files: ['/work/a/.claude/settings.json'] }

describe('the list of installs', () => {
  it('is empty before the first install', () => {
    expect(readInstalls(makeTempFolder('arc-installs-'))).toEqual([])
  })

  it('has one entry per host and target, the newest of each', () => {
    const home = join(makeTempFolder('arc-installs-'), 'home')
    addInstall(home, USER)
    addInstall(home, PROJECT)
    addInstall(home, { ...PROJECT, dir: '/work/b' })
    addInstall(home, { ...USER, failClosed: true })
    expect(readInstalls(home).map(({ dir, failClosed }) => [dir, failClosed])).toEqual([
      ['/work/a', false],
      ['/work/b', false],
      ['/home/ann', true],
    ])
  })

  it('removes exactly one entry', () => {
    const home = makeTempFolder('arc-installs-')
    addInstall(home, USER)
    addInstall(home, PROJECT)
    removeInstall(home, PROJECT)
    expect(readInstalls(home)).toEqual([USER])
  })

  it('counts as empty when it is damaged, and is written again', () => {
    const home = makeTempFolder('arc-installs-')
    writeFileSync(installsFile(home), '{"installs": [{"host": 1}, ')
    expect(readInstalls(home)).toEqual([])
    addInstall(home, USER)
    expect(readInstalls(home)).toEqual([USER])
  })
})
