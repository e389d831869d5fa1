// State that ends with the process: for programs without a database, and over one that must not be written to.

import type { StateEntry, StateStore } from '../ports.ts'

/**
 * State in memory. Given another store, it begins with what that one holds, and what is written stays here.
 * @example
 * const state = new MemoryStateStore()
 */
export class MemoryStateStore implements StateStore {
  readonly #base: StateStore | undefined
  readonly #wall: () => number
  // undefined means a removed value of the base.
  readonly #own = new Map<string, StateEntry | undefined>()
  // When what will expire may go; those looked at longest ago come first.
  readonly #expiry = new Map<string, number>()
  #lastRemoved = 0

  constructor(base?: StateStore, { wall = Date.now }: { readonly wall?: () => number } = {}) {
    this.#base = base
    this.#wall = wall
  }

  get(key: string): StateEntry | undefined {
    return this.#own.has(key) ? this.#own.get(key) : this.#base?.get(key)
  }

  set(key: string, value: unknown, version: number, ttlMs?: number): boolean {
    if (version === 0 && ttlMs !== undefined) this.#sweep()
    const entry = this.get(key)
    if ((entry?.version ?? 0) !== version) return false
    if (ttlMs === undefined) this.#expiry.delete(key)
    else this.#expiry.set(key, this.#wall() + ttlMs)
    const next = entry === undefined ? this.#lastRemoved + 1 : version + 1
    // Copied as JSON, so that no caller shares the object.
    this.#own.set(key, { key, value: JSON.parse(JSON.stringify(value ?? null)) as unknown, version: next })
    return true
  }

  remove(key: string, version: number): boolean {
    const entry = this.get(key)
    if (entry === undefined || entry.version !== version) return false
    this.#lastRemoved = Math.max(this.#lastRemoved, version)
    this.#expiry.delete(key)
    if (this.#base === undefined) this.#own.delete(key)
    else this.#own.set(key, undefined)
    return true
  }

  list(prefix: string): readonly StateEntry[] {
    const found = new Map((this.#base?.list(prefix) ?? []).map((entry) => [entry.key, entry]))
    for (const [key, entry] of this.#own) {
      if (!key.startsWith(prefix)) continue
      if (entry === undefined) found.delete(key)
      else found.set(key, entry)
    }
    return [...found.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
  }
  // A few each time something new comes, in turn: what is not due yet goes to the end.
  #sweep(): void {
    const now = this.#wall()
    for (const [key, at] of [...firstOf(this.#expiry, SWEPT_AT_ONCE)]) {
      this.#expiry.delete(key)
      if (at > now) this.#expiry.set(key, at)
      else this.remove(key, this.get(key)?.version ?? 0)
    }
  }
}

const SWEPT_AT_ONCE = 4

function* firstOf<T>(items: Iterable<T>, count: number): Iterable<T> {
  let at = 0
  for (const item of items) {
    if (at++ >= count) return
    yield item
  }
}
