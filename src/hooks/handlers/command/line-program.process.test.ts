// A helper program that stays: answers in order, dies, hangs and comes back, as a real process.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { ArcError } from '../../../engine/errors.ts'
import type { HookOptions } from '../../../engine/hook.ts'
import type { Evaluation } from '../../../engine/outcome.ts'
import { createEngine } from '../../../platform/hook-engine.ts'
import { type CommandHandler, type CommandOptions, commandHandler } from './command.ts'
import { isGroupAlive } from './terminate.ts'

const HELPER = fileURLToPath(new URL('fixtures/helper.mjs', import.meta.url))

let folder: string
const handlers: CommandHandler[] = []
beforeEach(() => {
  folder = makeTempFolder('arc-helper-')
})
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.dispose()
})

/** An engine in enforce with one helper as its hook. */
function helper(options: Partial<CommandOptions> = {}, hook: HookOptions = {}) {
  const records: Evaluation[] = []
  const engine = createEngine({ mode: 'enforce', sink: (evaluation) => void records.push(evaluation) })
  const command = [process.execPath, HELPER]
  const handler = commandHandler({ command, keepAlive: true, graceMs: 100, cwd: folder, ...options })
  handlers.push(handler)
  engine.register('pre:tool', handler, { name: 'helper', ...hook })
  const ask = async (tool: string, args: Readonly<Record<string, unknown>> = {}) => {
    const { metadata, ...outcome } = await engine.dispatch('pre:tool', { tool, args })
    return { ...outcome, ...(metadata as { tool?: string; pid?: number }) }
  }
  return { ask, records, handler }
}

const lines = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trim().split('\n')

describe('a helper', () => {
  it('H2 is one process: a JSON line in and a JSON line out for each step', async () => {
    const { ask, records } = helper()
    const first = await ask('one')
    const second = await ask('two')
    expect([first.tool, second.tool]).toEqual(['one', 'two'])
    expect(second.pid).toBe(first.pid)
    expect(records.map(({ cause }) => cause)).toEqual(['policy', 'policy'])
  })

  it('H2 answers 100 concurrent steps, each with its own answer', async () => {
    const { ask } = helper()
    const tools = Array.from({ length: 100 }, (_, index) => `tool-${index}`)
    const answers = await Promise.all(tools.map((tool) => ask(tool)))
    expect(answers.map(({ tool }) => tool)).toEqual(tools)
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
  })

  it('H2 gets a large step in one line', async () => {
    const { ask } = helper()
    expect(await ask('one', { content: '\n'.repeat(3_000_000) })).toMatchObject({ tool: 'one' })
  })

  it('H2 blocks with a verdict', async () => {
    const command = `while read -r line; do echo '{"decision":"block","reason":"no"}'; done`
    expect(await helper({ command }).ask('one')).toMatchObject({ blocked: true, reason: 'no' })
  })

  it('H2 is heard although it talks beside its answers', async () => {
    const command = `while read -r line; do echo noise; echo; echo '[1]'; echo '{"metadata":{"tool":"x"}}'; done`
    const { ask } = helper({ command })
    expect((await ask('one')).tool).toBe('x')
    expect((await ask('two')).tool).toBe('x')
  })

  it('H2 is started when the first step comes, not before', async () => {
    helper({ command: 'echo started >log; cat' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(() => lines('log')).toThrow(/ENOENT/)
  })

  it.each([{ command: 'cat {tool_name}' }, { command: ['cat', '{session_id}'] }])(
    'H3 cannot have placeholders: %j',
    (o) => {
      expect(() => commandHandler({ ...o, keepAlive: true })).toThrow(ArcError)
      expect(() => commandHandler({ ...o, keepAlive: true })).toThrow(/kept alive over many steps/)
    },
  )
})

describe('a helper that dies', () => {
  it.each([
    ['die', 'it exited with code 3: a word on stderr'],
    ['kill', 'it was killed by SIGKILL'],
  ])('H2 fails the step with a crash (%s), and the next step waits for a new one', async (misdeed, why) => {
    const { ask, records } = helper()
    const before = await ask('one')
    expect(await ask(misdeed)).toMatchObject({ decision: 'flag' })
    expect(records[1]).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining(why) })
    const after = await ask('two')
    expect(after.tool).toBe('two')
    expect(after.pid).not.toBe(before.pid)
  })

  it('H2 fails all steps that wait for it, and only those', async () => {
    const { ask, records } = helper()
    const answers = await Promise.all(['one', 'die', 'two', 'three'].map((tool) => ask(tool)))
    expect(answers.map(({ tool }) => tool)).toEqual(['one', undefined, undefined, undefined])
    expect(records.map(({ cause }) => cause)).toEqual(['policy', 'failure:crash', 'failure:crash', 'failure:crash'])
    expect((await ask('four')).tool).toBe('four')
  })

  it('H2 right before its answer has come through has answered', async () => {
    const command = `read -r line; (sleep 0.03; echo '{"metadata":{"tool":"last words"}}') & exit 0`
    const { ask } = helper({ command })
    for (let step = 0; step < 3; step++) {
      expect((await ask('one')).tool).toBe('last words')
      // Until its end is noticed: a step in between would find no process.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  it('H2 each time is started with growing pauses, not in a busy loop', async () => {
    const { ask, records } = helper({ command: 'echo x >>log; exit 1' }, { timeoutMs: 450 })
    const until = performance.now() + 1_000
    while (performance.now() < until) {
      await ask('one')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    // Pauses of 100, 200 and 400 ms: about four lives in a second.
    expect(lines('log').length).toBeLessThanOrEqual(5)
    const crashes = records.filter(({ cause }) => cause === 'failure:crash')
    const refusals = records.filter(({ cause }) => cause === 'failure:start')
    expect(crashes).toHaveLength(lines('log').length)
    expect(crashes.length + refusals.length).toBe(records.length)
  })

  it('H2 too often is not waited for beyond the limit of the step', async () => {
    const { ask, records } = helper({ command: 'exit 1' }, { timeoutMs: 50 })
    await ask('one')
    expect(await ask('two')).toMatchObject({ decision: 'flag' })
    expect(records[1]).toMatchObject({ cause: 'failure:start' })
    expect(records[1]?.reason).toMatch(/it died once; the next start is in \d+ ms/)
  })

  it('H2 is forgiven once it has answered', async () => {
    const { ask, records } = helper({}, { timeoutMs: 5_000 })
    for (let round = 0; round < 3; round++) {
      await ask('die')
      expect((await ask('one')).tool).toBe('one')
    }
    expect(records.filter(({ cause }) => cause === 'failure:start')).toEqual([])
  })

  it.each([
    ['a missing program', { command: ['./no-such-program'] }, 'was not found'],
    ['a missing folder', { cwd: '/no/such/folder' }, 'does not exist'],
    ['an argument beyond what the system takes', { command: ['true', 'x'.repeat(3_000_000)] }, 'E2BIG'],
  ])('H2 cannot be started with %s: that is said, again and again', async (_what, options, why) => {
    const { ask, records } = helper(options)
    await ask('one')
    await ask('two')
    for (const record of records) {
      expect(record).toMatchObject({ cause: 'failure:start', reason: expect.stringContaining(why) })
    }
    expect(records).toHaveLength(2)
  })
})

describe('a helper that misbehaves', () => {
  it('H4 by hanging is a time-out; it is ended, and the next step gets a new one', async () => {
    const { ask, records } = helper({}, { timeoutMs: 1_500 })
    const { pid = 0 } = await ask('one')
    expect(await ask('hang')).toMatchObject({ decision: 'flag' })
    expect(records[1]).toMatchObject({ cause: 'failure:timeout' })
    const after = await ask('two')
    expect(after.tool).toBe('two')
    expect(after.pid).not.toBe(pid)
    await expect.poll(() => isGroupAlive(pid)).toBe(false)
  })

  it('H4 by ignoring TERM as well is killed', async () => {
    const command = "trap '' TERM; read -r line; echo '{\"metadata\":{\"pid\":'$$'}}'; while :; do sleep 1; done"
    const { ask } = helper({ command }, { timeoutMs: 200 })
    const { pid = 0 } = await ask('one')
    expect(isGroupAlive(pid)).toBe(true)
    await ask('two')
    await expect.poll(() => isGroupAlive(pid), { timeout: 60_000 }).toBe(false)
  })

  it('H4 by half a JSON is invalid output, and the next answer is the next step’s', async () => {
    const { ask, records } = helper()
    await ask('half')
    expect(records[0]).toMatchObject({ decision: 'flag', cause: 'failure:invalid-output' })
    expect((await ask('two')).tool).toBe('two')
  })

  it('H4 by an endless line is beyond the limit, and ended', async () => {
    const { ask, records } = helper()
    await ask('endless')
    expect(records[0]).toMatchObject({ decision: 'flag', cause: 'failure:output-limit' })
    expect((await ask('two')).tool).toBe('two')
  })

  it('H4 by a whole answer of more than the limit is beyond it, counted in bytes', async () => {
    const { ask, records } = helper()
    await ask('huge')
    expect(records[0]).toMatchObject({ decision: 'flag', cause: 'failure:output-limit' })
    expect((await ask('two')).tool).toBe('two')
  })

  it('H4 by never reading does not stop the step', async () => {
    const { ask, records } = helper({ command: 'sleep 20' }, { timeoutMs: 200 })
    await ask('one', { content: 'x'.repeat(5_000_000) })
    expect(records[0]).toMatchObject({ cause: 'failure:timeout' })
  })

  it('H2 blocks when it is blocking, whatever its onError', async () => {
    const { ask, records } = helper({ blocking: true }, { onError: 'skip', timeoutMs: 1_500 })
    for (const misdeed of ['die', 'hang', 'half', 'endless']) {
      expect(await ask(misdeed)).toMatchObject({ blocked: true })
    }
    expect(records.map(({ cause }) => cause)).toEqual([
      'failure:crash',
      'failure:timeout',
      'failure:invalid-output',
      'failure:output-limit',
    ])
    expect(await ask('one')).toMatchObject({ blocked: false })
  })

  it('D7 can have a limit longer than a timer of Node', async () => {
    expect((await helper({ timeoutMs: 1e12 }).ask('one')).tool).toBe('one')
  })
})

describe('disposing of a helper', () => {
  it('H4 ends it and all it started, and is safe to do twice', async () => {
    const command = `sleep 20 & while read -r line; do echo '{"metadata":{"pid":'$$'}}'; done`
    const { ask, handler } = helper({ command })
    const { pid = 0 } = await ask('one')
    expect(isGroupAlive(pid)).toBe(true)
    handler.dispose()
    handler.dispose()
    await expect.poll(() => isGroupAlive(pid)).toBe(false)
  })

  it('H4 answers those who wait, and those who come later', async () => {
    const { ask, handler, records } = helper()
    await ask('one')
    const waiting = ask('hang')
    handler.dispose()
    expect(await waiting).toMatchObject({ decision: 'flag' })
    await ask('two')
    expect(records.slice(1).map(({ cause, reason }) => `${cause}: ${reason}`)).toEqual([
      expect.stringMatching(/^failure:crash: .*disposed of/),
      expect.stringMatching(/^failure:start: .*disposed of/),
    ])
  })

  it('H4 in a pause between two lives starts no other', async () => {
    const { ask, handler, records } = helper({ command: 'echo x >>log; exit 1' })
    await ask('one')
    const waiting = ask('two')
    handler.dispose()
    await waiting
    expect(records[1]).toMatchObject({ cause: 'failure:start', reason: expect.stringContaining('disposed of') })
    expect(lines('log')).toHaveLength(1)
  })
})
