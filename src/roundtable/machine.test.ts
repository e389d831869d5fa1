import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { getCurrentTurn, isOpen, openRoundtable, type Roundtable, readRoundtable, skipTurn, speak } from './machine.ts'

const when = { at: 1_000, idleMs: 60_000 }

function tableOf(agents: readonly string[], rounds: number): Roundtable {
  return openRoundtable({ id: 'rt-1', topic: 'x', agents, rounds, ...when })
}

function say(table: Roundtable, agent: string, content = `${agent} ${table.turns.length}`): Roundtable {
  return speak(table, { agent, content, via: 'message', ...when }).table
}

describe('the course of a roundtable', () => {
  it('R2 sets the first two against each other, and the others between them', () => {
    let table = tableOf(['a', 'b', 'c', 'd'], 1)
    const roles = table.agents.map((agent) => {
      const role = getCurrentTurn(table)?.role
      table = say(table, agent)
      return role
    })
    expect(roles).toEqual(['advocate', 'critic', 'neutral', 'neutral'])
  })

  it('R3 goes from active over synthesizing to complete', () => {
    let table = tableOf(['a', 'b'], 2)
    for (const agent of ['a', 'b', 'a', 'b']) {
      expect(table.status).toBe('active')
      table = say(table, agent)
    }
    expect(table.status).toBe('synthesizing')
    table = say(table, 'c', 'all agree')
    expect(table).toMatchObject({ status: 'complete', synthesis: { agent: 'c', content: 'all agree' } })
    expect(speak(table, { agent: 'a', content: 'late', via: 'message', ...when })).toEqual({ table, heard: 'over' })
  })

  it('R4 keeps what is said out of turn apart, and the turn where it was', () => {
    const table = say(tableOf(['a', 'b'], 1), 'b')
    expect(table.turns).toEqual([])
    expect(table.asides).toMatchObject([{ agent: 'b' }])
    expect(getCurrentTurn(table)?.agent).toBe('a')
  })

  it('R4 does not take an answer that is sent on for a second contribution', () => {
    const said = { agent: 'a', content: 'yes', ...when }
    const first = speak(tableOf(['a'], 3), { ...said, via: 'response' })
    expect(speak(first.table, { ...said, via: 'message' })).toEqual({ table: first.table, heard: 'echo' })
    expect(speak(first.table, { ...said, via: 'response' }).heard).toBe('turn')
  })

  it('R3 is deserted without a turn for too long, and asides do not keep it open', () => {
    const table = speak(tableOf(['a', 'b'], 1), {
      agent: 'b',
      content: 'x',
      via: 'message',
      at: 60_000,
      idleMs: 60_000,
    }).table
    expect(isOpen(table, 60_999)).toBe(true)
    expect(isOpen(table, 61_000)).toBe(false)
  })

  it.each([
    [[], 1],
    [['a', 'A'], 1],
    [['a'], 0],
    [['a'], 99],
    [['a'], 1.5],
  ])('R3 refuses %j for %s rounds', (agents, rounds) => {
    expect(() => tableOf(agents as string[], rounds as number)).toThrow(/ARC_OPTION_INVALID/)
  })

  it.each([undefined, null, 3, 'x', {}, { ...tableOf(['a'], 1), agents: [] }, { ...tableOf(['a'], 1), status: 'odd' }])(
    'R3 reads nothing from %j',
    (value) => expect(readRoundtable(value)).toBeUndefined(),
  )

  it('R3 never leaves its stages and never loses a turn, whatever is said by whom', () => {
    const agents = ['a', 'b', 'c']
    const move = fc.record({ agent: fc.constantFrom('a', 'b', 'c', 'd', 'A'), gives: fc.boolean(), text: fc.string() })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (moves, rounds) => {
        let table = tableOf(agents, rounds)
        for (const { agent, gives, text } of moves) {
          const before = table
          table = gives ? skipTurn(table, when) : say(table, agent, text)
          expect(readRoundtable(JSON.parse(JSON.stringify(table)))).toEqual(table)
          const order = ['active', 'synthesizing', 'complete']
          const step = order.indexOf(table.status) - order.indexOf(before.status)
          expect(step === 0 || step === 1).toBe(true)
          expect(table.turns.length - before.turns.length === 0 || before.status === 'active').toBe(true)
          expect(table.status === 'active').toBe(table.turns.length < agents.length * rounds)
        }
        expect(table.turns.map(({ agent }) => agent)).toEqual(table.turns.map((_, at) => agents[at % 3]))
        expect(table.turns.map(({ round }) => round)).toEqual(table.turns.map((_, at) => Math.floor(at / 3) + 1))
      }),
    )
  })
})
