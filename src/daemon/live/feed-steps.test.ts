import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHidden, toLine } from '../../display/display-text.ts'
import { isShown, joinStep } from '../../protocol/feed.ts'
import type { Action, FeedStep } from '../../protocol/feed-views.ts'
import { MemoryTraceStore } from '../../storage/memory/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import type { TraceEntry } from '../../trace/record.ts'
import { buildEventView, buildFeedStep, groupRecords } from './feed-steps.ts'

function gathered(...entries: readonly TraceEntry[]) {
  const store = new MemoryTraceStore({ env: { MY_TOKEN: 'value-of-the-variable' } })
  void appendAll(store, entries)
  return groupRecords(store.records({ steps: true, limit: 1_000 }), { isPart: false })
}

function stepOf(entry: TraceEntry): FeedStep {
  const [whole] = gathered(entry).steps
  if (whole === undefined) throw new Error('no step was recorded')
  return buildFeedStep(whole)
}

const BLOCK = { hook: 'risk', decision: 'block', applied: true, reason: 'no' } as const

describe('a step in the feed', () => {
  it('tells who decided, what would have run, and each verdict', () => {
    const step = stepOf(stepEntry({ session: 's', evaluations: [{}, BLOCK] }))
    expect(step).toMatchObject({
      ...{ seq: 1, id: 'step-1', action: 'step-1', phase: 'before', session: 's', tool: 'shell', preview: 'ls' },
      ...{ decision: 'block', blocked: true, hook: 'risk', reason: 'no', durationMs: 0.5 },
    })
    expect(step.verdicts.map(({ hook, decision }) => [hook, decision])).toEqual([
      ['hook-1', 'pass'],
      ['risk', 'block'],
    ])
  })

  it('names the hook that would have stopped it, unless it was stopped anyway', () => {
    const would = { hook: 'strict', decision: 'block', mode: 'log', applied: false } as const
    expect(stepOf(stepEntry({ evaluations: [would] })).wouldBlock).toBe('strict')
    expect(stepOf(stepEntry({ evaluations: [would, BLOCK] })).wouldBlock).toBeUndefined()
    expect(stepOf(stepEntry({ evaluations: [{ ...would, skipped: 'off' }] })).wouldBlock).toBeUndefined()
  })

  it('after a tool belongs to the step before it, with the time the tool took', () => {
    const metadata = { preStep: 'first', sinceMs: 1_200 }
    const step = stepOf(stepEntry({ id: 'second', point: 'post:tool', metadata }))
    expect(step).toMatchObject({ action: 'first', phase: 'after', ranMs: 1_200 })
    const alone = stepOf(stepEntry({ id: 'third', point: 'post:tool', metadata: { unsupervised: true } }))
    expect(alone).toMatchObject({ action: 'third', phase: 'after', isUnsupervised: true })
    // Only what ran after another step may say so.
    expect(stepOf(stepEntry({ metadata })).action).toBe('step-1')
  })

  it('holds no secret, since it is made from the record', () => {
    const data = { tool: 'shell', args: { command: 'curl -H "Authorization: Bearer value-of-the-variable"' } }
    expect(JSON.stringify(stepOf(stepEntry({ data })))).not.toContain('value-of-the-variable')
  })

  it.each([
    [{ tool: 'Read', args: { file_path: '/a/b' } }, '/a/b'],
    [{ tool: 'mcp', args: { a: 1 } }, '{"a":1}'],
    [{ tool: 'none', args: {} }, ''],
    [{ prompt: 'two\nlines' }, 'two lines'],
    [{ agent: 'ops', config: { prompt: 'Deploy' } }, 'Deploy'],
    [{ tool: 'shell', args: { command: 'a\u202Eb\u0000c' } }, 'a\\u{202e}b\\u{0}c'],
  ])('of %j is previewed as %s', (data, preview) => {
    expect(stepOf(stepEntry({ data, point: 'prompt' in data ? 'pre:message' : 'pre:tool' })).preview).toBe(preview)
  })
})

describe('records put together', () => {
  it('leave a step for later whose evaluations are not all there yet', () => {
    const store = new MemoryTraceStore()
    void store.append(stepEntry({ id: 'a', evaluations: [{}, {}] }))
    void store.append(stepEntry({ id: 'b', evaluations: [{}, {}] }))
    const part = groupRecords(store.records({ steps: true, afterSeq: 0, limit: 5 }), { isPart: true })
    expect(part.steps.map(({ record }) => record.id)).toEqual(['a'])
    expect(part.last).toBe(3)
  })

  it('keep events, with the step they are about', () => {
    const event = {
      id: 'e',
      time: 0,
      component: 'hosts',
      action: 'reply:unsupported',
      metadata: { step: 'a' },
    } as const
    const [found] = gathered(event).events
    expect(found && buildEventView(found)).toMatchObject({ id: 'e', action: 'reply:unsupported', step: 'a' })
  })
})

describe('joining steps', () => {
  const steps = ['pre:tool', 'post:tool', 'post:tool'].map((point, at): FeedStep => {
    const evaluations = at === 1 ? [BLOCK] : [{}]
    const metadata = at === 0 ? {} : { preStep: 'first', sinceMs: at }
    return { ...stepOf(stepEntry({ id: at === 0 ? 'first' : `s${at}`, point, metadata, evaluations })), seq: 10 + at }
  })

  it('gives the same action in any order, however often a step comes', () => {
    const join = (list: readonly FeedStep[]) => list.reduce<Action | undefined>((a, b) => joinStep(a, b), undefined)
    const whole = join(steps)
    expect(whole).toMatchObject({ id: 'first', seq: 10, point: 'pre:tool', decision: 'block', hook: 'risk', ranMs: 1 })
    const orders = fc.shuffledSubarray([0, 1, 2, 0, 1, 2], { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(orders, (order) => {
        expect(join(order.map((at) => steps[at] as FeedStep))).toEqual(whole)
      }),
    )
  })

  it.each([
    [{}, true],
    [{ decision: 'block' }, true],
    [{ decision: 'pass,block' }, true],
    [{ decision: 'pass' }, false],
    [{ decision: 'would-block' }, false],
    [{ hook: 'RISK' }, true],
    [{ hook: 'other' }, false],
    [{ tool: 'SHELL' }, true],
    [{ session: 's' }, false],
    [{ text: ' LS ' }, true],
    [{ text: 'nothing like it' }, false],
    [{ text: '', hook: '', decision: '' }, true],
  ])('and the filter %j shows it: %s', (filter, isWanted) => {
    const action = steps.reduce<Action | undefined>((a, b) => joinStep(a, b), undefined) as Action
    expect(isShown(action, filter)).toBe(isWanted)
  })
})

describe('text for people', () => {
  it('has nothing in it that hides, turns around or breaks the line, and is never longer than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 300 }), (text, length) => {
        const line = toLine(text, length)
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(line.length).toBeLessThanOrEqual(length + 1)
        expect(escapeHidden(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it('is cut at a megabyte without looking at all of it', () => {
    expect(toLine('x'.repeat(1_000_000), 10)).toBe('xxxxxxxxx…')
    expect(toLine('ab'.repeat(4), 8)).toBe('abababab')
  })
})
