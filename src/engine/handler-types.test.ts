// What compiles as a handler: checked by tsc, run only to see that it runs.

import { expect, it } from 'vitest'
import { createHookBus } from '../compat/hook-bus.ts'
import { HookSystem } from '../compat/hook-system.ts'
import { createEngine } from '../platform/hook-engine.ts'

it('H1 an asynchronous handler may return a single word, with and without a condition', async () => {
  const engine = createEngine({ mode: 'enforce' })
  engine.register('pre:tool', async () => 'flag')
  engine.register('pre:tool', () => 'pass')
  engine.register('pre:tool', async ({ data }) => {
    if (data.tool === 'shell') return { abort: true, reason: 'no' }
    return
  })
  engine.register({ name: 'object', points: ['pre:tool'], check: async () => 'pass' })
  // @ts-expect-error 'flga' is not a decision
  engine.register('pre:message', async () => 'flga')
  // @ts-expect-error output cannot be modified before a tool runs
  engine.register('pre:compact', async () => ({ modify: { output: 'x' } }))
  expect(await engine.dispatch('pre:tool', { tool: 'read', args: {} })).toMatchObject({ decision: 'flag' })
  expect(await engine.dispatch('pre:tool', { tool: 'shell', args: {} })).toMatchObject({ decision: 'block' })
})

it('H1 the faces take the same handlers', async () => {
  const hooks = new HookSystem()
  hooks.register('pre:message', async () => 'flag')
  const bus = createHookBus({ mode: 'enforce' })
  bus.register({ name: 'bus', priority: 1, check: async () => 'flag' })
  expect(await hooks.dispatch('pre:message', { prompt: 'x' })).toMatchObject({ decision: 'flag' })
  expect(await bus.dispatch('pre:message', { prompt: 'x' })).toMatchObject({ decision: 'flag' })
})
