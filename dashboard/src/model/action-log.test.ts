import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedStep } from '../../../src/protocol/views.ts'
import { ActionLog } from './action-log.ts'
import { FeedView } from './feed-view.ts'
import { NO_FILTER } from './filter.ts'

const DECISIONS = ['pass', 'flag', 'ask', 'block'] as const

/** Steps as a daemon tells them: places rising, an `after` naming the action that began before it. */
const history = fc
  .array(
    fc.record({ decision: fc.constantFrom(...DECISIONS), hasAfter: fc.boolean(), gap: fc.integer({ min: 1, max: 4 }) }),
    {
      maxLength: 40,
    },
  )
  .map((plans) => {
    let seq = 0
    const open: FeedStep[] = []
    const steps: FeedStep[] = []
    for (const { decision, hasAfter, gap } of plans) {
      seq += gap
      const step = stepAt(seq, { decision, phase: 'before' })
      steps.push(step)
      if (hasAfter) open.push(step)
      const first = open.length > 1 ? open.shift() : undefined
      if (first !== undefined) {
        seq += gap
        steps.push(stepAt(seq, { action: first.action, phase: 'after', ranMs: 5 }))
      }
    }
    return steps
  })

describe('the log of actions', () => {
  it('gives the same rows for steps in any order, any batches, any of them more than once', () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat(1_000)), (steps, random) => {
        const expected = new ActionLog()
        expected.add(steps)
        const shuffled = [...steps, ...steps.filter((_, index) => index % 3 === 0)]
          .map((step) => ({ step, at: random.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ step }) => step)
        const log = new ActionLog()
        const view = new FeedView(log)
        while (shuffled.length > 0) view.apply(log.add(shuffled.splice(0, 1 + (random.next().value % 5))))
        expect(log.actions).toEqual(expected.actions)
        expect(shownBy(view)).toEqual(expected.actions.toReversed())
      }),
    )
  })

  it('loses no row and shows none twice when a stream is resumed from any place it had reached', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(60), { maxLength: 6 }), (steps, breaks) => {
        const log = new ActionLog()
        const view = new FeedView(log)
        let after = 0
        for (const reach of [...breaks, Number.POSITIVE_INFINITY]) {
          // What was on its way when the connection broke comes again.
          const sent = steps.filter(({ seq }) => seq > after).slice(0, reach)
          view.apply(log.add(sent))
          after = sent.at(Math.floor(sent.length / 2))?.seq ?? after
        }
        const ids = shownBy(view).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.toSorted()).toEqual([...new Set(steps.map(({ action }) => action))].toSorted())
      }),
    )
  })

  it('puts what was before and after a call into one row, the gravest decision told', () => {
    const log = new ActionLog()
    log.add([stepAt(1, { decision: 'flag', phase: 'before', preview: 'npm test' })])
    log.add([stepAt(2, {})])
    const change = log.add([stepAt(3, { action: 's1', phase: 'after', ranMs: 40 })])
    expect(change).toMatchObject({ appended: [], isRearranged: false, updated: [{ id: 's1', ranMs: 40 }] })
    expect(log.actions.map(({ id, decision, preview }) => [id, decision, preview])).toEqual([
      ['s1', 'flag', 'npm test'],
      ['s2', 'pass', ''],
    ])
  })

  it('keeps no more than it may, and lets the oldest go first', () => {
    const log = new ActionLog(10)
    for (let seq = 1; seq <= 100; seq += 1) {
      log.add([stepAt(seq, {})])
      log.trim()
    }
    expect(log.actions.length).toBeLessThanOrEqual(20)
    expect(log.actions.at(-1)?.seq).toBe(100)
    const oldest = log.actions[0]?.seq ?? 0
    log.add([stepAt(1, {}), stepAt(oldest - 1, {})])
    expect(log.actions[0]?.seq).toBe(oldest)
  })

  it('lets nothing go that is being looked at, up to twice as much', () => {
    const log = new ActionLog(10)
    log.add(Array.from({ length: 20 }, (_, index) => stepAt(index + 1, {})))
    expect(log.trim({ isHeld: true })).toBe(false)
    log.add([stepAt(21, {})])
    expect(log.trim({ isHeld: true })).toBe(true)
    expect(log.actions).toHaveLength(10)
  })

  it('adds steps at a cost that does not grow with the steps it has', () => {
    const log = new ActionLog()
    const view = new FeedView(log)
    view.apply(log.add(Array.from({ length: 30_000 }, (_, index) => stepAt(index + 1, {}))))
    view.apply(log.add(Array.from({ length: 1_000 }, (_, index) => stepAt(30_001 + index, {}))))
    expect(view.count).toBe(31_000)
  })
})

describe('the view of the feed', () => {
  it('shows what the filter asks for, also as decisions change with later steps', () => {
    fc.assert(
      fc.property(history, fc.subarray([...DECISIONS]), fc.nat(40), (steps, decision, cut) => {
        const log = new ActionLog()
        const view = new FeedView(log)
        view.filter = { ...NO_FILTER, decision }
        view.apply(log.add(steps.slice(0, cut)))
        view.apply(log.add(steps.slice(cut)))
        const wanted = log.actions.filter((action) => decision.length === 0 || decision.includes(action.decision))
        expect(shownBy(view)).toEqual(wanted.toReversed())
      }),
    )
  })

  it('does not move while paused, counts new rows, and shows them afterwards', () => {
    const log = new ActionLog()
    const view = new FeedView(log)
    view.apply(log.add([stepAt(1, {}), stepAt(2, {})]))
    view.hold()
    view.apply(log.add([stepAt(3, {}), stepAt(4, { decision: 'block' })]))
    expect(shownBy(view).map(({ seq }) => seq)).toEqual([2, 1])
    expect(view.unread).toBe(2)
    view.release()
    expect(shownBy(view).map(({ seq }) => seq)).toEqual([4, 3, 2, 1])
    expect(view.unread).toBe(0)
  })

  it('loads older pages, no row twice', () => {
    const log = new ActionLog()
    const view = new FeedView(log)
    view.apply(log.add([stepAt(10, {}), stepAt(11, {})]))
    const past = new ActionLog()
    past.add([stepAt(7, {}), stepAt(8, {}), stepAt(10, {})])
    view.addPast(past.actions)
    view.addPast(past.actions)
    expect(shownBy(view).map(({ seq }) => seq)).toEqual([11, 10, 8, 7])
    expect(view.oldest).toBe(7)
    expect([view.indexOf('s8'), view.indexOf('s99')]).toEqual([2, -1])
  })
})

function shownBy(view: FeedView) {
  return Array.from({ length: view.count }, (_, index) => view.at(index)).filter((action) => action !== undefined)
}

function stepAt(seq: number, given: Partial<FeedStep>): FeedStep {
  return {
    ...{ seq, id: `s${seq}`, action: `s${seq}`, phase: 'alone', time: new Date(seq).toISOString(), point: 'pre:tool' },
    ...{ preview: '', decision: 'pass', blocked: given.decision === 'block', durationMs: 1, verdicts: [] },
    ...given,
  }
}
