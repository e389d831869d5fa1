// What outlives a process: hosts start one per event, so counters in memory would count nothing.
// Declared here, kept by the store. Synchronous, as the trace is.

/** One value and how often it has been written. */
export interface StateEntry {
  readonly key: string
  /** Plain JSON. */
  readonly value: unknown
  readonly version: number
}

/** Small values by key, changed only by compare-and-set: of two who race, exactly one wins. */
export interface StateStore {
  get(key: string): StateEntry | undefined
  /** Writes if the version is still this one (0: not there yet). False when somebody else was faster. */
  set(key: string, value: unknown, version: number): boolean
  /** Removes if the version is still this one. */
  remove(key: string, version: number): boolean
  /** All whose key begins so, in order of their keys. */
  list(prefix: string): readonly StateEntry[]
}

/**
 * Changes a value however many others do so at once: reads, computes, writes, and begins again when it was too late.
 * `undefined` from `change` leaves all as it is.
 */
export function update<T>(
  store: StateStore,
  key: string,
  change: (value: T | undefined) => T | undefined,
): T | undefined {
  for (;;) {
    const entry = store.get(key)
    const before = entry?.value as T | undefined
    const after = change(before)
    if (after === undefined) return before
    if (store.set(key, after, entry?.version ?? 0)) return after
  }
}
