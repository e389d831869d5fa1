import { describe, expect, it } from 'vitest'
import type { Mode } from '../engine/mode.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import type { SupervisionEvent } from './builtin/services.ts'
import { runWithRetry } from './retry.ts'

// Objects to what does not hold "good".
function judge(decision: 'flag' | 'block' | 'ask', mode: Mode = 'enforce', maxMode?: () => Mode) {
  const engine = createEngine({ mode, ...(maxMode && { maxMode }) })
  engine.register(
    'pre:turn:end',
    ({ data }) => (data.output?.includes('good') ? 'pass' : { decision, reason: `"${data.output}" is not good` }),
    { name: 'judge' },
  )
  return engine
}

describe('runWithRetry', () => {
  it.each(['flag', 'block'] as const)(
    'M5 runs again on a %s in enforce, with the reasons as feedback',
    async (decision) => {
      const seen: unknown[] = []
      const retries: unknown[] = []
      const result = await runWithRetry({
        pipeline: judge(decision),
        onRetry: (attempt, reason) => void retries.push([attempt, reason]),
        execute: (feedback, attempt) => {
          seen.push([feedback, attempt])
          return attempt === 2 ? 'good' : 'bad'
        },
      })
      expect(result).toMatchObject({ attempts: 2, output: 'good', outcome: { decision: 'pass' } })
      expect(seen).toEqual([
        [undefined, 1],
        ['"bad" is not good', 2],
      ])
      expect(retries).toEqual([[1, '"bad" is not good']])
    },
  )

  it('M5 stops at the limit and gives the last outcome', async () => {
    const { attempts, outcome } = await runWithRetry({ pipeline: judge('block'), maxAttempts: 3, execute: () => 'bad' })
    expect([attempts, outcome.decision]).toEqual([3, 'block'])
  })

  it.each([['off'], ['log'], ['advise']] as const)('M5 in %s there is one attempt', async (mode) => {
    expect((await runWithRetry({ pipeline: judge('block', mode), execute: () => 'bad' })).attempts).toBe(1)
  })

  it('M5 with the breaker open there is one attempt, and what is held for a person is not tried again', async () => {
    const lowered = judge('flag', 'enforce', () => 'log')
    expect((await runWithRetry({ pipeline: lowered, execute: () => 'bad' })).attempts).toBe(1)
    expect((await runWithRetry({ pipeline: judge('ask'), execute: () => 'bad' })).attempts).toBe(1)
  })

  it('M5 an error of the executor is not retried', async () => {
    let calls = 0
    const execute = () => {
      calls++
      throw new Error('agent down')
    }
    await expect(runWithRetry({ pipeline: judge('block'), execute })).rejects.toThrow('agent down')
    expect(calls).toBe(1)
  })

  it('M5 counts attempts per session and turn, over processes', async () => {
    const state = new MemoryStateStore()
    const run = async (turn: string, maxAttempts: number) => {
      const context = { session: 's', turn }
      return (await runWithRetry({ pipeline: judge('block'), execute: () => 'bad', maxAttempts, state, context }))
        .attempts
    }
    expect([await run('t', 2), await run('t', 3), await run('t', 3), await run('u', 3)]).toEqual([2, 1, 1, 3])
  })

  it('M5 heeds a tracker that says no other attempt follows', async () => {
    const engine = judge('block')
    engine.register('pre:turn:end', () => ({ metadata: { shouldRetry: false } }), { name: 'tracker', priority: 1 })
    expect((await runWithRetry({ pipeline: engine, execute: () => 'bad' })).attempts).toBe(1)
  })

  it('M5 writes its own lines to the log', async () => {
    const events: SupervisionEvent[] = []
    await runWithRetry({
      pipeline: judge('flag'),
      maxAttempts: 2,
      execute: () => 'bad',
      record: (event) => void events.push(event),
    })
    expect(events.map(({ component, action }) => `${component} ${action}`)).toEqual([
      ...['retry retry:start', 'retry retry:again', 'retry retry:start', 'retry retry:end'],
    ])
  })

  it('takes a function that makes the pipeline, and needs no executor', async () => {
    expect(await runWithRetry({ pipeline: () => judge('flag', 'log'), maxAttempts: 3 })).toMatchObject({ attempts: 1 })
    await expect(runWithRetry({ pipeline: 7 as never })).rejects.toThrow('pipeline of runWithRetry')
    await expect(runWithRetry({ pipeline: judge('flag'), maxAttempts: 0 })).rejects.toThrow('maxAttempts')
  })
})
