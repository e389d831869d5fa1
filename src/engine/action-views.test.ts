// One action at several points, in one dispatch.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HookEngine } from '../platform/hook-engine.ts'
import type { DerivedStep, Honours } from './action-views.ts'
import { DECISION_RANK, DECISIONS } from './decision.ts'
import type { RecordedDispatch } from './engine.ts'

const CALL = { tool: 'Write', args: { content: 'a' } }

const WRITE: DerivedStep = {
  point: 'pre:git:write',
  read: ({ args }) => ({ path: 'f', content: (args as { content: string }).content }),
  write: (action, { content }) => ({ ...action, args: { content } }),
}

const ENDED: DerivedStep = { point: 'run:end', isAfterPass: true, read: () => ({}) }

const EVERYTHING: Honours = { block: true, ask: true, who: 'host', canEdit: () => true }

function send(engine: HookEngine, steps: readonly DerivedStep[], honours?: Honours): RecordedDispatch {
  return engine.dispatchRecorded('pre:tool', CALL, {}, { honours, derive: () => steps }) as RecordedDispatch
}

describe('P2 an action at several points', () => {
  it('has the strictest decision of all, whatever the hooks decide, and one evaluation for each that ran', () => {
    const decision = fc.constantFrom(...DECISIONS)
    fc.assert(
      fc.property(decision, fc.array(decision, { maxLength: 4 }), (main, others) => {
        const engine = new HookEngine({ mode: 'enforce' })
        engine.register('pre:tool', () => main)
        for (const other of others) engine.register('pre:git:write', () => other)
        const { outcome, evaluations } = send(engine, [WRITE])
        const all = [main, ...others]
        const first = all.indexOf('block')
        const ran = first < 0 ? all : all.slice(0, first + 1)
        expect(evaluations.map((evaluation) => evaluation.decision)).toEqual(ran)
        expect(DECISION_RANK[outcome.decision]).toBe(Math.max(...ran.map((one) => DECISION_RANK[one])))
        expect(outcome.data).toBe(CALL)
      }),
    )
  })

  it('chains the edits of all points in order', () => {
    const texts = fc.array(fc.constantFrom('pre:tool', 'pre:git:write'), { maxLength: 6 })
    fc.assert(
      fc.property(texts, (points) => {
        const engine = new HookEngine({ mode: 'enforce' })
        for (const [at, point] of points.entries()) {
          engine.register(
            point as 'pre:git:write',
            (({ data }: { data: typeof CALL & { content: string } }) =>
              point === 'pre:tool'
                ? { modify: { args: { content: `${data.args.content}${at}` } } }
                : { modify: { content: `${data.content}${at}` } }) as never,
          )
        }
        const inOrder = ['pre:tool', 'pre:git:write'].flatMap((point) =>
          points.flatMap((one, at) => (one === point ? [at] : [])),
        )
        expect(send(engine, [WRITE]).outcome.data).toEqual({ tool: 'Write', args: { content: `a${inOrder.join('')}` } })
      }),
    )
  })

  it.each(['ask', 'block'] as const)('does not end if it is stopped by %s', (decision) => {
    const engine = new HookEngine({ mode: 'enforce' })
    let ends = 0
    engine.register('run:end', () => void ends++)
    send(engine, [ENDED])
    engine.register('pre:tool', () => decision)
    send(engine, [ENDED])
    expect(ends).toBe(1)
  })

  it('Q5 gives one notice, the strictest', () => {
    const notices: string[] = []
    const engine = new HookEngine({ mode: 'advise', notify: ({ hook }) => void notices.push(hook) })
    engine.register('pre:tool', () => 'flag', { name: 'mild' })
    engine.register('pre:git:write', () => 'block', { name: 'strict' })
    send(engine, [WRITE])
    expect(notices).toEqual(['strict'])
  })

  it('waits for hooks that answer later, at every point', async () => {
    const engine = new HookEngine({ mode: 'enforce' })
    engine.register('pre:tool', async () => 'flag')
    engine.register('pre:git:write', async () => ({ modify: { content: 'b' } }))
    const { outcome } = await engine.dispatchRecorded('pre:tool', CALL, {}, { derive: () => [WRITE] })
    expect(outcome).toMatchObject({ decision: 'flag', data: { args: { content: 'b' } } })
  })

  it('D11 asks for no step at a point without hooks', () => {
    const asked: boolean[] = []
    const derive = (hasHooks: (point: string) => boolean): [] => {
      asked.push(hasHooks('pre:git:write'))
      return []
    }
    const engine = new HookEngine()
    engine.register({ name: 'everywhere', check: () => 'pass' })
    void engine.dispatchRecorded('pre:tool', CALL, {}, { derive })
    engine.register('pre:git:write', () => 'pass')
    void engine.dispatchRecorded('pre:tool', CALL, {}, { derive })
    expect(asked).toEqual([false, true])
  })
})

describe('E5 a caller that cannot carry out everything', () => {
  it.each([
    ['block', { block: false }, 'host cannot stop this event'],
    ['ask', { block: false }, 'host cannot stop this event'],
    ['ask', { ask: false }, 'host cannot ask at this event'],
  ] as const)('%s with %j is a flag, and the record says why', (decision, limits, why) => {
    const engine = new HookEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => decision)
    const { outcome, evaluations } = send(engine, [], { ...EVERYTHING, ...limits })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, wouldBe: undefined })
    expect(evaluations[0]).toMatchObject({ decision, applied: false, dropped: [{ field: decision, why }] })
  })

  it('stops an action instead of running it without an edit', () => {
    const engine = new HookEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => ({ modify: { args: {} }, reason: 'no secrets' }))
    const { outcome } = send(engine, [], { ...EVERYTHING, canEdit: () => false })
    expect(outcome).toMatchObject({ decision: 'block', reason: 'no secrets (host cannot apply the change of args)' })
  })
})
