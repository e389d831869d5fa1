// What a hook sees of a step.

import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { CALL, makeBareEngine } from '../../test/engine-fixture.ts'
import type { StepContext } from './step.ts'
import { type StepState, StepView } from './step.ts'

const CONTEXT: StepContext = {
  session: 's',
  turn: 't',
  agent: 'a',
  source: 'human',
  workspace: '/w',
  host: 'claude',
  profile: 'p',
  metadata: { riskTier: 2 },
}

function stateOf(overrides: Partial<StepState> = {}): StepState {
  const base = { point: 'pre:tool', context: CONTEXT, data: { ...CALL }, metadata: { riskTier: 2 }, id: 'new' }
  return { ...base, ...overrides }
}

describe('a step', () => {
  it('shows who and where, the data and the metadata', () => {
    const { metadata, ...who } = CONTEXT
    expect(new StepView(stateOf())).toMatchObject({ ...who, metadata, id: 'new', point: 'pre:tool', data: CALL })
  })

  it('becomes plain data as JSON and when printed', () => {
    const step = new StepView(stateOf())
    const envelope = { id: 'new', point: 'pre:tool', ...CONTEXT, data: CALL }
    expect(JSON.parse(JSON.stringify(step))).toEqual(envelope)
    expect(inspect(step)).toContain("command: 'ls'")
  })

  it('has the id that the caller gave, or one made when somebody first asks', () => {
    const { engine, dispatch } = makeBareEngine()
    const ids: string[] = []
    const undo = engine.register('pre:tool', () => undefined)
    void dispatch()
    undo()
    engine.register('pre:tool', (step) => void ids.push(step.id, step.id, step.toJSON().id))
    void dispatch(CALL, { id: 'own' })
    void dispatch()
    // The first id: no earlier request.
    expect(ids).toEqual(['own', 'own', 'own', 'id-1', 'id-1', 'id-1'])
  })

  it('has one id for all hooks of a dispatch and another for the next', () => {
    const { engine, dispatch } = makeBareEngine()
    const ids: string[] = []
    for (let i = 0; i < 3; i++) engine.register('pre:tool', ({ id }) => void ids.push(id))
    void dispatch()
    void dispatch()
    expect(ids).toEqual(['id-1', 'id-1', 'id-1', 'id-2', 'id-2', 'id-2'])
  })

  it('copies the data only when a hook looks, and only once until it changes', () => {
    const looked = vi.fn(() => 'ls')
    const data = { tool: 'shell', args: Object.defineProperty({}, 'command', { get: looked, enumerable: true }) }
    const { engine, dispatch } = makeBareEngine()
    const seen: unknown[] = []
    const undo = engine.register('pre:tool', () => 'flag')
    void dispatch(data)
    expect(looked).not.toHaveBeenCalled()
    undo()
    for (let i = 0; i < 3; i++) engine.register('pre:tool', (step) => void seen.push(step.data, step.data))
    void dispatch(data)
    expect(looked).toHaveBeenCalledTimes(1)
    expect(new Set(seen).size).toBe(1)
  })

  it('shows frozen data at every depth', () => {
    const { data, metadata } = new StepView(
      stateOf({ data: { args: { list: [{ a: 1 }] }, many: Object.fromEntries(Array(20).entries()) } }),
    ) as unknown as { data: { args: { list: object[] }; many: object }; metadata: object }
    for (const part of [data, data.args, data.args.list, data.args.list[0], data.many]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(metadata).toEqual({ riskTier: 2 })
  })
})
