// The guarded set over real folders and links.

import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { classifyRisk } from '../risk/classify.ts'
import { listHostConfigPaths } from '../risk/guarded/host-config-paths.ts'
import { TEXT_COMPARISON } from '../risk/guarded/path-relation.ts'
import { GuardedSet } from './guarded-set.ts'
import { addInstall } from './installs.ts'

let base: string
let now: number
let set: GuardedSet

function write(path: string, text = ''): string {
  const file = join(base, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const at = (path: string): string => join(base, path)

beforeEach(() => {
  base = makeTempFolder('arc-guarded-')
  now = 0
  for (const file of ['state/run/token', 'state/bin/arc', 'user/.claude/settings.json', 'bin/node', 'app/src/a.ts'])
    write(file)
  write('lib/node_modules/arc-supervisor/package.json')
  write('cfg/claude/settings.json')
  set = new GuardedSet({
    home: at('state'),
    hostSettings: (isThere) => listHostConfigPaths(at('user'), { CLAUDE_CONFIG_DIR: at('cfg/claude') }, isThere),
    variables: new Map(),
    comparison: TEXT_COMPARISON,
    packageDir: at('lib/node_modules/arc-supervisor'),
    node: at('bin/node'),
    now: () => now,
  })
})

describe('the guarded set', () => {
  it.each([
    ['user/.claude/settings.json', 'host-settings'],
    ['state/bin/arc', 'launcher'],
    ['lib/node_modules/arc-supervisor/package.json', 'package'],
  ])('G3 knows %s under another name, as a hard link', (path, kind) => {
    linkSync(at(path), at('app/hard.json'))
    linkSync(at('app/src/a.ts'), at('app/other.ts'))
    expect(set.guards(at('app/hard.json'))).toMatchObject({ kind, isInside: true })
    expect(set.guards(at('app/other.ts'))).toBeUndefined()
  })

  it('G3 classifies a path behind a link by its target', () => {
    symlinkSync(at('user'), at('app/build'))
    const facts = { home: at('user'), guard: set }
    const tierOf = (command: string): number =>
      classifyRisk({ tool: 'shell', args: { command }, cwd: at('app') }, { facts }).tier
    expect(tierOf('rm -rf build/*')).toBe(5)
    expect(tierOf('cd build && rm -rf .')).toBe(5)
    expect(tierOf('rm -rf dist/*')).toBeLessThan(4)
  })

  it.each([
    ['state', 'home'],
    ['state/profiles/default.json', 'home'],
    ['state/bin/arc', 'launcher'],
    ['lib/node_modules/arc-supervisor/dist/x.js', 'package'],
    ['bin/node', 'node'],
    ['user/.claude/settings.json', 'host-settings'],
    ['cfg/claude/settings.json', 'host-settings'],
    ['cfg/claude/settings.local.json', 'host-settings'],
    ['user/.codex/config.toml', 'host-settings'],
    ['user/.config/opencode/plugin/arc.js', 'host-settings'],
    ['user/.pi/agent/extensions/arc.js', 'host-settings'],
    ['user/.kimi-code/config.toml', 'host-settings'],
  ])('G3 knows %s as %s', (path, kind) => {
    expect(set.guards(at(path))).toMatchObject({ kind, isInside: true })
  })

  it.each(['app/src/a.ts', 'user/.claude/commands/x.md', 'state2', 'bin/nodejs', 'user/notes'])('leaves %s', (path) => {
    expect(set.guards(at(path))).toBeUndefined()
  })

  it('G3 finds folders that contain a guarded path', () => {
    expect(set.guards(at('user/.claude'))).toMatchObject({ isInside: false, isNear: true })
    expect(set.guards(at('user'))).toMatchObject({ isInside: false, isNear: false })
    expect(set.guards('/')).toMatchObject({ isInside: false })
    expect(set.guards(at('user/.codex'))).toMatchObject({ isNear: true })
    expect(set.guards(at('lib/node_modules'))).toMatchObject({ kind: 'package', isInside: false })
  })

  it('G3 follows links to a file, to a folder, in the middle of a path, and to files that are not there yet', () => {
    symlinkSync(at('user/.claude/settings.json'), at('app/a.json'))
    symlinkSync(at('user/.claude'), at('app/conf'))
    symlinkSync(at('app/conf'), at('app/twice'))
    symlinkSync(at('user/.claude/settings.local.json'), at('app/later.json'))
    for (const path of ['a.json', 'conf/settings.json', 'twice/settings.json', 'later.json', 'conf/hooks/new.sh'])
      expect(set.guards(at(`app/${path}`)), path).toMatchObject({ kind: 'host-settings', isInside: true })
    expect(set.guards(at('app/conf/commands/x.md'))).toBeUndefined()
    expect(set.guards(at('app/conf/sett*'), true)).toMatchObject({ isInside: true })
  })

  it('G3 guards the targets of settings that are links', () => {
    write('dotfiles/gemini/settings.json')
    symlinkSync(at('dotfiles/gemini'), at('user/.gemini'))
    expect(set.guards(at('dotfiles/gemini/settings.json'))).toMatchObject({ kind: 'host-settings' })
    expect(set.guards(at('user/.gemini/settings.json'))).toMatchObject({ kind: 'host-settings' })
  })

  it('G3 knows paths through /proc/self/root', () => {
    expect(set.guards(`/proc/self/root${at('state/arc.db')}`)).toMatchObject({ kind: 'home', isSecret: true })
  })

  it.each([
    ['user/.cl*/settings.json', true],
    ['user/.c[l]aude/*.json', true],
    ['sta?e', true],
    ['**/settings.json', true],
    ['user/*', undefined],
    ['user/*/settings.json', undefined],
    ['app/*', undefined],
  ])('G3 compares the pattern %s', (pattern, isInside) => {
    expect(set.guards(at(pattern), true)?.isInside).toBe(isInside)
  })

  it('marks the files that let a reader act as a person', () => {
    expect(set.guards(at('state/run/token'))?.isSecret).toBe(true)
    expect(set.guards(at('state/arc.db-wal'))?.isSecret).toBe(true)
    expect(set.guards(at('state/run/arc.pid'))?.isSecret).toBe(false)
  })

  it('G3 guards the files that arc install wrote, not the project around them', () => {
    const file = write('app/.cursor/hooks.json')
    expect(set.guards(file)).toBeUndefined()
    const install = {
      host: 'cursor',
      scope: 'project',
      dir: at('app'),
      files: [file],
      failClosed: true,
      at: '',
    } as const
    addInstall(at('state'), install)
    now += 2_000
    expect(set.guards(file)).toMatchObject({ kind: 'host-settings', isInside: true })
    expect(set.guards(at('app/.cursor'))).toMatchObject({ isNear: true })
    expect(set.guards(at('app'))).toBeUndefined()
  })

  it('guards only the running files of a checkout', () => {
    const checkout = new GuardedSet({
      home: at('state'),
      hostSettings: () => [],
      variables: new Map(),
      comparison: TEXT_COMPARISON,
      packageDir: at('app'),
      node: at('bin/node'),
    })
    expect(checkout.guards(at('app/dist/cli/main.cjs'))).toMatchObject({ kind: 'package' })
    expect(checkout.guards(at('app/src/a.ts'))).toBeUndefined()
  })
})
