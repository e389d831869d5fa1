// The table of hooks: immutable, ordered, limited.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearRegex } from '../platform/engine-services.ts'
import { BUILT_IN_POINTS, definePoint } from './point-names.ts'
import { HookTable } from './table.ts'

const newTable = (maxHooksPerPoint = 50) =>
  new HookTable({ points: BUILT_IN_POINTS, regex: linearRegex, maxHooksPerPoint })
const pass = () => 'pass' as const
const namesOf = (table: HookTable, point = 'pre:tool') => table.plan(point)?.hooks.map(({ name }) => name)

describe('a table', () => {
  it('D10 never changes: adding, removing, disabling and declaring give another', () => {
    const empty = newTable()
    const { table, hooks } = empty.add('pre:tool', pass, { name: 'a' })
    const other = [
      table.add('pre:tool', pass, { name: 'b' }).table,
      table.add('pre:tool', pass, { name: 'a', replace: true }).table,
      table.addObject({ name: 'c', check: pass }).table,
      table.without(hooks),
      table.withDisabled('a', {}),
      table.declare(definePoint({ name: 'pre:deploy' })),
    ]
    expect(new Set([empty, table, ...other]).size).toBe(8)
    expect(namesOf(empty)).toEqual([])
    expect(namesOf(table)).toEqual(['a'])
    expect(table.plan('pre:tool')?.hooks[0]?.disabled).toBeUndefined()
    expect(table.plan('pre:deploy')).toBeUndefined()
  })

  it('D10 cannot be changed through what it shows', () => {
    const { table } = newTable().add('pre:tool', pass, { name: 'a' })
    const plan = table.plan('pre:tool') as unknown as { hooks: { name: string }[] }
    expect(() => plan.hooks.push({ name: 'b' })).toThrow(TypeError)
    expect(() => {
      plan.hooks = []
    }).toThrow(TypeError)
    expect(() => Object.assign(plan.hooks[0] ?? {}, { name: 'b' })).toThrow(TypeError)
    ;(table.hooks as unknown[]).pop()
    expect(namesOf(table)).toEqual(['a'])
  })

  it('knows a declared point in either form of registration', () => {
    const deploy = definePoint({ name: 'pre:deploy', canAbort: true })
    expect(namesOf(newTable().add(deploy, pass, { name: 'a' }).table, 'pre:deploy')).toEqual(['a'])
    const { table } = newTable().addObject({ name: 'b', points: ['pre:tool', deploy] as never, check: pass })
    expect([namesOf(table), namesOf(table, 'pre:deploy')]).toEqual([['b'], ['b']])
  })

  it('puts an object without points at every pre: point, declared ones included', () => {
    const deploy = definePoint({ name: 'pre:deploy' })
    const { hooks } = newTable().declare(deploy).addObject({ name: 'a', check: pass })
    const points = hooks.map(({ point }) => point)
    expect(points).toContain('pre:deploy')
    expect(points).toEqual([...BUILT_IN_POINTS.points.keys(), 'pre:deploy'].filter((name) => name.startsWith('pre:')))
  })
})

describe('the limit of hooks', () => {
  it('D8 lets in as many as it says; one more is an error that names point, limit and hook', () => {
    let table = newTable(2)
    for (const name of ['a', 'b']) table = table.add('pre:tool', pass, { name }).table
    const act = () => table.add('PreToolUse', pass, { name: 'c' })
    expect(act).toThrow(expect.objectContaining({ code: 'ARC_HOOK_LIMIT' }))
    expect(act).toThrow(/^pre:tool .*"c".*limit of 2 \(maxHooksPerPoint\)/)
  })

  it('D8 counts each point separately, disabled hooks included, and accepts a replacement', () => {
    const full = newTable(1).add('pre:tool', pass, { name: 'a' }).table.withDisabled('a', {})
    expect(namesOf(full.add('post:tool', pass, { name: 'b' }).table, 'post:tool')).toEqual(['b'])
    expect(namesOf(full.add('pre:tool', pass, { name: 'a', replace: true }).table)).toEqual(['a'])
    expect(() => full.add('pre:tool', pass)).toThrow('limit of 1')
  })

  it('D8 is 50 by default, and an object that does not fit at one of its points goes nowhere', async () => {
    const { createEngine } = await import('../platform/hook-engine.ts')
    const engine = createEngine()
    for (let i = 0; i < 50; i++) engine.register('pre:tool', pass)
    expect(() => engine.register('pre:tool', pass)).toThrow('limit of 50')
    expect(() => engine.register({ name: 'all', check: pass })).toThrow('limit of 50')
    expect(engine.isEnabled('all')).toBe(false)
  })
})

describe('names', () => {
  it('D9 a second hook of a name at a point is an error that names both', () => {
    const { table } = newTable().add('pre:tool', pass, { name: 'a' })
    const act = () => table.add('pre_tool_use', pass, { name: 'a' })
    expect(act).toThrow(expect.objectContaining({ code: 'ARC_HOOK_DUPLICATE' }))
    expect(act).toThrow('pre:tool has a hook "a" already')
    expect(namesOf(table.add('post:tool', pass, { name: 'a' }).table, 'post:tool')).toEqual(['a'])
  })

  it('D9 replace puts the new hook into the place of the old, also among equal priorities', () => {
    let table = newTable()
    for (const name of ['a', 'b', 'c']) table = table.add('pre:tool', pass, { name }).table
    const flag = () => 'flag' as const
    const replaced = table.add('pre:tool', flag, { name: 'b', replace: true }).table
    expect(namesOf(replaced)).toEqual(['a', 'b', 'c'])
    expect(replaced.plan('pre:tool')?.hooks[1]?.handler).toBe(flag)
    expect(namesOf(table.add('pre:tool', flag, { name: 'b', replace: true, priority: 1 }).table)).toEqual([
      'b',
      'a',
      'c',
    ])
  })

  it('D9 hooks without a name never meet', () => {
    const { table } = newTable().add('pre:tool', pass)
    expect(new Set(namesOf(table.add('pre:tool', pass).table)).size).toBe(2)
  })
})

describe('whatever is done to a table', () => {
  // Register with a priority, or undo one of the registrations so far, in any mixture.
  const changes = fc.array(
    fc.oneof(
      fc.record({ add: fc.constantFrom(1, 10, 50, 100, 100, -3, 0.5) }),
      fc.record({ undo: fc.nat() }),
      fc.record({ toggle: fc.nat() }),
    ),
    { maxLength: 40 },
  )

  it('D1 its hooks are in order of priority, then of registration', () => {
    fc.assert(
      fc.property(changes, (list) => {
        let table = newTable()
        const added: {
          name: string
          priority: number
          hooks: Parameters<HookTable['without']>[0]
          isGone: boolean
        }[] = []
        for (const change of list) {
          if ('add' in change) {
            const name = `h${added.length}`
            const result = table.add('pre:tool', pass, { name, priority: change.add })
            table = result.table
            added.push({ name, priority: change.add, hooks: result.hooks, isGone: false })
          } else if (added.length > 0) {
            const entry = added[('undo' in change ? change.undo : change.toggle) % added.length]
            if (entry === undefined) continue
            if ('undo' in change) {
              table = table.without(entry.hooks)
              entry.isGone = true
            } else if (!entry.isGone) {
              table = table.withDisabled(entry.name, {})
            }
          }
        }
        // The reference: a stable sort of what is left.
        const expected = added.filter(({ isGone }) => !isGone).sort((a, b) => a.priority - b.priority)
        expect(namesOf(table)).toEqual(expected.map(({ name }) => name))
      }),
    )
  })
})
