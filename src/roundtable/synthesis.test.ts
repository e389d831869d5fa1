import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completeTurn } from './driver-moves.ts'
import { openRoundtable, type Roundtable } from './machine.ts'
import { fallbackFindings, readFindings } from './synthesis.ts'

const GOOD = { consensus: 0.7, summary: 'They mostly agree.', keyPoints: ['a', 'b'] }
const TEXT = JSON.stringify(GOOD)

describe('reading a synthesis', () => {
  it.each([
    ['alone', TEXT],
    ['in a fence', `Here you are:\n\`\`\`json\n${JSON.stringify(GOOD, null, 2)}\n\`\`\`\nCheers {}`],
    ['after braces in prose', `A set {1, 2} and {"a": {"b": 1}} first.\n${TEXT}`],
    ['after the example of the prompt', `{"consensus": 0.1, "summary": "…", "keyPoints": []}\n${TEXT}`],
    ['inside another object', `{"result": ${TEXT}}`],
    ['with braces and quotes in its texts', JSON.stringify({ ...GOOD, summary: 'a } "{" b' })],
  ])('R7 finds the JSON %s', (_where, answer) => {
    expect(readFindings(answer)).toMatchObject({ consensus: 0.7, keyPoints: ['a', 'b'], isFallback: false })
  })

  it.each([
    [1, 1],
    [0, 0],
    ['0.25', 0.25],
    ['80%', 0.8],
    ['80 %', 0.8],
    [80, null],
    [-1, null],
    [true, null],
    ['high', null],
    [null, null],
    [1e-9, null],
  ])('R7 takes %j for a consensus of %j', (given, read) => {
    expect(readFindings(JSON.stringify({ ...GOOD, consensus: given }))?.consensus).toBe(read)
  })

  it.each(['', 'We agree.', TEXT.slice(0, -10), '{"consensus": 1}', '{"summary": ""}', '[1]', '{', '{{{{'])(
    'R7 reads nothing from %j',
    (answer) => expect(readFindings(answer)).toBeUndefined(),
  )

  it('R7 bounds what it reads, and reads a flood quickly', () => {
    const points = Array.from({ length: 500 }, () => 'p'.repeat(5_000))
    const found = readFindings(JSON.stringify({ ...GOOD, summary: 's'.repeat(9_000), keyPoints: points.slice(0, 15) }))
    expect(found?.summary.length).toBe(4_000)
    expect(found?.keyPoints.every((point) => point.length <= 500)).toBe(true)
    readFindings('{'.repeat(2_000_000))
    readFindings('{"a":'.repeat(500_000))
  })

  it('R7 never throws and never gives a consensus out of bounds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const found = readFindings(`${text}{"summary": "x", "consensus": ${JSON.stringify(text)}}`)
        expect(found?.consensus ?? 0).toBeGreaterThanOrEqual(0)
        expect(found?.consensus ?? 0).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('the replacement of a synthesis', () => {
  const table = ['tabs', '', 'both'].reduce<Roundtable>(
    (before, content, place) =>
      completeTurn(
        before,
        place,
        { content, course: { outcome: 'spoken', startedAt: 0, durationMs: 0 } },
        { at: 0, idleMs: 1 },
      ),
    openRoundtable({ id: 'rt-1', topic: 'x', agents: ['a', 'b', 'c'], rounds: 1, at: 0, idleMs: 1 }),
  )

  it('R7 keeps prose as the summary, without a consensus', () => {
    expect(fallbackFindings(table, ' We agree. ')).toEqual({
      consensus: null,
      summary: 'We agree.',
      keyPoints: [],
      isFallback: true,
    })
  })

  it.each(['', TEXT.slice(0, -10), `\`\`\`json\n${TEXT.slice(0, 20)}`])(
    'R7 says that there is none for %j, and quotes what each said last',
    (answer) => {
      const found = fallbackFindings(table, answer)
      expect(found).toMatchObject({ consensus: null, keyPoints: ['a: tabs', 'c: both'], isFallback: true })
      expect(found.summary).toContain('There is no synthesis. 2 of 3 turns were spoken')
    },
  )
})
