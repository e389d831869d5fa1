import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_AGENTS, MAX_ROUNDS, parseRoundtable } from './parse-request.ts'

describe('asking for a roundtable', () => {
  it.each([
    ["let's discuss tabs", 'tabs'],
    ['Let’s discuss tabs', 'tabs'],
    ['lets discuss tabs', 'tabs'],
    ['roundtable: tabs', 'tabs'],
    ['@roundtable tabs', 'tabs'],
    ['Debate this: tabs', 'tabs'],
    ['@roundtable', 'general discussion'],
  ])('R1 %s', (text, topic) => {
    expect(parseRoundtable(text)).toEqual({ topic, agents: [], rounds: 2, notes: [] })
  })

  it.each([
    'we discussed it',
    'outlets discuss',
    'me@roundtable.org',
    'the roundtable was good',
    'debate thistles',
    '',
  ])('R1 is not asked for by %j', (text) => expect(parseRoundtable(text)).toBeUndefined())

  it('R1 reads the one line of the documentation', () => {
    const line = 'roundtable: Should we refactor the auth layer? agents: claude, gemini, codex rounds: 3'
    expect(parseRoundtable(line)).toEqual({
      topic: 'Should we refactor the auth layer?',
      agents: ['claude', 'gemini', 'codex'],
      rounds: 3,
      notes: [],
    })
  })

  it.each([
    ['roundtable: rounds: 3 agents: claude, gemini Tabs or spaces?', ['claude', 'gemini'], 3, 'Tabs or spaces?'],
    ['roundtable: x\nagents: claude gemini codex\nrounds: 1', ['claude', 'gemini', 'codex'], 1, 'x'],
    ['roundtable: x agents: claude, gemini and codex', ['claude', 'gemini', 'codex'], 2, 'x'],
    ['roundtable: x agents: Claude, @claude, CLAUDE.', ['Claude'], 2, 'x'],
    ['roundtable: what are subagents: good? agents: a', ['a'], 2, 'what are subagents: good?'],
    ['roundtable: x agents: "Claude Code", codex', ['Claude Code', 'codex'], 2, 'x'],
    ['roundtable: x agents:\nrounds: 4', [], 4, 'x'],
  ])('R1 reads %j', (text, agents, rounds, topic) => {
    expect(parseRoundtable(text)).toMatchObject({ agents, rounds, topic })
  })

  it.each([
    ['0', 1],
    ['-4', 1],
    ['999999999', MAX_ROUNDS],
    ['three', 2],
  ])('R1 bounds rounds: %s', (given, rounds) => {
    const request = parseRoundtable(`roundtable: x rounds: ${given}`)
    expect(request?.rounds).toBe(rounds)
    expect(request?.notes).toHaveLength(1)
  })

  it('R1 bounds the agents, and says so', () => {
    const names = Array.from({ length: 500 }, (_, at) => `a${at}`).join(', ')
    const request = parseRoundtable(`roundtable: x agents: ${names}`)
    expect(request?.agents).toHaveLength(MAX_AGENTS)
    expect(request?.notes[0]).toContain('500')
  })

  it('R1 falls back to the defaults, without duplicates', () => {
    expect(parseRoundtable('roundtable: x', { agents: ['a', 'A', 'b'], rounds: 5 })).toMatchObject({
      agents: ['a', 'b'],
      rounds: 5,
    })
  })

  it('R1 reads a huge hostile text quickly', () => {
    expect(() => parseRoundtable(`roundtable: ${'agents: '.repeat(500_000)}`)).not.toThrow()
    parseRoundtable(`roundtable: agents: ${'a '.repeat(500_000)}`)
    parseRoundtable(`roundtable: ${' '.repeat(1_000_000)}`)
  })

  const space = fc.constantFrom(' ', '  ', '\t', ' \t ')
  const name = fc
    .stringMatching(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,10}$/u)
    .map((text) => text.normalize('NFC'))
    .filter((text) => !/^(and|agents|rounds|roundtable)$/i.test(text))
  const names = fc.uniqueArray(name, {
    minLength: 1,
    maxLength: 8,
    selector: (text) => text.normalize('NFC').toLowerCase(),
  })

  it('R1 reads agents and rounds in any order, spacing and script', () => {
    const isFirst = fc.boolean()
    fc.assert(
      fc.property(
        names,
        fc.integer({ min: 1, max: MAX_ROUNDS }),
        space,
        isFirst,
        (agents, rounds, gap, agentsFirst) => {
          const list = `agents:${gap}${agents.join(`,${gap}`)}`
          const count = `rounds:${gap}${rounds}`
          const keys = agentsFirst ? [list, count] : [count, list]
          const request = parseRoundtable(`roundtable:${gap}Why not?${gap}${keys.join(gap)}`)
          expect(request).toEqual({ topic: 'Why not?', agents, rounds, notes: [] })
        },
      ),
    )
  })

  it('R1 never throws and keeps its bounds, whatever the text', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('agents:', 'rounds:', ',', '"', ' and ', '3', '\n'),
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const request = parseRoundtable(`@roundtable ${parts.join('')}`)
        if (request === undefined) return
        expect(request.rounds).toBeGreaterThanOrEqual(1)
        expect(request.rounds).toBeLessThanOrEqual(MAX_ROUNDS)
        expect(request.agents.length).toBeLessThanOrEqual(MAX_AGENTS)
        expect(request.agents).not.toContain('')
      }),
    )
  })
})
