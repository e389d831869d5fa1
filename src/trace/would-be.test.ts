// What enforce would have done, from records of this version and of versions that did not record it.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CALL, makeEngine } from '../../test/engine-fixture.ts'
import { DECISIONS, type Decision } from '../engine/decision.ts'
import type { RecordedDispatch } from '../engine/engine.ts'
import type { Mode } from '../engine/mode.ts'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import type { Found } from '../storage/ports.ts'
import { findWouldBe } from './would-be.ts'

interface Hook {
  readonly says: Decision
  readonly mode: Mode
}

async function record(hooks: readonly Hook[], point: 'pre:tool' | 'session:end' = 'pre:tool') {
  const { engine } = makeEngine()
  for (const [at, { says, mode }] of hooks.entries()) {
    engine.register(point, () => says, { name: `hook-${at}`, mode })
  }
  const data = point === 'pre:tool' ? CALL : { reason: 'exit' }
  const { outcome, evaluations } = engine.dispatchRecorded(point, data) as RecordedDispatch
  const store = new MemoryTraceStore()
  await store.append({ step: { id: 'a', point, data, metadata: {} }, evaluations, outcome, time: 0 })
  return store.get('a') as Extract<Found, { found: 'step' }>
}

it('Q3 a step is recorded with the decision that enforce would have made', async () => {
  expect((await record([{ says: 'block', mode: 'log' }])).record.outcome).toMatchObject({
    decision: 'flag',
    wouldBe: 'block',
  })
  expect((await record([{ says: 'block', mode: 'enforce' }])).record.outcome).not.toHaveProperty('wouldBe')
})

it('Q3 the evaluations alone give the same answer, for records of earlier versions', async () => {
  const hook = fc.record({
    says: fc.constantFrom(...DECISIONS),
    mode: fc.constantFrom<Mode>('off', 'log', 'advise', 'enforce'),
  })
  const point = fc.constantFrom('pre:tool' as const, 'session:end' as const)
  await fc.assert(
    fc.asyncProperty(fc.array(hook, { minLength: 1, maxLength: 5 }), point, async (hooks, at) => {
      const { record: step, evaluations } = await record(hooks, at)
      const { wouldBe, ...outcome } = step.outcome
      expect(findWouldBe({ ...step, outcome }, evaluations)?.decision).toBe(wouldBe)
    }),
  )
})
