import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder, pipelineOf } from '../../../test/built-in-fixture.ts'
import type { Mode } from '../../engine/mode.ts'
import { memorySync } from './memory-sync.ts'
import type { SupervisionServices } from './services.ts'

const one = { map: [{ from: 'a.md', to: 'vault/a.md' }] }

function setUp(options: object, mode: Mode = 'enforce', services: Partial<SupervisionServices> = {}) {
  const workspace = makeFolder()
  const { send, state } = pipelineOf([[memorySync, options]], { mode, services })
  const write = (name: string, text: string, time: number): void => {
    mkdirSync(dirname(join(workspace, name)), { recursive: true })
    writeFileSync(join(workspace, name), text)
    utimesSync(join(workspace, name), time, time)
  }
  const read = (name: string) =>
    existsSync(join(workspace, name)) ? readFileSync(join(workspace, name), 'utf8') : undefined
  const start = (folder = workspace) => send('session:start', {}, { workspace: folder })
  return { workspace, write, read, state, start, end: () => send('session:end', {}, { workspace }) }
}

const NOBODY = 65_534

// Nothing is forbidden to root, who is somebody else meanwhile; what lies in the workspace belongs to that one.
async function withoutRoot<T>(workspace: string, work: () => T | Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work()
  for (const name of ['', ...readdirSync(workspace)]) chownSync(join(workspace, name), NOBODY, NOBODY)
  process.seteuid?.(NOBODY)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

describe('memory files at the end of a session', () => {
  it.each(['log', 'advise'] as const)('B85 that drifted apart are flagged in %s, and left alone', async (mode) => {
    const { write, read, end } = setUp(one, mode)
    write('a.md', 'new', 200)
    write('vault/a.md', 'old', 100)
    const outcome = await end()
    expect(outcome).toMatchObject({ decision: 'flag', suggestion: expect.stringContaining('Copy the newer') })
    expect(outcome.reason).toContain('vault/a.md is behind')
    expect(outcome.metadata.suggestions !== undefined).toBe(mode === 'advise')
    expect(read('vault/a.md')).toBe('old')
  })

  it.each([
    ['a.md', 'vault/a.md'],
    ['vault/a.md', 'a.md'],
  ])('B85 in enforce: the newer %s is copied over %s, which is kept aside', async (newer, older) => {
    const { workspace, write, read, end } = setUp(one)
    write(newer, 'new', 200)
    write(older, 'old', 100)
    await end()
    expect([read('a.md'), read('vault/a.md')]).toEqual(['new', 'new'])
    const folder = dirname(join(workspace, older))
    const aside = readdirSync(folder).filter((name) => name.includes('.conflict-'))
    expect(aside.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['old'])
  })

  it('B85 keep nothing aside when only one side changed since they were the same', async () => {
    const { workspace, write, read, end } = setUp(one)
    write('a.md', 'v1', 100)
    await end()
    expect(read('vault/a.md')).toBe('v1')
    // Even with an older time: the other side has no new text.
    write('vault/a.md', 'v2', 50)
    expect((await end()).decision).toBe('pass')
    expect(read('a.md')).toBe('v2')
    expect(readdirSync(workspace).sort()).toEqual(['a.md', 'vault'])
  })

  it('B85 that differ are named again when the next session of the workspace starts, once; not in log', async () => {
    for (const [mode, isReminded] of [
      ['advise', true],
      ['log', false],
    ] as const) {
      const { write, end, start } = setUp(one, mode)
      write('a.md', 'new', 2_000)
      write('vault/a.md', 'old', 1_000)
      await end()
      expect((await start('/elsewhere')).decision).toBe('pass')
      const reminder = await start()
      expect([mode, reminder.decision]).toEqual([mode, isReminded ? 'flag' : 'pass'])
      if (isReminded)
        expect(reminder.reason).toMatch(/^at the end of the last session: memory files differ: .*a\.md is behind/)
      expect((await start()).decision).toBe('pass')
    }
  })

  it('B85 deleted on one side are neither deleted nor brought back', async () => {
    const { workspace, write, read, end } = setUp(one)
    write('a.md', 'v1', 100)
    await end()
    rmSync(join(workspace, 'a.md'))
    expect((await end()).reason).toContain('a.md was deleted')
    expect([read('a.md'), read('vault/a.md')]).toEqual([undefined, 'v1'])
  })

  it('B85 of the same age that differ are left to a person', async () => {
    const { write, read, end } = setUp(one)
    write('a.md', 'x', 100)
    write('vault/a.md', 'y', 100)
    expect((await end()).reason).toContain('neither is newer')
    expect([read('a.md'), read('vault/a.md')]).toEqual(['x', 'y'])
  })

  it('B85 are found by patterns on both sides, folders made as needed', async () => {
    const { write, read, end } = setUp({ map: [{ from: 'mem/**/*.md', to: 'vault' }] })
    write('mem/a.md', 'a', 100)
    write('mem/deep/b.md', 'b', 100)
    write('mem/c.txt', 'c', 100)
    write('vault/d.md', 'd', 100)
    expect((await end()).decision).toBe('pass')
    expect([read('vault/a.md'), read('vault/deep/b.md'), read('vault/c.txt'), read('mem/d.md')]).toEqual([
      'a',
      'b',
      undefined,
      'd',
    ])
  })

  it('B85 never reach out of their folders through links', async () => {
    const { workspace, write, read, end } = setUp({ map: [{ from: 'mem/**/*.md', to: 'vault' }] })
    write('mem/sub/a.md', 'a', 100)
    write('mem/l.md', 'new', 200)
    write('outside/l.md', 'old', 100)
    mkdirSync(join(workspace, 'vault'))
    symlinkSync(join(workspace, 'outside'), join(workspace, 'vault/sub'))
    symlinkSync(join(workspace, 'outside/l.md'), join(workspace, 'vault/l.md'))
    expect((await end()).reason).toContain('is a symbolic link')
    expect([read('outside/a.md'), read('outside/l.md')]).toEqual([undefined, 'old'])
  })

  it('B85 that are a folder, too large or a link to nothing are named', async () => {
    const map = ['dir', 'big', 'link'].map((name) => ({ from: name, to: `vault/${name}` }))
    const { workspace, write, end } = setUp({ map, maxBytes: 10 })
    mkdirSync(join(workspace, 'dir'))
    write('big', 'x'.repeat(11), 100)
    symlinkSync('nowhere', join(workspace, 'link'))
    const { reason, decision } = await end()
    expect(decision).toBe('flag')
    for (const why of ['dir is not a file', 'big is larger than 10 bytes', 'a link to nothing'])
      expect(reason).toContain(why)
  })

  it('B85 that both changed since they were the same: the newer wins, the older is kept aside, each time', async () => {
    const { workspace, write, read, end } = setUp(one)
    write('a.md', 'v1', 100)
    await end()
    write('a.md', 'ours', 200)
    write('vault/a.md', 'theirs', 300)
    expect((await end()).reason).toContain('both sides had changed')
    expect([read('a.md'), read('vault/a.md')]).toEqual(['theirs', 'theirs'])
    write('a.md', 'ours again', 500)
    write('vault/a.md', 'theirs again', 400)
    await end()
    expect([read('a.md'), read('vault/a.md')]).toEqual(['ours again', 'ours again'])
    const aside = ['.', 'vault'].flatMap((folder) =>
      readdirSync(join(workspace, folder))
        .filter((name) => name.includes('.conflict-'))
        .map((name) => join(folder, name)),
    )
    expect(aside.map((name) => read(name)).sort()).toEqual(['ours', 'theirs again'])
  })

  it('B85 that somebody writes to meanwhile are not overwritten, and nothing half done is left', async () => {
    const { workspace, write, read, end } = setUp(one, 'enforce', {
      // Asked for between comparing and writing.
      newId: () => {
        write('vault/a.md', 'written meanwhile', 300)
        return 'x'
      },
    })
    write('a.md', 'new', 200)
    write('vault/a.md', 'old', 100)
    const outcome = await end()
    expect(outcome.decision).toBe('flag')
    expect(outcome.reason).toContain('it changed while it was compared')
    expect([read('a.md'), read('vault/a.md')]).toEqual(['new', 'written meanwhile'])
    expect(readdirSync(join(workspace, 'vault'))).toEqual(['a.md'])
  })

  it('B85 that appear on the other side meanwhile are not overwritten', async () => {
    const { write, read, end } = setUp(one, 'enforce', {
      newId: () => {
        write('vault/a.md', 'written meanwhile', 300)
        return 'x'
      },
    })
    write('a.md', 'new', 200)
    expect((await end()).decision).toBe('flag')
    expect(read('vault/a.md')).toBe('written meanwhile')
  })

  it('B85 whose place cannot be made are named, and the others are synced all the same', async () => {
    const map = [
      { from: 'a.md', to: 'file/a.md' },
      { from: 'b.md', to: 'vault/b.md' },
    ]
    const { write, read, end } = setUp({ map })
    write('a.md', 'a', 100)
    write('b.md', 'b', 100)
    write('file', 'in the way', 100)
    const outcome = await end()
    expect(outcome).toMatchObject({ decision: 'flag', metadata: { memorySync: { problems: [expect.any(String)] } } })
    expect([read('file'), read('vault/b.md')]).toEqual(['in the way', 'b'])
  })

  it('B85 that may not be read or written are named', async () => {
    const map = [
      { from: 'a.md', to: 'vault/a.md' },
      { from: 'b.md', to: 'shut/b.md' },
    ]
    const { workspace, write, end } = setUp({ map })
    write('a.md', 'a', 100)
    write('b.md', 'b', 100)
    mkdirSync(join(workspace, 'shut'), { mode: 0o500 })
    chmodSync(join(workspace, 'a.md'), 0)
    const { reason } = await withoutRoot(workspace, end)
    expect(reason).toContain('a.md')
    expect(reason).toContain('b.md')
    expect(readdirSync(join(workspace, 'shut'))).toEqual([])
  })

  it.each([
    { map: [{ from: 'mem/../../*.md', to: 'x' }] },
    { map: [{ from: 'a[', to: 'x' }] },
    { map: [{ from: 'a\0', to: 'x' }] },
  ])('B85 refuses %j', (options) => expect(memorySync.options.safeParse(options).success).toBe(false))
})
