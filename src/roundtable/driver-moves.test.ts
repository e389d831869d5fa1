import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assignDriver, completeSynthesis, completeTurn, interrupt, markRequested } from './driver-moves.ts'
import { isOpen, openRoundtable, type Roundtable, readRoundtable, speak, type TurnCourse } from './machine.ts'
import { viewTable } from './view.ts'

const when = { at: 1_000, idleMs: 60_000 }
const driver = { pid: 7, machine: 'here', profile: 'default' }
const course: TurnCourse = { outcome: 'spoken', startedAt: 900, durationMs: 100 }
const findings = { consensus: 0.5, summary: 'half', keyPoints: ['x'], isFallback: false }
const look = { at: 2_000, isRunning: () => true }

function tableOf(agents: readonly string[], rounds: number): Roundtable {
  return assignDriver(openRoundtable({ id: 'rt-1', topic: 'x', agents, rounds, ...when }), driver)
}

const said = (content: string) => ({ content, course })

describe('driving a table', () => {
  it('R7 adds a turn that the hook did not record, and replaces a turn that it recorded', () => {
    const table = tableOf(['a', 'b'], 1)
    const alone = completeTurn(table, 0, said('mine'), when)
    const heard = speak(table, { agent: 'a', content: 'theirs', via: 'message', ...when }).table
    const both = completeTurn(heard, 0, said('mine'), when)
    expect(both.turns).toEqual(alone.turns)
    expect(both.turns).toMatchObject([{ agent: 'a', content: 'mine', course }])
  })

  it('R7 takes words back that the hook heard and the pipeline then stopped', () => {
    const heard = speak(tableOf(['a', 'b'], 1), { agent: 'a', content: 'bad', via: 'message', ...when }).table
    const given = completeTurn(heard, 0, { content: '', course: { ...course, outcome: 'blocked', reason: 'no' } }, when)
    expect(given.turns).toMatchObject([{ content: '', course: { outcome: 'blocked' } }])
    expect(given.status).toBe('active')
  })

  it('R7 settles no turn that is not next', () => {
    const table = tableOf(['a', 'b'], 1)
    expect(completeTurn(table, 1, said('early'), when)).toBe(table)
    expect(completeSynthesis(table, { agent: 'a', ...said('{}'), findings }, when)).toBe(table)
  })

  it('R7 that was broken off is closed to the hook, and one that is complete stays so', () => {
    const table = interrupt(markRequested(tableOf(['a', 'b'], 1), when), 1_500)
    expect(isOpen(table, 1_500)).toBe(false)
    expect(speak(table, { agent: 'a', content: 'late', via: 'message', ...when }).heard).toBe('over')
    expect(viewTable('s', table, look)).toMatchObject({ status: 'interrupted', durationMs: 500, speaking: null })
    const done = completeSynthesis(both(tableOf(['a', 'b'], 1)), { agent: 'b', ...said('{}'), findings }, when)
    expect(interrupt(done, 9_999)).toBe(done)
  })

  it('R7 is shown with who speaks since when, and as interrupted when its driver is gone', () => {
    const table = markRequested(tableOf(['a', 'b'], 2), { ...when, at: 1_200 })
    const view = viewTable('s', table, look)
    expect(view).toMatchObject({
      status: 'active',
      durationMs: 1_000,
      speaking: { agent: 'a', role: 'advocate', round: 1, since: 1_200 },
      seats: [
        { agent: 'a', role: 'advocate' },
        { agent: 'b', role: 'critic' },
      ],
    })
    expect(viewTable('s', table, { ...look, isRunning: () => false }).status).toBe('interrupted')
    expect(viewTable('s', table, { ...look, at: 100_000 }).status).toBe('deserted')
  })

  it('R7 never invents a consensus for a table that only heard words', () => {
    const { driver: _, ...heard } = both(tableOf(['a', 'b'], 1))
    const over = speak(heard as Roundtable, { agent: 'c', content: 'all agree', via: 'message', ...when }).table
    const { synthesis, isDriven } = viewTable('s', over, look)
    expect(synthesis).toMatchObject({ agent: 'c', consensus: null, summary: 'all agree', isFallback: true })
    expect(isDriven).toBe(false)
  })

  it('R7 keeps every turn in its place, whether hook or driver is first', () => {
    const agents = ['a', 'b', 'c']
    const step = fc.record({ isHeard: fc.boolean(), isGivenUp: fc.boolean(), text: fc.string({ minLength: 1 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 9 }), (steps) => {
        let table = tableOf(agents, 3)
        for (const [place, { isHeard, isGivenUp, text }] of steps.entries()) {
          const agent = agents[place % 3] as string
          if (isHeard) table = speak(table, { agent, content: `${place} ${text}`, via: 'message', ...when }).table
          table = completeTurn(table, place, said(isGivenUp ? '' : text), when)
          expect(table.turns.length).toBe(place + 1)
          expect(readRoundtable(JSON.parse(JSON.stringify(table)))).toEqual(JSON.parse(JSON.stringify(table)))
        }
        expect(table.turns.map(({ agent }) => agent)).toEqual(steps.map((_, place) => agents[place % 3]))
        expect(table.turns.map(({ content }) => content)).toEqual(steps.map((one) => (one.isGivenUp ? '' : one.text)))
        expect(table.status).toBe(steps.length === 9 ? 'synthesizing' : 'active')
      }),
    )
  })
})

function both(table: Roundtable): Roundtable {
  return completeTurn(completeTurn(table, 0, said('yes'), when), 1, said('no'), when)
}
