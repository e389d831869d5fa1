import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import type { StepEntry, TraceEntry } from '../../trace/record.ts'
import { Redactor } from '../../trace/redact.ts'
import { buildDrafts, NO_HEAD, seal } from '../../trace/seal.ts'
import { packBody } from './packed-record.ts'
import { RowRestorer } from './row-restorer.ts'
import { readColumns, type TraceRow } from './trace-row.ts'

const REDACTOR = new Redactor()

// The rows of an entry as they are stored, and as they were hashed.
function pack(entry: TraceEntry): { readonly stored: TraceRow[]; readonly whole: TraceRow[] } {
  const drafts = buildDrafts(entry, REDACTOR)
  const links = seal(drafts, { ...NO_HEAD, seq: 41 })
  const whole = links.map(readColumns)
  const stored = whole.map((row, at) => {
    const session = row.kind === 'evaluation' ? null : row.session
    return { ...row, session, body: packBody(drafts[at] as (typeof drafts)[number]) }
  })
  return { stored, whole }
}

function restoreAll(stored: readonly TraceRow[], order: readonly TraceRow[] = stored): TraceRow[] {
  const restorer = new RowRestorer((seq) => stored.find((row) => row.seq === seq))
  return order.map((row) => restorer.restore(row))
}

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('"', '\\', '\t', '=', '-', 'a.1'))
const data = fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })

const evaluation = fc.record({
  hook: text,
  priority: fc.double({ noNaN: true }),
  durationMs: fc.double({ noNaN: true, min: 0 }),
  mode: fc.constantFrom('log' as const, 'advise' as const, 'enforce' as const),
  decision: fc.constantFrom('pass' as const, 'flag' as const, 'ask' as const, 'block' as const),
  applied: fc.boolean(),
  cause: fc.constantFrom('policy' as const, 'failure:crash' as const),
  reason: optional(text),
  suggestion: optional(text),
  metadata: optional(data),
  modify: optional(data),
  skipped: optional(fc.constantFrom('disabled' as const)),
  loweredBy: optional(fc.constant('breaker' as const)),
})

const entry: fc.Arbitrary<StepEntry> = fc
  .record({
    id: text,
    point: fc.constantFrom('pre:tool', 'pre:launch', 'custom:point'),
    session: optional(text),
    turn: optional(text),
    agent: optional(text),
    host: optional(text),
    profile: optional(text),
    workspace: optional(text),
    metadata: data,
    data,
    time: fc.integer({ min: 0, max: 8.64e15 }),
    evaluations: fc.array(evaluation, { maxLength: 4 }),
  })
  .map((given) => stepEntry(given as Parameters<typeof stepEntry>[0]))

describe('a packed record', () => {
  it('Z4 gives back every text and column that was hashed, in any order of reading', () => {
    fc.assert(
      fc.property(entry, (each) => {
        const { stored, whole } = pack(each)
        expect(restoreAll(stored)).toEqual(whole)
        expect(restoreAll(stored, stored.toReversed())).toEqual(whole.toReversed())
      }),
      { numRuns: 300 },
    )
  })

  it.each(['\u2028', '\u2029', '\n', '\r', '\u0085'])('Z4 gives back an evaluation with the line end %j', (end) => {
    const { stored, whole } = pack(stepEntry({ evaluations: [{ reason: `a${end}b`, decision: 'block' }] }))
    expect(restoreAll(stored)).toEqual(whole)
  })

  it('Z5 gives back keys that need escapes, which are never parsed', () => {
    const keys = ['"', '\\', '\n', '\t', '"}', '\\"', '],[', '{"a":1}', 'a\\', '\u0001']
    for (const key of keys) {
      const data = { tool: 'x', args: Object.fromEntries(keys.map((other) => [other, key])) }
      const { stored, whole } = pack(
        stepEntry({ data, evaluations: [{ metadata: { [key]: key }, decision: 'block' }] }),
      )
      expect(restoreAll(stored)).toEqual(whole)
    }
  })

  it('Z5 with a body that is no single object of fields has no text', () => {
    const { stored } = pack(stepEntry({ evaluations: [] }))
    const [row] = stored as [TraceRow]
    const bodies = [
      '[42,{"a":1},{"b":2}]',
      '[42,{"a":1,"a}]',
      '[42,{"a":[1}]',
      '[42,{"a":1 }]',
      '[42,{"id":"x"}]',
      '[x,{}]',
      '[42]',
    ]
    for (const body of bodies) expect(restoreAll([{ ...row, body }])[0]?.body).not.toContain('"kind"')
  })

  it('Z4 gives back events with all and with no fields', () => {
    const plain = { id: 'e', time: ENTRY_TIME, component: 'trace', action: 'trace:cut' } as const
    const full = { ...plain, session: 's', hook: 'h', reason: 'r', level: 'error', metadata: { a: null } } as const
    for (const event of [plain, full]) {
      const { stored, whole } = pack(event)
      expect(restoreAll(stored)).toEqual(whole)
    }
  })

  it('Z4 of an evaluation that passed has little more than its numbers', () => {
    const { stored, whole } = pack(
      stepEntry({ session: 'session', host: 'claude', evaluations: [{}, { mode: 'log' }] }),
    )
    expect(stored.map(({ body }) => body).slice(1)).toEqual(['[43,0.25,100]', '[44,0.25,100,"log"]'])
    const sizes = (rows: readonly TraceRow[]) => rows.reduce((sum, { body }) => sum + body.length, 0)
    expect(sizes(stored)).toBeLessThan(sizes(whole) / 4)
  })
})
