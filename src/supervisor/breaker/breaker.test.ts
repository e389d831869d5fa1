// The breaker: its transitions, its two holders, what feeds it, and what it can never do.

import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { Evaluation } from '../../engine/outcome.ts'
import type { SupervisionEvent } from '../../hooks/builtin/services.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { breakerFeed, CircuitBreaker, DurableBreaker } from './breaker.ts'
import { type BreakerEvent, type BreakerState, getMaxMode, nextState } from './state-machine.ts'

const SETTINGS = { failureThreshold: 3, cooldownMs: 60_000 }

function makeBreaker(state: StateStore = new MemoryStateStore(), clock = new FakeClock()) {
  const events: SupervisionEvent[] = []
  const services = { state, clock, record: (event: SupervisionEvent) => void events.push(event) }
  const make = () => new DurableBreaker({ ...SETTINGS, profile: 'p' }, services)
  return { breaker: make(), make, clock, state, actions: () => events.map(({ action }) => action) }
}

describe('the circuit breaker', () => {
  const make = () => {
    const clock = new FakeClock()
    const trips: number[] = []
    return { clock, trips, breaker: new CircuitBreaker({ ...SETTINGS, onTrip: () => trips.push(clock.now()), clock }) }
  }

  it('M4 opens after three failures in a row, and reports it', () => {
    const { breaker, trips } = make()
    breaker.recordFailure()
    breaker.recordFailure()
    expect([breaker.state, breaker.failures, trips.length]).toEqual(['closed', 2, 0])
    breaker.recordFailure()
    expect([breaker.state, breaker.failures, trips.length]).toEqual(['open', 3, 1])
  })

  it('M4 a success in between begins the count anew', () => {
    const { breaker } = make()
    for (const isFailure of [true, true, false, true, true])
      isFailure ? breaker.recordFailure() : breaker.recordSuccess()
    expect([breaker.state, breaker.failures]).toEqual(['closed', 2])
  })

  it.each([
    ['off', 'off'],
    ['log', 'log'],
    ['advise', 'log'],
    ['warn', 'log'],
    ['enforce', 'log'],
  ] as const)('M4 while open, %s acts as %s', (mode, expected) => {
    const { breaker } = make()
    expect(breaker.effectiveMode(mode)).toBe(mode === 'warn' ? 'advise' : mode)
    for (let at = 0; at < 3; at++) breaker.recordFailure()
    expect(breaker.effectiveMode(mode)).toBe(expected)
  })

  it('M4 is half-open after the cool-down; then the first success closes it', () => {
    const { breaker, clock } = make()
    for (let at = 0; at < 3; at++) breaker.recordFailure()
    clock.advance(59_999)
    breaker.recordSuccess()
    expect(breaker.state).toBe('open')
    clock.advance(1)
    expect([breaker.state, breaker.effectiveMode('enforce')]).toEqual(['half-open', 'enforce'])
    breaker.recordSuccess()
    expect([breaker.state, breaker.failures]).toEqual(['closed', 0])
  })

  it('M4 the first failure while half-open opens it again, for a whole cool-down', () => {
    const { breaker, clock, trips } = make()
    for (let at = 0; at < 3; at++) breaker.recordFailure()
    clock.advance(60_000)
    breaker.recordFailure()
    expect([breaker.state, trips]).toEqual(['open', [0, 60_000]])
    clock.advance(59_999)
    expect(breaker.state).toBe('open')
    clock.advance(1)
    expect(breaker.state).toBe('half-open')
  })

  it('is closed by reset, and refuses settings that make no sense', () => {
    const { breaker } = make()
    for (let at = 0; at < 3; at++) breaker.recordFailure()
    breaker.reset()
    expect([breaker.state, breaker.failures]).toEqual(['closed', 0])
    expect(() => new CircuitBreaker({ failureThreshold: 0 })).toThrow('failureThreshold')
    expect(() => new CircuitBreaker({ cooldownMs: Number.NaN })).toThrow('cooldownMs')
    expect(() => new CircuitBreaker({ threshold: 3 } as never)).toThrow('does not know the option "threshold"')
  })
})

describe('the durable breaker', () => {
  it('M4 survives short-lived processes: each failure in a separate process', () => {
    const folder = makeTempFolder('arc-breaker-')
    const clock = new FakeClock()
    for (let at = 0; at < 3; at++) {
      const state = new SqliteStateStore(join(folder, 'arc.db'))
      const { breaker } = makeBreaker(state, clock)
      expect(breaker.maxMode()).toBe('enforce')
      breaker.recordFailure()
      state.close()
    }
    const state = new SqliteStateStore(join(folder, 'arc.db'))
    const { breaker } = makeBreaker(state, clock)
    expect(breaker.maxMode()).toBe('log')
    expect(breaker.status()).toEqual({
      state: 'open',
      failures: 3,
      threshold: 3,
      openedAt: clock.wall(),
      halfOpenAt: clock.wall() + 60_000,
    })
    state.close()
  })

  it('M4 every change has one line in the log, from any process', () => {
    const { breaker, make, clock, actions } = makeBreaker()
    const other = make()
    breaker.record({ failures: 5, isSuccess: false })
    clock.advance(60_000)
    expect([breaker.maxMode(), other.maxMode()]).toEqual(['enforce', 'enforce'])
    other.recordFailure()
    clock.advance(60_000)
    breaker.record({ failures: 0, isSuccess: true })
    breaker.recordFailure()
    breaker.reset()
    breaker.reset()
    expect(actions()).toEqual([
      ...['breaker:open', 'breaker:half-open', 'breaker:open', 'breaker:half-open', 'breaker:close', 'breaker:reset'],
    ])
  })

  it('writes nothing while all is well', () => {
    const { breaker, state } = makeBreaker()
    for (let at = 0; at < 10; at++) breaker.recordSuccess()
    breaker.maxMode()
    expect(state.list('')).toEqual([])
  })

  it('M4 a clock set back neither keeps it open forever nor closes it early', () => {
    const { breaker, clock } = makeBreaker()
    breaker.record({ failures: 3, isSuccess: false })
    clock.setWall(clock.wall() - 365 * 86_400_000)
    clock.advance(59_000)
    expect(breaker.status().state).toBe('open')
    clock.advance(59_999)
    expect(breaker.status().state).toBe('open')
    clock.advance(1)
    expect(breaker.status().state).toBe('half-open')
    clock.setWall(clock.wall() - 365 * 86_400_000)
    expect(breaker.status().state).toBe('half-open')
  })

  it.each([null, 7, 'open', {}, { status: 'open' }, { status: 'open', failures: 3 }, { status: 'ajar', failures: 1 }])(
    'takes a kept state that cannot be read (%j) for one that lowers nothing',
    (kept) => {
      const { breaker, state } = makeBreaker()
      state.set('breaker:p', kept, 0)
      expect(breaker.maxMode()).toBe('enforce')
      breaker.record({ failures: 3, isSuccess: false })
      expect(breaker.maxMode()).toBe('log')
    },
  )

  it('shows each profile its own', () => {
    const { breaker, state, clock } = makeBreaker()
    breaker.record({ failures: 3, isSuccess: false })
    const other = new DurableBreaker({ profile: 'other' }, { state, clock, record: () => undefined })
    expect([breaker.maxMode(), other.maxMode()]).toEqual(['log', 'enforce'])
  })
})

describe('what feeds the breaker', () => {
  const run = (hook: string, more: Partial<Evaluation> = {}): Evaluation => ({
    ...{ hook, point: 'pre:tool', priority: 1, mode: 'enforce', decision: 'pass', applied: false },
    ...{ cause: 'policy', durationMs: 0, ...more },
  })
  const failed = (hook: string) => run(hook, { cause: 'failure:crash' })
  const feedOf = () => {
    const made = makeBreaker()
    const { breaker } = made
    return { ...made, feed: breakerFeed(breaker, { isCritical: (hook) => hook.startsWith('built-in') }) }
  }

  it('M4 every failed run, one of a critical hook too', () => {
    const { breaker, feed } = feedOf()
    feed([failed('built-in')])
    feed([failed('lint'), failed('other')])
    expect(breaker.status()).toMatchObject({ state: 'open', failures: 3 })
  })

  it('M4 hooks that always succeed do not make up for one that is flaky', () => {
    const { breaker, feed } = feedOf()
    for (let at = 0; at < 3; at++) {
      feed([run('built-in'), failed('lint')])
      feed([run('built-in'), run('built-in-2')])
      feed([run('built-in'), run('lint', { skipped: 'snoozed' })])
      feed([])
    }
    expect(breaker.status().state).toBe('open')
  })

  it('M4 a step in which a hook worked and another failed is a failure', () => {
    const { breaker, feed } = feedOf()
    for (let at = 0; at < 3; at++) feed([run('lint'), failed('other')])
    expect(breaker.status().state).toBe('open')
  })

  it('M4 a hook that works hides none that never does: its own failures in a row count as well', () => {
    const { breaker, feed } = feedOf()
    for (let at = 0; at < 2; at++) {
      feed([failed('flaky')])
      feed([run('lint')])
    }
    expect(breaker.status()).toMatchObject({ state: 'closed', failures: 0 })
    feed([failed('flaky')])
    expect(breaker.status()).toMatchObject({ state: 'open', failures: 3 })
  })

  it('M4 a hook that still fails after others closed the breaker opens it at once', () => {
    const { breaker, feed, clock, state } = feedOf()
    for (let at = 0; at < 3; at++) feed([failed('flaky')])
    clock.advance(60_000)
    feed([run('lint')])
    expect(breaker.status().state).toBe('closed')
    feed([failed('flaky')])
    expect(breaker.status().state).toBe('open')
    clock.advance(60_000)
    feed([run('flaky')])
    feed([failed('flaky')])
    expect(breaker.status()).toMatchObject({ state: 'closed', failures: 1 })
    breaker.reset()
    expect(state.get('breaker:p')?.value).toEqual({ status: 'closed', failures: 0 })
  })

  it('M4 one that fails now and then, and works in between, never opens it', () => {
    const { breaker, feed } = feedOf()
    for (let at = 0; at < 20; at++) feed(at % 2 === 0 ? [failed('flaky')] : [run('flaky')])
    expect(breaker.status()).toMatchObject({ state: 'closed', failures: 0 })
  })

  it('M4 a critical hook that works makes up for its own failures only, and the same hook elsewhere for none', () => {
    const { breaker, feed } = feedOf()
    const elsewhere = run('flaky', { point: 'post:tool' })
    for (let at = 0; at < 2; at++) feed([failed('flaky'), failed('built-in')])
    expect(breaker.status().state).toBe('open')
    breaker.reset()
    for (const evaluations of [[failed('built-in')], [run('built-in')], [failed('built-in')], [run('lint')]])
      feed(evaluations)
    for (let at = 0; at < 2; at++) feed([failed('flaky')])
    feed([elsewhere])
    expect(breaker.status().state).toBe('closed')
    feed([failed('flaky')])
    expect(breaker.status().state).toBe('open')
  })

  it('M4 a gate that did not ask its reviewer says nothing about it; one that did is a success', () => {
    const { breaker, feed, clock } = feedOf()
    const gate = (gateReviewed: boolean) => run('built-in-gate', { metadata: { gateReviewed } })
    for (let at = 0; at < 3; at++) {
      feed([failed('built-in-gate')])
      feed([gate(false), run('built-in')])
    }
    expect(breaker.status().state).toBe('open')
    clock.advance(60_000)
    feed([gate(false)])
    expect(breaker.status().state).toBe('half-open')
    feed([gate(true)])
    expect(breaker.status().state).toBe('closed')
  })

  it('M4 a hook that fails on and on is written once, and thousands of names do not pile up', () => {
    const { feed, state } = feedOf()
    for (let at = 0; at < 10; at++) feed([failed('flaky')])
    const { version } = state.get('breaker:p') ?? {}
    for (let at = 0; at < 10; at++) feed([failed('flaky')])
    expect(state.get('breaker:p')?.version).toBe(version)
    for (let at = 0; at < 300; at++) feed([failed(`hook-${at}`)])
    expect(JSON.stringify(state.get('breaker:p')?.value).length).toBeLessThan(10_000)
  })

  it('M4 a step in which a hook that can fail did not is a success, whatever it decided', () => {
    const { breaker, feed } = feedOf()
    feed([failed('lint')])
    feed([run('lint', { decision: 'block', applied: true })])
    expect(breaker.status().failures).toBe(0)
  })
})

describe('the state machine', () => {
  const event = fc.constantFrom<BreakerEvent>('failure', 'success', 'look', 'reset')
  const moves = fc.array(fc.tuple(event, fc.integer({ min: -100_000, max: 100_000 })), { maxLength: 60 })

  it('M4 lowers only after enough failures in a row, and never forever, whatever the clock does', () => {
    fc.assert(
      fc.property(moves, (all) => {
        let state: BreakerState = { status: 'closed', failures: 0 }
        let now = 0
        let inARow = 0
        for (const [what, passed] of all) {
          now += passed
          const before = state
          state = nextState(state, what, now, SETTINGS)
          if (what === 'failure') inARow++
          else if (what === 'success' || what === 'reset') inARow = 0
          const opened = before.status === 'closed' && state.status === 'open'
          if (opened) expect(inARow).toBeGreaterThanOrEqual(3)
          if (state.status === 'open') expect(state.openedAt).toBeLessThanOrEqual(now)
          expect(before.status === 'closed' && state.status === 'half-open').toBe(false)
        }
        // From here on the clock is good: within one cool-down it is not open any more.
        const looked = nextState(state, 'look', now, SETTINGS)
        expect(getMaxMode(nextState(looked, 'look', now + 60_000, SETTINGS))).toBe('enforce')
      }),
    )
  })

  it('gives the same object when nothing changes', () => {
    const closed: BreakerState = { status: 'closed', failures: 0 }
    const open: BreakerState = { status: 'open', failures: 3, openedAt: 0 }
    expect(nextState(closed, 'success', 5, SETTINGS)).toBe(closed)
    expect(nextState(closed, 'reset', 5, SETTINGS)).toBe(closed)
    expect(nextState(open, 'failure', 5, SETTINGS)).toBe(open)
    expect(nextState(open, 'success', 5, SETTINGS)).toBe(open)
  })
})
