import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import type { StateStore } from '../storage/ports.ts'
import { joinTable } from './driver/join-table.ts'
import { openRoundtable, type Roundtable, readRoundtable, roundtableKey, type SpeechChannel, speak } from './machine.ts'
import { hasTrigger } from './parse-request.ts'
import { buildSessionContext, buildUserNote } from './session-prompts.ts'
import { findSeat, getAwaited, leaveSeat, listFreeSeats, takeSeat } from './session-seats.ts'
import { addFindings } from './synthesis.ts'

const when = { at: 1_000, idleMs: 60_000 }

function tableOf(agents: readonly string[], rounds = 1): Roundtable {
  return openRoundtable({ id: 'rt-1', topic: 'x', agents, rounds, ...when })
}

const seat = (agent: string, session: string) => ({ agent, session, at: 1_000 })

/** A store in which another session joins between the reading and the writing of this one. */
function racingStore(state: StateStore, join: () => void): StateStore {
  let isFirst = true
  const get = (key: string) => {
    const entry = state.get(key)
    if (isFirst && key === roundtableKey('s0')) {
      isFirst = false
      join()
    }
    return entry
  }
  return { get, set: state.set.bind(state), list: state.list.bind(state), remove: state.remove.bind(state) } as never
}

describe('the sessions at a roundtable', () => {
  it('R1 of two that race for a seat exactly one gets it', () => {
    const state = new MemoryStateStore()
    state.set(roundtableKey('s0'), tableOf(['a', 'b']), 0)
    let other = ''
    const racing = racingStore(state, () => {
      other = joinTable(state, { session: 's0' }, seat('b', 's2'))
    })
    expect(joinTable(racing, { session: 's0' }, seat('b', 's1'))).toBe('occupied')
    expect(other).toBe('taken')
    expect(findSeat(readRoundtable(state.get(roundtableKey('s0'))?.value) as Roundtable, 's2')).toBe('b')
  })

  it('R1 cannot join a table that is over, is driven, or beside another open table', () => {
    const state = new MemoryStateStore()
    state.set(roundtableKey('s0'), tableOf(['a', 'b']), 0)
    state.set(roundtableKey('s1'), { ...tableOf(['a']), driver: { pid: 1, machine: 'm', profile: 'p' } }, 0)
    expect(joinTable(state, { session: 's0' }, { ...seat('b', 's9'), at: 99_000 })).toBe('over')
    expect(joinTable(state, { session: 's1' }, seat('a', 's9'))).toBe('driven')
    expect(joinTable(state, { session: 's0' }, seat('b', 's1'))).toBe('other-table')
    expect(joinTable(state, { session: 's0' }, seat('c', 's9'))).toBe('no-seat')
  })

  it('R1 never has two sessions at one seat nor one session at two, whatever joins and leaves', () => {
    const agents = ['a', 'b', 'c']
    const move = fc.record({
      isJoin: fc.boolean(),
      agent: fc.constantFrom('a', 'B', 'c', 'd'),
      session: fc.constantFrom('s1', 's2', 's3', 's4'),
    })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
        let table = tableOf(agents)
        for (const { isJoin, agent, session } of moves) {
          table = isJoin ? takeSeat(table, seat(agent, session)).table : leaveSeat(table, session)
          const sessions = table.sessions ?? []
          expect(new Set(sessions.map((one) => one.session)).size).toBe(sessions.length)
          expect(new Set(sessions.map((one) => one.agent)).size).toBe(sessions.length)
          expect(listFreeSeats(table).length + sessions.length).toBe(agents.length)
        }
      }),
    )
  })

  it('R3 counts an answer once that comes as a response and as the end of a turn, in any order', () => {
    const order = fc.constantFrom<readonly SpeechChannel[]>(
      ['response', 'turn-end'],
      ['turn-end', 'response'],
      ['turn-end'],
      ['response', 'turn-end', 'message'],
    )
    const answer = fc.record({ channels: order, text: fc.constantFrom('same', 'other') })
    fc.assert(
      fc.property(fc.array(answer, { minLength: 1, maxLength: 5 }), (answers) => {
        let table = tableOf(['a'], 5)
        for (const { channels, text } of answers) {
          for (const via of channels) table = speak(table, { agent: 'a', content: text, via, ...when }).table
        }
        expect(table.turns.map(({ content }) => content)).toEqual(answers.map(({ text }) => text))
      }),
    )
  })

  it('R3 takes the last text of a turn of the session for its answer', () => {
    const said = { agent: 'a', session: 's1', sessionTurn: 't1', ...when }
    let table = tableOf(['a'], 2)
    table = speak(table, { ...said, content: 'I look it up.', via: 'response' }).table
    table = speak(table, { ...said, content: 'Here it is.', via: 'response' }).table
    table = speak(table, { ...said, content: 'Here it is!', via: 'turn-end' }).table
    expect(table.turns).toMatchObject([{ content: 'Here it is!', isFinal: true }])
    // The same turn of the session continues with the next round.
    table = speak(table, { ...said, content: 'More.', via: 'turn-end' }).table
    expect(table.turns.map(({ content }) => content)).toEqual(['Here it is!', 'More.'])
  })

  it('R3 reads the findings of a synthesis that was said', () => {
    const turn = speak(tableOf(['a']), { agent: 'a', content: 'yes', via: 'turn-end', ...when }).table
    const content = '{"consensus": 1, "summary": "yes", "keyPoints": []}'
    const { table, heard } = speak(turn, { agent: 'a', content, via: 'turn-end', ...when })
    expect(heard).toBe('synthesis')
    expect(addFindings(table, 5)).toMatchObject({ findings: { consensus: 1, summary: 'yes' }, ended: { at: 5 } })
  })

  it('R1 gives a context that opens no other roundtable, within the limit of hosts', () => {
    let table = takeSeat(tableOf(['a', 'b'], 5), seat('a', 's1')).table
    for (let count = 0; count < 9; count++) {
      const agent = getAwaited(table)?.agent ?? ''
      for (const session of ['s1', 's2']) {
        const context = buildSessionContext(table, session)
        expect(hasTrigger(context)).toBe(false)
        expect(context.length).toBeLessThan(9_000)
      }
      expect(buildUserNote(table)).toContain('waits for')
      table = speak(table, { agent, content: 'x'.repeat(8_000), via: 'turn-end', ...when }).table
    }
  })

  it('R1 quotes the name of a seat in a command', () => {
    const table = tableOf(["a'b c"])
    expect(buildUserNote(table)).toContain(`--as 'a'\\''b c'`)
  })
})
