import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { FolderWatchers } from './folder-watchers.ts'
import { openLastGood } from './last-good.ts'
import { type ConfigReload, type WatchedConfig, type WatchOptions, watchConfig } from './watch.ts'

// Real files and a real watcher, so real time: the clock must be the system clock.
const clock: WatchOptions['clock'] = {
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

let root = ''
let home = ''
let profile = ''
let watched: WatchedConfig | undefined
let reloads: ConfigReload[] = []
let faults: string[] = []

beforeEach(() => {
  root = makeTempFolder('arc-watch-')
  home = join(root, 'home')
  profile = join(home, 'profiles', 'default.json')
  mkdirSync(join(home, 'profiles'), { recursive: true })
  writeFileSync(profile, '{"enforcement":"enforce"}')
  reloads = []
  faults = []
})
afterEach(async () => {
  await watched?.close()
})

const start = async (more: Partial<WatchOptions> = {}): Promise<WatchedConfig> => {
  const onReload = (reload: ConfigReload) => void reloads.push(reload)
  const onFault = (message: string) => void faults.push(message)
  const lastGood = openLastGood(join(home, 'last-good'))
  watched = await watchConfig({ home, lastGood, clock, quietMs: 60, onReload, onFault, ...more })
  return watched
}
const becomes = (mode: string) =>
  vi.waitFor(() => expect(watched?.current.config.enforcement).toBe(mode), { timeout: 60_000, interval: 20 })
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe('watching', () => {
  it('C3 takes over a change, with the old and the new state in one call', async () => {
    await start()
    writeFileSync(profile, '{"enforcement":"advise"}')
    await becomes('advise')
    expect(reloads).toHaveLength(1)
    expect(reloads[0]).toMatchObject({
      isChanged: true,
      files: [profile],
      previous: { config: { enforcement: 'enforce' } },
      current: { config: { enforcement: 'advise' } },
    })
  })

  it('C3 notices the saves of editors that rename, again and again', async () => {
    await start()
    for (const mode of ['advise', 'log', 'off', 'enforce']) {
      writeFileSync(`${profile}.tmp`, `{"enforcement":"${mode}"}`)
      renameSync(profile, `${profile}~`)
      renameSync(`${profile}.tmp`, profile)
      await becomes(mode)
    }
    expect(reloads.every(({ current }) => current.problems.length === 0)).toBe(true)
  })

  it('C3 keeps the last good state through a half-written save, reports it, and continues after it', async () => {
    await start()
    writeFileSync(profile, '{"enforcement":"adv')
    await vi.waitFor(() => expect(reloads).toHaveLength(1), { timeout: 60_000 })
    expect(reloads[0]).toMatchObject({
      isChanged: false,
      current: { stale: ['profile:default'], config: { enforcement: 'enforce' } },
    })
    expect(reloads[0]?.current.problems[0]).toMatchObject({ file: profile, line: 1 })
    writeFileSync(profile, '{"enforcement":"advise"}')
    await becomes('advise')
    expect(watched?.current).toMatchObject({ problems: [], stale: [] })
  })

  it('C3 makes one reload of a burst of saves', async () => {
    await start({ quietMs: 250 })
    for (let i = 1; i <= 20; i++) {
      writeFileSync(profile, `{"enforcement":"advise","hooks":{"timeout":${i}}}`)
      await pause(5)
    }
    await becomes('advise')
    await pause(500)
    expect(reloads).toHaveLength(1)
    expect(watched?.current.config.timeoutMs).toBe(20)
  })

  it('C3 says nothing when nothing changed but a comment or another file', async () => {
    await start()
    writeFileSync(profile, '// note\n\n{"enforcement":"enforce"}')
    writeFileSync(join(home, 'arc.db'), 'x')
    await pause(500)
    expect(reloads).toEqual([])
  })

  it("C3 follows a project's layer that appears later, and its scripts", async () => {
    const project = join(root, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'check.sh'), '1')
    let trusted = ''
    await start({ project, trusted: { isTrusted: (_dir, hash) => hash === trusted } })
    mkdirSync(join(project, '.arc'))
    writeFileSync(join(project, '.arc', 'config.yaml'), 'commands:\n  - event: pre_tool_use\n    command: ./check.sh\n')
    await vi.waitFor(() => expect(watched?.current.project?.commands).toHaveLength(1), { timeout: 60_000 })
    expect(watched?.current.config.commands).toEqual([])
    trusted = watched?.current.project?.hash ?? ''
    expect(watched?.reload().config.commands).toHaveLength(1)
    await pause(300)
    writeFileSync(join(project, 'check.sh'), '2')
    await vi.waitFor(() => expect(watched?.current.config.commands).toEqual([]), { timeout: 60_000 })
    expect(watched?.current.problems).toMatchObject([{ kind: 'untrusted' }])
  })

  it('C3 follows a folder that is removed and made again', async () => {
    await start()
    for (const mode of ['advise', 'log']) {
      rmSync(join(home, 'profiles'), { recursive: true })
      await pause(150)
      mkdirSync(join(home, 'profiles'))
      writeFileSync(profile, `{"enforcement":"${mode}"}`)
      await becomes(mode)
    }
  })

  it('C3 follows the file behind a link', async () => {
    const target = join(root, 'dotfiles', 'default.json')
    mkdirSync(join(root, 'dotfiles'))
    writeFileSync(target, '{"enforcement":"enforce"}')
    rmSync(profile)
    symlinkSync(target, profile)
    await start()
    writeFileSync(target, '{"enforcement":"advise"}')
    await becomes('advise')
  })

  it('Z2 several configurations watch a folder once, and a closed one leaves no watch', async () => {
    const folders = new FolderWatchers()
    const all = await Promise.all([1, 2, 3].map(() => start({ folders })))
    expect(folders.size).toBe(2)
    writeFileSync(profile, '{"enforcement":"advise"}')
    await vi.waitFor(() => expect(reloads).toHaveLength(3), { timeout: 5_000 })
    await Promise.all(all.map((one) => one.close()))
    expect(folders.size).toBe(0)
    // Closed as soon as it is started.
    const closing = watchConfig({
      ...{ home, clock, folders },
      lastGood: openLastGood(),
      onReload: () => undefined,
      onFault: () => undefined,
    })
    await (await closing).close()
    expect(folders.size).toBe(0)
  })

  it('C3 starts without a home and notices when it comes', async () => {
    rmSync(home, { recursive: true })
    await start({ lastGood: openLastGood() })
    expect(watched?.current.config.enforcement).toBe('log')
    mkdirSync(join(home, 'profiles'), { recursive: true })
    writeFileSync(profile, '{"enforcement":"enforce"}')
    await becomes('enforce')
  })

  it('C3 survives a caller that throws, and is silent once closed', async () => {
    await start({
      onReload: () => {
        throw new Error('caller')
      },
    })
    writeFileSync(profile, '{"enforcement":"advise"}')
    await becomes('advise')
    expect(faults.join()).toContain('caller')
    await watched?.close()
    await watched?.close()
    writeFileSync(profile, '{"enforcement":"log"}')
    await pause(300)
    expect(watched?.reload().config.enforcement).toBe('advise')
  })
})
