// Commands that misbehave, as real processes: whatever they do, the step gets its answer and no process is left behind.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import type { Evaluation } from '../../../engine/outcome.ts'
import { createEngine } from '../../../platform/hook-engine.ts'
import { MAX_OUTPUT_BYTES } from '../handler.ts'
import { type CommandOptions, commandHandler } from './command.ts'
import { type Finished, runToEnd } from './spawn.ts'
import { isGroupAlive, terminateGroup } from './terminate.ts'

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))
const fixture = (name: string): string => `sh ${join(FIXTURES, name)}`

// The fixtures sleep for longer than the time limit of a test: waiting for them fails the test.
let folder: string
let env: { PID_FILE: string }
beforeEach(() => {
  folder = makeTempFolder('arc-spawn-')
  env = { PID_FILE: join(folder, 'pid') }
})

/** Sends one step through one command hook in enforce. */
async function supervise(options: CommandOptions, args: Readonly<Record<string, unknown>> = {}) {
  const records: Evaluation[] = []
  const runs: Finished[] = []
  const engine = createEngine({ mode: 'enforce', sink: (evaluation) => void records.push(evaluation) })
  const handler = commandHandler({ env, graceMs: 100, ...options }, (finished) => void runs.push(finished))
  engine.register('pre:tool', handler, { name: 'guard' })
  const outcome = await engine.dispatch('pre:tool', { tool: 'write', args })
  return { outcome, record: records[0] as Evaluation, finished: runs[0] as Finished }
}

const pid = (): number => Number(readFileSync(env.PID_FILE, 'utf8'))

// Not even as a dead entry of the process table.
function isThere(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

describe('at the time limit', () => {
  it('H4 a command that hangs is ended, and no process of its group is left', async () => {
    const { record } = await supervise({ command: fixture('hang.sh'), timeoutMs: 200 })
    expect(record).toMatchObject({ decision: 'flag', cause: 'failure:timeout' })
    expect(record.reason).toContain('timed out after 0.2s')
    expect(isGroupAlive(pid())).toBe(false)
  })

  it('H4 one that ignores TERM gets KILL after the grace', async () => {
    const { record } = await supervise({ command: fixture('ignore-term.sh'), timeoutMs: 200 })
    expect(record).toMatchObject({ cause: 'failure:timeout' })
    expect(isGroupAlive(pid())).toBe(false)
  })

  it('H4 a grandchild that ignores TERM and holds stdout dies too', async () => {
    const { record } = await supervise({ command: fixture('stubborn-grandchild.sh'), timeoutMs: 200 })
    expect(record).toMatchObject({ cause: 'failure:timeout' })
    expect(isGroupAlive(pid())).toBe(false)
  })

  it('H4 the clock decides: exit 0 on TERM is a time-out all the same', async () => {
    const { record, finished } = await supervise({ command: fixture('exit-0-on-term.sh'), timeoutMs: 200 })
    expect(finished.ending).toEqual({ kind: 'timeout' })
    expect(record).toMatchObject({ decision: 'flag', cause: 'failure:timeout' })
  })

  it('H4 a verdict given before does not count', async () => {
    const { outcome, record } = await supervise({ command: `echo '{"decision":"pass"}'; sleep 20`, timeoutMs: 200 })
    expect(outcome.decision).toBe('flag')
    expect(record).toMatchObject({ cause: 'failure:timeout' })
  })

  it('H4 a command that never stops printing is ended, its output bounded', async () => {
    const { record, finished } = await supervise({ command: 'yes', timeoutMs: 200 })
    expect(record).toMatchObject({ cause: 'failure:timeout' })
    expect(finished.stdout.text.length).toBeLessThanOrEqual(MAX_OUTPUT_BYTES)
  })

  it('H4 a stopped command is ended', async () => {
    const { record } = await supervise({ command: 'echo $$ >"$PID_FILE"; kill -STOP $$', timeoutMs: 200 })
    expect(record).toMatchObject({ cause: 'failure:timeout' })
    expect(isGroupAlive(pid())).toBe(false)
  })

  it('H4 a signal from outside ends it early', async () => {
    const controller = new AbortController()
    const how = { file: 'sh', args: ['-c', 'sleep 20'], env: process.env, input: '', timeoutMs: 20_000, graceMs: 50 }
    const run = runToEnd({ ...how, signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    expect((await run).ending).toEqual({ kind: 'timeout' })
    expect((await runToEnd({ ...how, signal: controller.signal })).ending).toEqual({ kind: 'timeout' })
  })
})

describe('after its exit', () => {
  it('H4 a command is not waited for when a grandchild holds its outputs', async () => {
    const { outcome } = await supervise({ command: fixture('leave-grandchild.sh') })
    process.kill(pid(), 'SIGKILL')
    expect(outcome).toMatchObject({ decision: 'block', reason: 'answered before the grandchild' })
  })

  it('H4 an answer within the grace is read even when this process was too busy to look', async () => {
    const command = `(sleep 0.05; echo '{"decision":"block"}') & echo $$ >"$PID_FILE"`
    const run = supervise({ command })
    // From the moment that the exit is known, busy for longer than the grace for the outputs.
    while (!existsSync(env.PID_FILE) || isThere(pid())) await new Promise((resolve) => setImmediate(resolve))
    const until = performance.now() + 250
    while (performance.now() < until);
    expect((await run).outcome).toMatchObject({ decision: 'block' })
  })

  it.each(['SEGV', 'KILL', 'TERM', 'ABRT'])('H4 a death by SIG%s is a failure, never exit 0', async (signal) => {
    const { outcome, record, finished } = await supervise({ command: ['sh', join(FIXTURES, 'die.sh'), signal] })
    expect(finished.ending).toEqual({ kind: 'signal', signal: `SIG${signal}` })
    expect(outcome.decision).toBe('flag')
    expect(record).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining(`SIG${signal}`) })
  })

  it('H4 a program that is not there is known by 127', async () => {
    const { record } = await supervise({ command: 'no-such-program --now' })
    expect(record).toMatchObject({ cause: 'failure:start', reason: expect.stringContaining('code 127') })
  })

  it('H4 a script that may not be executed is known by 126', async () => {
    const { record } = await supervise({ command: join(FIXTURES, 'not-executable.sh') })
    expect(record).toMatchObject({ cause: 'failure:start', reason: expect.stringContaining('code 126') })
  })

  it('H4 a folder that is gone is named', async () => {
    const cwd = mkdtempSync(join(folder, 'gone-'))
    rmSync(cwd, { recursive: true })
    const { record } = await supervise({ command: 'true', cwd })
    expect(record).toMatchObject({ cause: 'failure:start' })
    expect(record.reason).toContain(`the folder ${cwd} does not exist`)
  })
})

describe('the outputs', () => {
  it('H4 of 300 KB on both do not deadlock', async () => {
    const command = `${fixture('flood.sh')} 300000 1 0; ${fixture('flood.sh')} 300000 2 0`
    const { record, finished } = await supervise({ command })
    expect(record).toMatchObject({ decision: 'pass', cause: 'policy' })
    expect(finished.stdout).toMatchObject({ text: 'x'.repeat(300_000), droppedBytes: 0 })
    expect(finished.stderr).toMatchObject({ text: 'x'.repeat(300_000), droppedBytes: 0 })
  })

  it.each([
    [1, 'stdout', 'failure:output-limit'],
    [2, 'stderr', 'policy'],
  ] as const)(
    'H4 of 200 MB on %i are drained in bounded memory and counted (%s: %s)',
    async (output, stream, cause) => {
      const peak = watchMemory()
      // So much takes its time where others use the machine too.
      const command = `${fixture('flood.sh')} 200000000 ${output} 0`
      const { record, finished } = await supervise({ command, timeoutMs: 60_000 })
      expect(peak()).toBeLessThan(100e6)
      expect(finished[stream].text).toHaveLength(MAX_OUTPUT_BYTES)
      expect(finished[stream].droppedBytes).toBe(200_000_000 - MAX_OUTPUT_BYTES)
      expect(record.cause).toBe(cause)
    },
    90_000,
  )

  it('H4 of exactly the limit are within it', async () => {
    const { record } = await supervise({ command: `${fixture('flood.sh')} ${MAX_OUTPUT_BYTES} 1 0` })
    expect(record).toMatchObject({ decision: 'pass', cause: 'policy' })
  })

  it('H4 with half a JSON are invalid output, not consent', async () => {
    const { outcome, record } = await supervise({ command: fixture('half-json.sh') })
    expect(outcome.decision).toBe('flag')
    expect(record).toMatchObject({ cause: 'failure:invalid-output' })
  })

  it('H4 with the noise of a profile before the JSON are read', async () => {
    const { outcome } = await supervise({ command: fixture('noisy-json.sh') })
    expect(outcome).toMatchObject({ decision: 'block', reason: 'after the noise' })
  })

  it('H4 with two JSON documents give the last one', async () => {
    const { outcome } = await supervise({ command: fixture('two-json.sh') })
    expect(outcome).toMatchObject({ decision: 'block', reason: 'the last one' })
  })
})

describe('the input', () => {
  const args = { content: `${'x'.repeat(5_000_000)}end` }

  it('H4 of 5 MB arrives whole', async () => {
    const { outcome } = await supervise({ command: [process.execPath, join(FIXTURES, 'measure.mjs')] }, args)
    expect(outcome.metadata).toMatchObject({ length: 5_000_003, end: 'end', isSame: true })
  })

  it.each([
    ['never reads it', 'deaf.sh', 'not listening'],
    ['closes it early', 'close-stdin.sh', 'closed'],
  ])('H4 of 5 MB is no error for a command that %s', async (_what, name, reason) => {
    const { outcome, record } = await supervise({ command: fixture(name) }, args)
    expect(outcome).toMatchObject({ decision: 'flag', reason })
    expect(record).toMatchObject({ cause: 'policy' })
  })

  it('H4 of 5 MB is no error for one that blocks without reading it', async () => {
    const { outcome } = await supervise({ command: 'echo no >&2; exit 2' }, args)
    expect(outcome).toMatchObject({ blocked: true, reason: 'no' })
  })
})

describe('a process group', () => {
  it('H4 that is gone can be ended without a failure', async () => {
    const { finished } = await supervise({ command: 'echo $$' })
    const leader = Number(finished.stdout.text)
    expect(isGroupAlive(leader)).toBe(false)
    await terminateGroup(leader, 1_000)
  })

  it('H4 is alive while anybody in it is', async () => {
    // The leader is gone at once; what it started stays for a while.
    const command = 'sleep 20 & echo $$ >"$PID_FILE"'
    await supervise({ command })
    expect(isGroupAlive(pid())).toBe(true)
    await terminateGroup(pid(), 1_000)
    expect(isGroupAlive(pid())).toBe(false)
  })
})

// The most memory that buffers took since the call, above what they took then.
function watchMemory(): () => number {
  const used = (): number => process.memoryUsage().rss
  const before = used()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, used())
  }, 5)
  return () => {
    clearInterval(timer)
    return peak - before
  }
}
