// What every store of state must do, as cases that run under any test runner.

import assert from 'node:assert/strict'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'

/** Makes empty stores. */
export interface StateStoreMaker {
  make(): StateStore
  /** Called after each case. */
  dispose?(): void
}

/** One case of the contract. */
export interface StateStoreCase {
  readonly title: string
  /** Throws when a store breaks the contract. */
  run(maker: StateStoreMaker): void
}

/**
 * The contract.
 * @example
 * for (const { title, run } of stateStoreContract) it(title, () => run({ make: () => new MyStateStore() }))
 */
export const stateStoreContract: readonly StateStoreCase[] = [
  contractCase('holds nothing at first', holdsNothing),
  contractCase('keeps a value and counts how often it was written', counts),
  contractCase('refuses to write over what somebody else has written', refusesStale),
  contractCase('refuses to make what is there already', refusesSecond),
  contractCase('removes only the version that was seen', removesSeen),
  contractCase('never takes a value made anew for the one that was removed', tellsAnew),
  contractCase('lists by the beginning of the key, in order', lists),
  contractCase('takes keys as they are: quotes, wildcards and other alphabets', takesKeys),
  contractCase('gives back what plain JSON carries, and shares nothing with who wrote it', sharesNothing),
  contractCase('keeps a value that is nothing apart from no value', keepsNull),
  contractCase('keeps what has its time as it keeps anything else, until that is over', keepsForAWhile),
  contractCase('updates from what is there, and leaves all as it is when there is nothing to change', updates),
  contractCase('loses no update when others write in between', losesNothing),
]

function contractCase(title: string, check: (store: StateStore) => void): StateStoreCase {
  const run = (maker: StateStoreMaker): void => {
    try {
      check(maker.make())
    } finally {
      maker.dispose?.()
    }
  }
  return { title, run }
}

function holdsNothing(store: StateStore): void {
  assert.equal(store.get('a'), undefined)
  assert.deepEqual(store.list(''), [])
  assert.equal(store.remove('a', 0), false)
  assert.equal(store.set('a', 1, 7), false)
  assert.equal(store.get('a'), undefined)
}

function counts(store: StateStore): void {
  assert.equal(store.set('a', { n: 1 }, 0), true)
  assert.deepEqual(store.get('a'), { key: 'a', value: { n: 1 }, version: 1 })
  assert.equal(store.set('a', { n: 2 }, 1), true)
  assert.deepEqual(store.get('a'), { key: 'a', value: { n: 2 }, version: 2 })
}

function refusesStale(store: StateStore): void {
  store.set('a', 'first', 0)
  store.set('a', 'second', 1)
  assert.equal(store.set('a', 'stale', 1), false)
  assert.equal(store.get('a')?.value, 'second')
}

function refusesSecond(store: StateStore): void {
  assert.equal(store.set('a', 'first', 0), true)
  assert.equal(store.set('a', 'second', 0), false)
  assert.equal(store.get('a')?.value, 'first')
}

function removesSeen(store: StateStore): void {
  store.set('a', 1, 0)
  store.set('a', 2, 1)
  assert.equal(store.remove('a', 1), false)
  assert.equal(store.get('a')?.value, 2)
  assert.equal(store.remove('a', 2), true)
  assert.equal(store.remove('a', 2), false)
  assert.equal(store.get('a'), undefined)
}

function tellsAnew(store: StateStore): void {
  store.set('a', 'old', 0)
  const seen = store.get('a')?.version ?? 0
  store.remove('a', seen)
  assert.equal(store.set('a', 'new', 0), true)
  assert.equal(store.set('a', 'by one who saw the old', seen), false)
  assert.equal(store.remove('a', seen), false)
  assert.equal(store.get('a')?.value, 'new')
}

function lists(store: StateStore): void {
  for (const key of ['b:2', 'a', 'b:10', 'b', 'c', 'b:', 'bb']) store.set(key, key, 0)
  const keys = (prefix: string): string[] => store.list(prefix).map(({ key }) => key)
  assert.deepEqual(keys('b:'), ['b:', 'b:10', 'b:2'])
  assert.deepEqual(keys(''), ['a', 'b', 'b:', 'b:10', 'b:2', 'bb', 'c'])
  assert.deepEqual(keys('d'), [])
  assert.deepEqual(store.list('c'), [{ key: 'c', value: 'c', version: 1 }])
}

function takesKeys(store: StateStore): void {
  const keys = [
    'a%',
    'a_',
    "a'; DROP TABLE state; --",
    'a*',
    'a[b]',
    'aé',
    'a漢',
    'a😀',
    `a${JSON.stringify('\0\ud800')}`,
  ]
  for (const key of keys) assert.equal(store.set(key, key, 0), true, key)
  for (const key of keys) assert.equal(store.get(key)?.value, key)
  assert.equal(store.list('a').length, keys.length)
  assert.deepEqual(
    store.list('a%').map(({ key }) => key),
    ['a%'],
  )
}

function sharesNothing(store: StateStore): void {
  const value = { list: [1, 'é', null, true], inner: { deep: 1.5 } }
  store.set('a', value, 0)
  value.list.push('later')
  value.inner.deep = 2
  assert.deepEqual(store.get('a')?.value, { list: [1, 'é', null, true], inner: { deep: 1.5 } })
}

function keepsNull(store: StateStore): void {
  assert.equal(store.set('a', null, 0), true)
  assert.equal(store.get('a')?.value, null)
  assert.equal(store.set('a', 1, 0), false)
}

function keepsForAWhile(store: StateStore): void {
  assert.equal(store.set('a', 1, 0, 3_600_000), true)
  for (let at = 0; at < 20; at++) store.set(`other-${at}`, at, 0, 3_600_000)
  assert.equal(store.get('a')?.value, 1)
  assert.equal(store.set('a', 2, store.get('a')?.version ?? 0), true)
  assert.equal(
    update(store, 'a', (value: number | undefined) => (value ?? 0) + 1, 3_600_000),
    3,
  )
  assert.equal(store.list('').length, 21)
}

function updates(store: StateStore): void {
  const add = (value: number | undefined): number => (value ?? 0) + 1
  assert.equal(update(store, 'n', add), 1)
  assert.equal(update(store, 'n', add), 2)
  assert.equal(
    update<number>(store, 'n', () => undefined),
    2,
  )
  assert.deepEqual(store.get('n'), { key: 'n', value: 2, version: 2 })
  assert.equal(
    update<number>(store, 'm', () => undefined),
    undefined,
  )
  assert.equal(store.get('m'), undefined)
}

// Another writer is faster the first few times: the update function sees the written value.
function losesNothing(store: StateStore): void {
  let rivals = 2
  const result = update<number>(store, 'n', (value) => {
    if (rivals-- > 0) store.set('n', (value ?? 0) + 100, store.get('n')?.version ?? 0)
    return (value ?? 0) + 1
  })
  assert.equal(result, 201)
  assert.equal(store.get('n')?.value, 201)
}
