// The engine as programs use it: on the real clock, in real processes.

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { CALL } from '../../test/engine-fixture.ts'
import { CoreEngine } from '../engine/engine.ts'
import { HookTable as CoreTable } from '../engine/table.ts'
import { createEngine, HandlerTable, HookEngine } from './hook-engine.ts'

const LIBRARY = new URL('../../dist/index.js', import.meta.url).href

/** Runs a program that has the built library at hand, and gives what it printed. It fails when it does not end. */
function runProgram(program: string): unknown {
  const source = `import { createEngine } from ${JSON.stringify(LIBRARY)}\n${program}`
  const args = ['--input-type=module', '--eval', source]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 100_000 })
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' })
  return JSON.parse(stdout)
}

describe('an engine on the real clock', () => {
  it('D7 a hung hook with a limit of a minute does not keep the process alive', () => {
    const printed = runProgram(`
      const engine = createEngine({ mode: 'enforce' })
      engine.register('pre:tool', () => new Promise(() => {}), { timeoutMs: 60_000 })
      let isDone = false
      engine.dispatch('pre:tool', { tool: 'shell', args: {} }).then(() => (isDone = true))
      process.on('exit', () => console.log(JSON.stringify({ isDone })))
    `)
    expect(printed).toEqual({ isDone: false })
  })

  it('D7 a finished dispatch leaves no timer, in force or not', () => {
    const printed = runProgram(`
      // Counts every timer, because those that do not keep the process alive are not among the active resources.
      const live = new Set()
      const { setTimeout: set, clearTimeout: clear } = globalThis
      globalThis.setTimeout = (callback, ms) => {
        const timer = set(() => (live.delete(timer), callback()), ms)
        live.add(timer)
        return timer
      }
      globalThis.clearTimeout = (timer) => (live.delete(timer), clear(timer))
      const engine = createEngine({ mode: 'enforce' })
      let answer
      engine.register('pre:tool', () => new Promise((resolve) => (answer = resolve)))
      const given = engine.dispatch('pre:tool', { tool: 'shell', args: {} })
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      const during = live.size
      answer('flag')
      const { decision } = await given
      const active = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
      console.log(JSON.stringify({ decision, during, after: live.size, active }))
    `)
    expect(printed).toEqual({ decision: 'flag', during: 1, after: 0, active: [] })
  })

  it('D7 a hung hook is given up on in time', () => {
    const printed = runProgram(`
      const engine = createEngine({ mode: 'enforce', sink: () => {} })
      let signal
      engine.register('pre:tool', (step, run) => ((signal = run.signal), new Promise(() => {})), { name: 'hung', timeoutMs: 40, onError: 'abort' })
      const alive = setInterval(() => {}, 1_000)
      const start = performance.now()
      const { decision, reason } = await engine.dispatch('pre:tool', { tool: 'shell', args: {} })
      const isInTime = performance.now() - start >= 39
      clearInterval(alive)
      console.log(JSON.stringify({ decision, reason, isInTime, aborted: signal.aborted, why: signal.reason.message }))
    `)
    expect(printed).toEqual({
      decision: 'block',
      reason: 'hook hung failed (timeout): no answer within 40 ms',
      isInTime: true,
      aborted: true,
      why: 'no answer within 40 ms',
    })
  })

  it('D6 a failing hook is printed on stderr, and on it alone', () => {
    const source = `import { createEngine } from ${JSON.stringify(LIBRARY)}
      const engine = createEngine()
      engine.register('pre:tool', () => { throw new Error('hook bug') }, { name: 'bad' })
      engine.dispatch('pre:tool', { tool: 'shell', args: {} })`
    const args = ['--input-type=module', '--eval', source]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 100_000 })
    expect([stdout, stderr]).toEqual(['', 'arc: hook bad failed at pre:tool: crash: Error: hook bug\n'])
  })

  it('measures how long hooks take and gives steps unique ids', async () => {
    const seen: [number, string][] = []
    const engine = createEngine({ sink: ({ durationMs }, { id }) => void seen.push([durationMs, id]) })
    engine.register('pre:tool', () => {
      const start = performance.now()
      while (performance.now() - start < 2);
    })
    await engine.dispatch('pre:tool', CALL)
    await engine.dispatch('pre:tool', CALL)
    expect(Math.min(...seen.map(([durationMs]) => durationMs))).toBeGreaterThanOrEqual(2)
    expect(seen[0]?.[1]).toHaveLength(26)
    expect(String(seen[1]?.[1]) > String(seen[0]?.[1])).toBe(true)
  })
})

describe('the public classes', () => {
  it('are the core, wired', () => {
    expect(createEngine()).toBeInstanceOf(HookEngine)
    expect(new HookEngine()).toBeInstanceOf(CoreEngine)
    expect(new HandlerTable()).toBeInstanceOf(CoreTable)
  })

  it('take a table that was built apart, patterns included', async () => {
    const engine = createEngine({ mode: 'enforce' })
    const { table } = new HandlerTable({ maxHooksPerPoint: 1 }).add('pre:tool', () => 'block', {
      match: { tool: '/sh.*/' },
    })
    engine.swap(table)
    expect((await engine.dispatch('pre:tool', CALL)).blocked).toBe(true)
    expect((await engine.dispatch('pre:tool', { tool: 'read', args: {} })).blocked).toBe(false)
    expect(() => engine.register('pre:tool', () => 'pass')).toThrow('limit of 1')
  })
})
