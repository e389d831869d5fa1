// Guards that check edited data again: when, how often, and on what.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce, CALL, makeEngine } from '../../test/engine-fixture.ts'

const edit = (command: string) => () => ({ modify: { args: { command } } })
const isDanger = ({ data }: { data: object }) =>
  JSON.stringify(data).includes('danger') ? ({ decision: 'block', reason: 'no' } as const) : undefined

describe('a hook that rechecks edits', () => {
  it('G2 sees what a later hook changed, and can still stop it', () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', isDanger, { name: 'guard', priority: 10, rechecksEdits: true })
    engine.register('pre:tool', edit('danger'), { name: 'editor', priority: 50 })
    expect(atOnce(dispatch())).toMatchObject({ decision: 'block', blocked: true, hook: 'guard' })
    expect(records.map(({ hook }) => hook)).toEqual(['guard', 'editor', 'guard'])
  })

  it('G2 waits for asynchronous editors and guards alike', async () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', async (step) => isDanger(step), { name: 'guard', priority: 10, rechecksEdits: true })
    engine.register('pre:tool', async () => edit('danger')(), { name: 'editor', priority: 50 })
    expect(await dispatch()).toMatchObject({ blocked: true, hook: 'guard' })
  })

  it('G2 runs once where nothing was edited, or only before it', () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', edit('ls -a'), { name: 'editor', priority: 1 })
    engine.register('pre:tool', isDanger, { name: 'guard', priority: 10, rechecksEdits: true })
    engine.register('pre:tool', () => 'flag', { name: 'later', priority: 50 })
    expect(atOnce(dispatch())).toMatchObject({ blocked: false })
    expect(records.map(({ hook }) => hook)).toEqual(['editor', 'guard', 'later'])
  })

  it('G2 matches on the edited data, not on the original data', () => {
    const { engine, dispatch } = makeEngine()
    const match = { args: { command: 'danger' } }
    engine.register('pre:tool', () => 'block', { name: 'guard', priority: 10, rechecksEdits: true, match })
    engine.register('pre:tool', edit('danger'), { name: 'editor', priority: 50 })
    expect(atOnce(dispatch()).blocked).toBe(true)
  })

  it('G2 no danger gets through, whatever edits in whatever order', () => {
    const editors = fc.array(fc.record({ priority: fc.integer({ min: 1, max: 100 }), isDanger: fc.boolean() }))
    fc.assert(
      fc.property(editors, fc.integer({ min: 1, max: 100 }), (hooks, priority) => {
        const { engine, dispatch } = makeEngine({ maxHooksPerPoint: 200 })
        engine.register('pre:tool', isDanger, { name: 'guard', priority, rechecksEdits: true })
        for (const hook of hooks) {
          engine.register('pre:tool', edit(hook.isDanger ? 'danger' : 'ls'), { priority: hook.priority })
        }
        const { blocked, data } = atOnce(dispatch())
        return blocked || !JSON.stringify(data).includes('danger')
      }),
    )
  })

  it('G2 costs a call without edits nothing: the same data, the same records', () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', () => 'pass', { name: 'guard', rechecksEdits: true })
    expect(atOnce(dispatch()).data).toBe(CALL)
    expect(records).toHaveLength(1)
  })
})
