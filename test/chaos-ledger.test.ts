// The comparison of the chaos bench finds what it looks for.

import { describe, expect, it } from 'vitest'
import { compareLedger, type LedgerCall } from '../bench/chaos/compare.mjs'

const marker = (number: number): string => `chaos-a-${number}`

function call(number: number, more: Partial<LedgerCall> = {}): LedgerCall {
  const at = number * 100
  const base = { marker: marker(number), way: 'socket', kind: 'harmless', answer: 'allowed', faults: [] } as const
  return { ...base, sentAt: at, answeredAt: at + 10, ...more }
}

function step(number: number, more: object = {}): object {
  return { kind: 'step', id: `STEP${number}`, data: { args: { command: `echo ${marker(number)}` } }, ...more }
}

function gap(data: object): object {
  return {
    kind: 'event',
    action: 'trace:gap',
    id: 'GAP',
    metadata: { count: 1, late: 0, lost: 1, why: 'full', ...data },
  }
}

const kinds = (calls: readonly LedgerCall[], records: readonly object[], destroyedBefore?: number): string[] =>
  compareLedger({ calls, records, ...(destroyedBefore !== undefined && { destroyedBefore }) }).problems.map(
    ({ kind }) => kind,
  )

describe('calls and records that belong together', () => {
  it('have no problem', () => {
    const calls = [call(1), call(2, { kind: 'dangerous', answer: 'denied', traceId: 'STEP2' }), call(3)]
    const { figures, problems } = compareLedger({ calls, records: [step(1), step(2), step(3)] })
    expect(problems).toEqual([])
    expect(figures).toMatchObject({ calls: 3, due: 1, denied: 1, recorded: 3, lost: 0, doubled: 0, gaps: 0 })
  })

  it('may have other records between them, and evaluations of the same step', () => {
    const records = [step(1), { ...step(1), kind: 'evaluation' }, { kind: 'event', action: 'config:change', id: 'E' }]
    expect(kinds([call(1)], records)).toEqual([])
  })
})

describe('a lost call', () => {
  it.each(['allowed', 'denied', 'held'] as const)('is found when it was %s', (answer) => {
    expect(kinds([call(1, { answer }), call(2)], [step(2)])).toEqual(['lost'])
  })

  it('is not taken for the call whose marker begins with it', () => {
    expect(kinds([call(1), call(11)], [step(11)])).toEqual(['lost'])
  })

  it('is none without an answer', () => {
    expect(kinds([call(1, { answer: 'none' }), call(2, { answer: 'error' })], [])).toEqual([])
  })

  it('is none when the answer said so', () => {
    expect(kinds([call(1, { saysUnrecorded: true }), call(2, { saysUnchecked: true })], [])).toEqual([])
  })

  it('is none when the harness destroyed its record, and is one after that', () => {
    expect(kinds([call(1), call(2), call(3)], [], 205)).toEqual(['lost'])
  })
})

describe('a record that the harness took away', () => {
  it('counts for the calls that were sent before, and not for later ones', () => {
    const setAside = [{ records: [step(1), step(2)], until: 150 }]
    const { problems } = compareLedger({ calls: [call(1), call(2)], records: [], setAside })
    expect(problems.map(({ message }) => message.split(' ')[0])).toEqual([marker(2)])
  })

  it('counts as a second record of the same call, unless it is the same entry', () => {
    const compare = (id: string) =>
      compareLedger({ calls: [call(1)], records: [step(1)], setAside: [{ records: [step(1, { id })], until: 150 }] })
    expect(compare('OTHER').problems.map(({ kind }) => kind)).toEqual(['doubled'])
    const { figures, problems } = compare('STEP1')
    expect([figures.copies, problems]).toEqual([1, []])
  })

  it('may not have an entry twice itself', () => {
    const records = [step(1), step(1)]
    expect(kinds([call(1)], records)).toEqual(['doubled'])
    const { problems } = compareLedger({ calls: [call(1)], records: [], setAside: [{ records, until: 150 }] })
    expect(problems.map(({ kind }) => kind)).toEqual(['doubled'])
  })
})

describe('a gap', () => {
  it('accounts for the calls at its time', () => {
    const records = [step(1), gap({ count: 2, lost: 2, first: 200, last: 310 })]
    const { figures, problems } = compareLedger({ calls: [call(1), call(2), call(3)], records })
    expect(problems).toEqual([])
    expect(figures).toMatchObject({ gaps: 1, inGaps: 2, lost: 0 })
  })

  it('may have its times as text', () => {
    const at = new Date(205).toISOString()
    expect(kinds([call(2)], [gap({ first: at, last: at })])).toEqual([])
  })

  it('that counts too few leaves a lost call', () => {
    expect(kinds([call(1), call(2)], [gap({ first: 100, last: 300 })])).toEqual(['lost'])
  })

  it('that counts only the calls whose answers said so leaves the other lost', () => {
    const calls = [call(1), call(2, { saysUnrecorded: true })]
    expect(kinds(calls, [gap({ first: 100, last: 300 })])).toEqual(['lost'])
  })

  it('at another time leaves the call lost, and counts what is not missing', () => {
    expect(kinds([call(1)], [gap({ first: 500, last: 600 })])).toEqual(['lost', 'gap-sum'])
  })

  it('of calls that were written late accounts for none', () => {
    expect(kinds([call(1)], [gap({ first: 100, last: 200, late: 1, lost: 0 })])).toEqual(['lost'])
  })

  it('whose sum is wrong is found', () => {
    expect(kinds([call(1)], [gap({ first: 100, last: 200, count: 5 })])).toEqual(['gap-sum'])
  })

  it('may count an event of ARC itself beside the call', () => {
    expect(kinds([call(1)], [gap({ first: 100, last: 200, count: 2, lost: 2 })])).toEqual([])
  })

  it('that ends first is used first', () => {
    const gaps = [gap({ first: 100, last: 900 }), gap({ first: 100, last: 150 })]
    expect(kinds([call(1), call(8)], gaps)).toEqual([])
  })
})

describe('a call on record twice', () => {
  it('is found', () => {
    expect(kinds([call(1)], [step(1), step(1, { id: 'OTHER' })])).toEqual(['doubled'])
  })
})

describe('a call that was evaluated again under another configuration', () => {
  it('is counted, and is no second record of the same evaluation', () => {
    const records = [step(1, { configuration: 'a' }), step(1, { configuration: 'b', id: 'OTHER' })]
    const { figures, problems } = compareLedger({ calls: [call(1)], records })
    expect([figures.again, figures.doubled, problems]).toEqual([1, 0, []])
  })
})

describe('a wrongly allowed call', () => {
  it.each([
    ['socket', 'allowed'],
    ['socket', 'held'],
    ['launcher', 'allowed'],
    ['launcher', 'error'],
    ['launcher', 'none'],
    ['process', 'error'],
  ] as const)('is found: %s, %s', (way, answer) => {
    expect(kinds([call(1, { kind: 'dangerous', way, answer })], [step(1)])).toEqual(['wrongly-allowed'])
  })

  it.each(['none', 'error'] as const)('is none on the socket with %s: the launcher continues with Node', (answer) => {
    expect(kinds([call(1, { kind: 'dangerous', answer })], [])).toEqual([])
  })
})

describe('an id that a reply names', () => {
  it('is found when it is not on record', () => {
    expect(kinds([call(1, { answer: 'denied', traceId: 'NONE' })], [step(1)])).toEqual(['unknown-id'])
  })

  it('is found also when the reply said that nothing was recorded', () => {
    expect(kinds([call(1, { traceId: 'NONE', saysUnrecorded: true })], [])).toEqual(['unknown-id'])
  })
})
