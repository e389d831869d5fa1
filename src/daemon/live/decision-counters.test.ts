import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../engine/outcome.ts'
import type { StepEnvelope } from '../../engine/step.ts'
import { MemoryTraceStore } from '../../storage/memory/trace-store.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import type { TraceEntry } from '../../trace/record.ts'
import { DecisionCounters } from './decision-counters.ts'
import { groupRecords } from './feed-steps.ts'

const NOW = Date.UTC(2026, 0, 31, 12, 0, 30)
const MINUTE = 60_000

function tallyOf(entries: readonly TraceEntry[]): DecisionCounters {
  const store = new MemoryTraceStore()
  void appendAll(store, entries)
  const { steps, events } = groupRecords(store.records({ steps: true, limit: 100_000 }), { isPart: false })
  const tally = new DecisionCounters()
  for (const step of steps) tally.addStep(step)
  for (const event of events) tally.addEvent(event)
  return tally
}

function at(ms: number, given: Partial<StepEnvelope> & { evaluations?: Partial<Evaluation>[] } = {}): TraceEntry {
  return stepEntry({ ...given, time: NOW - ms })
}

const BLOCK = { decision: 'block', applied: true, reason: 'no' } as const

describe('the figures', () => {
  it('count decisions by the minute, with the empty ones, over one hour', () => {
    const tally = tallyOf([at(59 * MINUTE), at(2 * MINUTE, { evaluations: [BLOCK] }), at(0), at(0), at(61 * MINUTE)])
    const minutes = tally.minutes(NOW)
    expect(minutes).toHaveLength(60)
    expect(minutes.at(-1)).toEqual({ at: NOW - 30_000, pass: 2, flag: 0, ask: 0, block: 0, error: 0 })
    expect(minutes.at(-3)).toMatchObject({ block: 1 })
    expect(minutes[0]).toMatchObject({ pass: 1 })
    expect(tally.countRecent(NOW, 60)).toEqual({ pass: 3, flag: 0, ask: 0, block: 1 })
    expect(tally.countRecent(NOW, 5)).toEqual({ pass: 2, flag: 0, ask: 0, block: 1 })
  })

  it('tell how a hook does: rate, errors, skips and how long it takes', () => {
    const failure = { cause: 'failure:timeout', decision: 'flag', durationMs: 100 } as const
    const fast = Array.from({ length: 98 }, () => at(0, { evaluations: [{ hook: 'h', durationMs: 1 }] }))
    const rest = [failure, { ...failure, durationMs: 50 }, { skipped: 'snoozed' as const }]
    const tally = tallyOf([...fast, ...rest.map((one) => at(10 * MINUTE, { evaluations: [{ hook: 'h', ...one }] }))])
    expect(tally.hook('h', NOW)).toEqual({
      ...{ runs: 100, perMinute: 98 / 5, errors: 2, errorRate: 0.02, skips: 1, pass: 98, flag: 2, ask: 0, block: 0 },
      ...{ p50Ms: 1, p95Ms: 1, lastRun: new Date(NOW - 10 * MINUTE).toISOString() },
    })
    expect(tally.hook('never', NOW)).toMatchObject({ runs: 0, errorRate: 0, p50Ms: null, lastRun: null })
  })

  it('say how much of what agents did was asked about before', () => {
    const unsupervised = { id: 'e', time: NOW, component: 'hosts', action: 'call:unsupervised', session: 's' } as const
    const tally = tallyOf([at(0, { session: 's' }), at(0, { session: 's', point: 'post:tool' }), unsupervised])
    expect(tally.coverage).toEqual({ calls: 2, supervised: 1 })
    expect(tally.sessions(NOW)[0]?.coverage).toEqual({ calls: 2, supervised: 1 })
  })

  it('know the sessions, which of them are active, and their last action', () => {
    const named = { host: 'claude', workspace: '/w' } as const
    const tally = tallyOf([
      at(30 * MINUTE, { ...named, session: 'old' }),
      at(5 * MINUTE, { ...named, session: 'ended' }),
      at(4 * MINUTE, { ...named, session: 'ended', point: 'session:end', data: {} }),
      at(3 * MINUTE, { ...named, session: 'open', agent: 'a', evaluations: [BLOCK] }),
      at(MINUTE, { ...named, session: 'open', agent: 'b', point: 'pre:message', data: { prompt: 'x' } }),
    ])
    const sessions = tally.sessions(NOW)
    expect(sessions.map(({ id, isActive }) => [id, isActive])).toEqual([
      ['open', true],
      ['ended', false],
      ['old', false],
    ])
    expect(sessions[0]).toMatchObject({
      agents: ['a', 'b'],
      steps: 2,
      lastTool: 'shell',
      lastPreview: 'ls',
      host: 'claude',
    })
    expect(sessions[0]?.decisions).toEqual({ pass: 1, flag: 0, ask: 0, block: 1 })
  })

  it('stay small, whatever agents call themselves and however the clock jumps', () => {
    const tally = tallyOf(
      Array.from({ length: 3_000 }, (_, n) => {
        const evaluations = [{ hook: `hook-${n}` }]
        return at(n % 2 === 0 ? n * 5 * MINUTE : -n * MINUTE, { session: `s${n}`, agent: `a${n}`, evaluations })
      }),
    )
    expect(tally.sessions(NOW)).toHaveLength(500)
    expect(tally.hook('hook-2999', NOW).runs).toBe(0)
    expect(tally.minutes(NOW)).toHaveLength(60)
  })
})
