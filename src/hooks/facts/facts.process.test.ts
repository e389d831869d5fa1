// Facts about files from a real disk and real repositories; git only prepares them.

import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { FileFacts } from '../../risk/facts.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { riskDetection } from '../builtin/risk-detection.ts'
import { createFactService } from './fact-service.ts'

let root: string
const at = (name: string) => join(root, name)

function git(...args: string[]): void {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: root,
    env,
    stdio: 'ignore',
  })
}

function open(session?: string, state = new MemoryStateStore()): FileFacts {
  return createFactService(state, new FakeClock()).open({ workspace: root, home: root, session })
}

beforeAll(() => {
  root = makeTempFolder('arc-facts-')
  git('init', '-q', '-b', 'main', '.')
  mkdirSync(at('src'))
  for (const name of ['a.txt', 'b.txt', 'src/c.txt', 'src/d.txt', 'long name with ümlaut.txt'])
    writeFileSync(at(name), `${name}\n`)
  git('add', '.')
  git('commit', '-qm', 'first')
  git('branch', 'feature/foo.bar')
  writeFileSync(at('new.txt'), 'x')
})

describe.each([2, 3, 4])('S1 an index of version %i', (version) => {
  beforeAll(() => {
    if (version === 3) git('update-index', '--skip-worktree', 'src/d.txt')
    git('update-index', '--index-version', String(version === 3 ? 2 : version))
  })

  it('S1 tells tracked from untracked and changed from unchanged', () => {
    for (const name of ['a.txt', 'src/c.txt', 'src/d.txt', 'long name with ümlaut.txt'])
      expect([name, open().isTracked(at(name)), open().isClean(at(name))]).toEqual([name, true, true])
    for (const name of ['new.txt', 'c.txt', 'src', '.txt', 'none'])
      expect([name, open().isTracked(at(name))]).toEqual([
        name,
        name === 'none' || name === 'c.txt' || name === '.txt' ? undefined : false,
      ])
    expect(open().findChanges(root)).toEqual([])
    writeFileSync(at('src/c.txt'), 'src/C.txt\n')
    expect([open().isClean(at('src/c.txt')), open().findChanges(root)]).toEqual([false, [at('src/c.txt')]])
    expect(open().findChanges(at('src'))).toEqual([at('src/c.txt')])
    expect(open().findChanges(at('a.txt'))).toEqual([])
    writeFileSync(at('src/c.txt'), 'src/c.txt\n')
    expect(open().isClean(at('src/c.txt'))).toBe(true)
  })
})

describe('S1 answers from the disk', () => {
  it('S1 references: branches, packed ones, tags, remote branches; never by running git', () => {
    expect(open().refExists(root, 'feature/foo.bar')).toBe(true)
    expect(open().refExists(at('src'), 'HEAD~1')).toBe(true)
    expect(open().refExists(root, 'feature/none')).toBe(false)
    expect(open().refExists(root, 'abcdef1')).toBeUndefined()
    git('pack-refs', '--all')
    git('tag', 'v1.2')
    expect([open().refExists(root, 'feature/foo.bar'), open().refExists(root, 'v1.2')]).toEqual([true, true])
    mkdirSync(at('.git/refs/remotes/origin'), { recursive: true })
    writeFileSync(at('.git/refs/remotes/origin/far'), `${'0'.repeat(40)}\n`)
    expect(open().refExists(root, 'far')).toBe(true)
  })

  it('S1 a program that the project configures never runs', () => {
    const mark = at('ran')
    for (const key of ['core.fsmonitor', 'diff.external', 'core.pager']) git('config', key, `touch ${mark}`)
    expect([open().isClean(at('a.txt')), open().findChanges(root), open().exists(mark)]).toEqual([true, [], false])
    for (const key of ['core.fsmonitor', 'diff.external', 'core.pager']) git('config', '--unset', key)
  })

  it('S1 only regular files of the project, the home and temporary folders are read', () => {
    execFileSync('sh', ['-c', `mkfifo '${at('pipe')}'`])
    symlinkSync('/etc/passwd', at('passwd'))
    symlinkSync(at('loop2'), at('loop1'))
    symlinkSync(at('loop1'), at('loop2'))
    symlinkSync('/dev/zero', at('zero'))
    writeFileSync(at('large'), 'x'.repeat(70_000))
    writeFileSync(at('binary'), Buffer.of(0x7f, 0x45, 0, 1))
    const why = (name: string) => open().read(at(name)).why
    expect(['pipe', 'passwd', 'loop1', 'zero', 'large', 'binary', 'src', 'none'].map(why)).toEqual([
      ...['not-a-file', 'outside', 'unreadable', 'outside', 'too-large', 'binary', 'not-a-file', 'missing'],
    ])
    expect(open().read(at('a.txt'))).toEqual({ text: 'a.txt\n' })
  })

  it('S1 a changed file is read again, also with the same size and time', () => {
    writeFileSync(at('new.txt'), 'one')
    expect(open().read(at('new.txt')).text).toBe('one')
    writeFileSync(at('new.txt'), 'two')
    utimesSync(at('new.txt'), 1, 1)
    expect(open().read(at('new.txt')).text).toBe('two')
  })

  it('S1 after 20 files, or 50 ms, everything is unknown', () => {
    const facts = open()
    for (let index = 0; index < 20; index++) facts.read(at(`${index}`))
    expect([facts.read(at('a.txt')).why, facts.isTracked(at('a.txt'))]).toEqual(['limit', undefined])
    let now = 0
    const clock = Object.assign(new FakeClock(), { now: () => (now += 60) })
    const slow = createFactService(new MemoryStateStore(), clock).open({
      workspace: root,
      home: root,
      session: undefined,
    })
    slow.read(at('a.txt'))
    expect([slow.read(at('b.txt')).why, slow.isClean(at('a.txt')), slow.findChanges(root)]).toEqual([
      'limit',
      undefined,
      undefined,
    ])
  })

  it('S1 an index that is damaged, too large or missing is unknown, never clean', () => {
    const other = makeTempFolder('arc-facts-')
    mkdirSync(join(other, '.git'))
    writeFileSync(join(other, '.git/config'), '')
    writeFileSync(join(other, 'a'), '')
    const index = join(other, '.git/index')
    const ask = () => [
      open().isTracked(join(other, 'a')),
      open().isClean(join(other, 'a')),
      open().findChanges(join(other, 'a')),
    ]
    const unknown = [undefined, undefined, undefined]
    expect(ask()).toEqual(unknown)
    for (const text of ['', 'DIRC', `DIRC\0\0\0\u0002${'\xff'.repeat(100)}`, 'x'.repeat(1_000)]) {
      writeFileSync(index, text, 'latin1')
      expect(ask()[2]).toBeUndefined()
      expect(ask()[1]).not.toBe(true)
    }
    truncateSync(index, 60_000_000)
    expect(ask()).toEqual(unknown)
    unlinkSync(index)
    expect([open().isTracked('/tmp'), open().refExists('/', 'main')]).toEqual([false, undefined])
  })
})

describe('S1 a session', () => {
  const session = 'one'
  const setUp = () => {
    const state = new MemoryStateStore()
    const clock = new FakeClock({ wall: Date.now() })
    const pipeline = pipelineOf([[riskDetection]], {
      state,
      clock,
      services: { facts: createFactService(state, clock) },
    })
    const send = async (tool: string, args: object, inSession = session) =>
      (await pipeline.send('pre:tool', { tool, args }, { session: inSession, workspace: root })).decision
    return { send, sh: (command: string, inSession?: string) => send('shell', { command }, inSession) }
  }

  it("S1 undoing the session's own edit is flagged; changes of others are protected", async () => {
    const { send, sh } = setUp()
    expect(await sh('git checkout b.txt')).toBe('pass')
    await send('Edit', { file_path: at('b.txt'), old_string: 'b', new_string: 'c' })
    appendFileSync(at('b.txt'), 'more\n')
    expect(await sh('git checkout b.txt')).toBe('flag')
    expect(await sh('git checkout b.txt', 'two')).toBe('block')
    await send('Edit', { file_path: at('b.txt'), old_string: 'c', new_string: 'd' }, 'two')
    expect(await sh('git checkout b.txt', 'two')).toBe('block')
    expect(await sh('cp b.txt /tmp/b.bak', 'two')).not.toBe('block')
    expect(await sh('git restore b.txt', 'two')).toBe('flag')
    git('checkout', '-q', 'b.txt')
  })

  it('S2 a tracked script is at most held, until the session writes it', async () => {
    const { send, sh } = setUp()
    writeFileSync(at('run.sh'), 'git reset --hard\n')
    expect(await sh('bash run.sh')).toBe('block')
    git('add', 'run.sh')
    git('commit', '-qm', 'script')
    expect(await sh('bash run.sh')).toBe('flag')
    expect(await send('Write', { file_path: at('run.sh'), content: 'git reset --hard\n' })).toBe('flag')
    expect(await sh('bash run.sh')).toBe('block')
  })
})
