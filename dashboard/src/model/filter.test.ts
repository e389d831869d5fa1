import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Action } from '../../../src/protocol/views.ts'
import { compileFilter, type Filter, isFiltering, NO_FILTER, readFilter, writeFilter } from './filter.ts'

const filter: fc.Arbitrary<Filter> = fc.record({
  decision: fc.subarray(['pass', 'flag', 'ask', 'block', 'error', 'would-block']),
  hook: fc.string(),
  tool: fc.string(),
  session: fc.string(),
  text: fc.string(),
})

const ACTION: Action = {
  ...{ id: 'a', seq: 1, time: '2026-01-01T00:00:00.000Z', point: 'pre:tool', tool: 'Bash', session: 's-1' },
  ...{ preview: 'git push --force', decision: 'block', blocked: true, hook: 'risk-detection', durationMs: 1 },
  steps: [
    {
      ...{ seq: 1, id: 'a', action: 'a', phase: 'before', time: '2026-01-01T00:00:00.000Z', point: 'pre:tool' },
      ...{ preview: '', decision: 'block', blocked: true, durationMs: 1 },
      verdicts: [{ hook: 'risk-detection', decision: 'block', applied: true, durationMs: 1, isError: true }],
    },
  ],
}

describe('a filter in the address', () => {
  it('comes out as it went in', () => {
    fc.assert(
      fc.property(filter, (given) => {
        const address = writeFilter(new URLSearchParams(), given).toString()
        expect(readFilter(new URLSearchParams(address))).toEqual(given)
      }),
    )
  })

  it('leaves the rest of the address alone, and itself out when empty', () => {
    const params = writeFilter(new URLSearchParams('open=a1&text=old'), NO_FILTER)
    expect(params.toString()).toBe('open=a1')
  })

  it('takes no decision that there is not', () => {
    expect(readFilter(new URLSearchParams('decision=block,nonsense,pass')).decision).toEqual(['pass', 'block'])
  })
})

describe('a filter', () => {
  it.each<[Partial<Filter>, boolean]>([
    [{}, true],
    [{ decision: ['block'] }, true],
    [{ decision: ['pass', 'flag'] }, false],
    [{ tool: 'bash' }, true],
    [{ tool: 'ba' }, false],
    [{ session: 's-1' }, true],
    [{ session: 's-' }, false],
    [{ hook: 'risk-detection' }, true],
    [{ hook: 'lint' }, false],
    [{ decision: ['error'] }, true],
    [{ decision: ['would-block'] }, false],
    [{ text: 'PUSH' }, true],
    [{ text: 'pull' }, false],
    [{ text: 'push', decision: ['pass'] }, false],
  ])('%j gives %s', (given, isWanted) => {
    expect(compileFilter({ ...NO_FILTER, ...given })(ACTION)).toBe(isWanted)
  })

  it('of blanks only is none', () => {
    expect(isFiltering({ ...NO_FILTER, text: '  ' })).toBe(false)
  })
})
