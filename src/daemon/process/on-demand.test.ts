// Who may start a daemon, and when again.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import {
  claimStart,
  parseDaemonSwitch,
  readOnDemandState,
  recordGoodStart,
  recordManualStart,
  recordStop,
} from './on-demand.ts'

const NOW = 1_800_000_000_000
const HOUR_MS = 3_600_000

let state: MemoryStateStore

beforeEach(() => {
  state = new MemoryStateStore()
})

it('one of many who ask at once starts it', () => {
  const asked = Array.from({ length: 50 }, () => claimStart(state, NOW))
  expect(asked.filter(Boolean)).toHaveLength(1)
})

describe('over two connections to one file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arc-claims-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('one of them starts it', () => {
    const stores = [0, 1].map(() => new SqliteStateStore(join(folder, 'arc.db')))
    expect(stores.map((store) => claimStart(store, NOW))).toEqual([true, false])
    for (const store of stores) store.close()
  })
})

it('one that never lasts is tried later and later, and after an hour at the latest', () => {
  const waits: number[] = []
  let now = NOW
  for (let attempt = 1; attempt <= 12; attempt++) {
    expect(claimStart(state, now)).toBe(true)
    const found = readOnDemandState(state, now)
    if (found.is !== 'waiting') throw new Error(`not waiting but ${found.is}`)
    expect(found.attempts).toBe(attempt)
    expect(claimStart(state, found.until - 1)).toBe(false)
    waits.push(found.until - now)
    now = found.until
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits[0]).toBeLessThan(60_000)
  expect(waits.at(-1)).toBe(HOUR_MS)
})

it('after one that lasted, the next is started at once', () => {
  claimStart(state, NOW)
  recordGoodStart(state)
  expect(claimStart(state, NOW + 1)).toBe(true)
})

it('what a person stopped stays stopped, until a person serves again', () => {
  claimStart(state, NOW)
  recordStop(state, NOW)
  recordGoodStart(state)
  expect(claimStart(state, NOW + 24 * HOUR_MS)).toBe(false)
  expect(readOnDemandState(state, NOW)).toEqual({ is: 'stopped', at: NOW })
  recordManualStart(state, NOW)
  // Hooks hold still while it starts.
  expect(claimStart(state, NOW)).toBe(false)
  recordGoodStart(state)
  expect(claimStart(state, NOW)).toBe(true)
})

it('whatever the clock does, it is put off by an hour at most, and a storm of calls starts few', () => {
  const jumps = fc.array(fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(jumps, (all) => {
      const store = new MemoryStateStore()
      let now = NOW
      let last: number | undefined
      for (const jump of all) {
        now += jump
        const isFar = last === undefined || Math.abs(now - last) >= HOUR_MS
        const isOurs = claimStart(store, now)
        if (isFar) expect(isOurs).toBe(true)
        if (isOurs) {
          last = now
          expect(claimStart(store, now)).toBe(false)
        }
      }
    }),
  )
})

it.each([
  [undefined, true, true],
  ['', true, true],
  ['on', true, true],
  ['off', false, false],
  ['ask', true, false],
  ['asked', false, true],
])('ARC_DAEMON=%s: asks %s, starts %s', (value, canAsk, canStart) => {
  expect(parseDaemonSwitch(value)).toEqual({ canAsk, canStart })
})
