import { describe, expect, it } from 'vitest'
import { sendThrough } from '../../test/one-hook.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { DEGRADATION, degrade, Failure, type FailureKind, ON_ERROR, type OnError } from './degradation.ts'
import type { Mode } from './mode.ts'
import type { Decision } from './verdict.ts'

// The table of the design, written out once more: a change of the code's own table must not go unnoticed.
const DESIGN: Readonly<Record<FailureKind, Readonly<Record<OnError, Decision>>>> = {
  crash: { log: 'flag', skip: 'pass', abort: 'block' },
  timeout: { log: 'flag', skip: 'pass', abort: 'block' },
  start: { log: 'flag', skip: 'pass', abort: 'block' },
  'invalid-output': { log: 'flag', skip: 'pass', abort: 'block' },
  'output-limit': { log: 'flag', skip: 'pass', abort: 'block' },
}
const KINDS = Object.keys(DESIGN) as FailureKind[]

/** A way to fail of each kind, as a handler does it. */
const FAILING: Readonly<Record<FailureKind, () => unknown>> = {
  crash: () => {
    throw new Error('boom')
  },
  timeout: () => new Promise(() => undefined),
  start: () => new Failure('start', 'no such program'),
  'invalid-output': () => 42,
  'output-limit': () => ({ metadata: { list: new Array(200_000).fill(0) } }),
}

const CELLS = KINDS.flatMap((kind) =>
  ON_ERROR.flatMap((onError) =>
    (['pre:tool', 'post:tool'] as const).flatMap((point) =>
      (['off', 'log', 'advise', 'enforce'] as const).map((mode) => ({ kind, onError, point, mode })),
    ),
  ),
)

/** What the outcome must be: a block counts only where it can be applied, else it is a flag. */
function expectedOutcome(decision: Decision, point: string, mode: Mode) {
  if (mode === 'off') return { decision: 'pass', blocked: false }
  const isApplied = decision === 'block' && mode === 'enforce' && point === 'pre:tool'
  return { decision: decision === 'block' && !isApplied ? 'flag' : decision, blocked: isApplied }
}

describe('the degradation table', () => {
  it('D13 is the one of the design', () => {
    const { log, skip, abort } = { log: 'log', skip: 'skip', abort: 'abort' } as const
    expect([...ON_ERROR].sort()).toEqual([abort, log, skip])
    const decisions = Object.entries(DEGRADATION).map(([kind, row]) => [
      kind,
      { log: row.log, skip: row.skip, abort: row.abort },
    ])
    expect(Object.fromEntries(decisions)).toEqual(DESIGN)
  })

  it('D13 says of every kind of failure what it is', () => {
    for (const { what } of Object.values(DEGRADATION)) expect(what).toMatch(/^[a-z].{10,}[^.]$/)
  })

  it.each(KINDS.flatMap((kind) => ON_ERROR.map((onError) => ({ kind, onError }))))(
    'D13 $kind with onError $onError',
    ({ kind, onError }) => {
      expect(degrade(kind, onError)).toBe(DESIGN[kind][onError])
    },
  )
})

describe('a failed hook', () => {
  it.each(CELLS)('D13 $kind, onError $onError, at $point, in $mode', async ({ kind, onError, point, mode }) => {
    const decision = DESIGN[kind][onError]
    const { outcome, evaluations, faults } = await sendThrough(FAILING[kind], {
      point,
      engine: { mode },
      hook: { name: 'bad', onError, timeoutMs: 5 },
    })
    const expected = expectedOutcome(decision, point, mode)
    expect(outcome).toMatchObject(expected)
    if (mode === 'off') {
      expect(evaluations).toEqual([])
      return
    }
    const cause = `failure:${kind}`
    expect(evaluations).toMatchObject([{ hook: 'bad', mode, decision, applied: expected.blocked, cause }])
    expect(evaluations[0]?.reason).toContain(`hook bad failed (${kind})`)
    expect(evaluations[0]?.dropped !== undefined).toBe(decision === 'block' && point === 'post:tool')
    expect(faults).toMatchObject([{ kind: 'hook', hook: 'bad', point, onError }])
  })

  it.each(KINDS)('D13 %s takes the engine’s onError unless it has its own', async (kind) => {
    const run = async (engine: OnError, hook?: OnError) => {
      const options = { name: 'bad', timeoutMs: 5, ...(hook && { onError: hook }) }
      const sent = await sendThrough(FAILING[kind], { point: 'pre:tool', engine: { onError: engine }, hook: options })
      return sent.outcome.decision
    }
    expect(await run('abort')).toBe('block')
    expect(await run('abort', 'skip')).toBe('pass')
    expect(await run('skip', 'log')).toBe('flag')
  })

  it.each(KINDS)('D13 %s counts as log by default', async (kind) => {
    const { outcome } = await sendThrough(FAILING[kind], { point: 'pre:tool', hook: { name: 'bad', timeoutMs: 5 } })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, hook: 'bad' })
  })

  it.each(KINDS)('D13 %s also when the failure comes from a promise', async (kind) => {
    const later = async () => FAILING[kind]()
    const hook = { name: 'bad', timeoutMs: 5, onError: 'abort' } as const
    const { outcome, evaluations } = await sendThrough(later, { point: 'pre:tool', hook })
    expect(outcome).toMatchObject({ decision: 'block', blocked: true })
    expect(evaluations).toMatchObject([{ cause: `failure:${kind}` }])
  })

  it.each(ON_ERROR)('D13 with onError %s stops the hooks after it only when it blocks', async (onError) => {
    const ran: string[] = []
    const engine = createEngine({ mode: 'enforce', onFault: () => undefined })
    engine.register('pre:tool', FAILING.crash as () => 'pass', { onError })
    engine.register('pre:tool', () => void ran.push('after'))
    await engine.dispatch('pre:tool', { tool: 'x', args: {} })
    expect(ran).toEqual(onError === 'abort' ? [] : ['after'])
  })

  it('D13 never speaks in the name of policy, nor policy in the name of a failure', async () => {
    const { evaluations } = await sendThrough(() => 'block', { point: 'pre:tool' })
    expect(evaluations).toMatchObject([{ cause: 'policy', decision: 'block' }])
  })
})
