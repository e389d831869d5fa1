import { describe, expect, it } from 'vitest'
import { stateStoreContract } from '../../testing/state-store-contract.ts'
import type { StateStore } from '../ports.ts'
import { update } from '../state.ts'
import { MemoryStateStore } from './state-store.ts'

describe('state in memory', () => {
  for (const { title, run } of stateStoreContract) it(title, () => run({ make: () => new MemoryStateStore() }))
})

describe('state in memory over another store', () => {
  for (const { title, run } of stateStoreContract) {
    it(title, () => run({ make: () => new MemoryStateStore(new MemoryStateStore()) }))
  }

  it('begins with what the other holds, and keeps every change to itself', () => {
    const base = new MemoryStateStore()
    base.set('a', 1, 0)
    base.set('b', 1, 0)
    const over = new MemoryStateStore(base)
    expect(over.set('a', 2, 1)).toBe(true)
    expect(over.remove('b', 1)).toBe(true)
    expect(over.set('c', 3, 0)).toBe(true)
    expect(over.list('').map(({ key, value }) => [key, value])).toEqual([
      ['a', 2],
      ['c', 3],
    ])
    expect(over.get('b')).toBeUndefined()
    expect(base.list('').map(({ key, value }) => [key, value])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })
})

describe('an update', () => {
  it('gives up with a clear error when a store never lets it win', () => {
    const store: StateStore = { get: () => undefined, set: () => false, remove: () => false, list: () => [] }
    expect(() => update(store, 'breaker:default', () => 1)).toThrow(
      /Others changed "breaker:default" first, 1000 times/,
    )
  })

  it('keeps others out when it keeps losing, where the store can do so', () => {
    const calls: string[] = []
    const store: StateStore = {
      get: () => void calls.push('get'),
      set: () => false,
      remove: () => false,
      list: () => [],
      change: (_key, change) => change(undefined),
    }
    expect(update(store, 'n', () => 1)).toBe(1)
    expect(calls).toHaveLength(3)
  })
})
