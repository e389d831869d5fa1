// What a record adds to the counters. Both stores count by this and nothing else.

import type { Counters, EvaluationCounts } from '../storage/ports.ts'

/** One counter: what is counted, of which hook or hour, under which name. */
export interface Counter {
  readonly scope: Scope
  readonly key: string
  readonly name: string
}

type Scope = 'records' | 'total' | 'hook' | 'hour'

/** What of a record counts. */
export interface Countable {
  readonly kind: string
  readonly action: string
  readonly decision: string | undefined
  readonly hook: string | undefined
  readonly time: number
}

const HOUR_MS = 3_600_000

type Counts = Map<string, number>

/** How much a transaction adds to each counter. */
export class CounterDeltas {
  #records = 0
  #steps = 0
  readonly #byHook = new Map<string, Counts>()
  readonly #byHour = new Map<number, Counts>()

  /** Takes one record in. */
  add({ kind, action, decision, hook, time }: Countable): void {
    this.#records++
    if (kind === 'step') this.#steps++
    if (kind !== 'evaluation') return
    const ofHook = within(this.#byHook, hook ?? '')
    const ofHour = within(this.#byHour, time - (time % HOUR_MS))
    const name = action === 'hook:skip' ? 'skip' : (decision ?? 'pass')
    add(ofHook, name, 1)
    add(ofHour, name, 1)
    if (action !== 'hook:error') return
    add(ofHook, 'error', 1)
    add(ofHour, 'error', 1)
  }

  /** Each counter once, with how much it grows. */
  entries(): (Counter & { readonly count: number })[] {
    const total: Counts = new Map()
    for (const counts of this.#byHour.values()) for (const [name, count] of counts) add(total, name, count)
    const hours = [...this.#byHour].map(([start, counts]) => [new Date(start).toISOString(), counts] as const)
    return [
      ...toCounters('records', '', new Map(Object.entries({ record: this.#records, step: this.#steps }))),
      ...toCounters('total', '', total),
      ...[...this.#byHook].flatMap(([hook, counts]) => toCounters('hook', hook, counts)),
      ...hours.flatMap(([hour, counts]) => toCounters('hour', hour, counts)),
    ].filter(({ count }) => count > 0)
  }
}

function toCounters(scope: Scope, key: string, counts: Counts): (Counter & { readonly count: number })[] {
  return [...counts].map(([name, count]) => ({ scope, key, name, count }))
}

/** Adds counters up for output. The same counter may occur several times. */
export function sumCounters(rows: Iterable<Counter & { readonly count: number }>, hours: number): Counters {
  const records = new Map<string, number>()
  const total = new Map<string, number>()
  const byHook = new Map<string, Map<string, number>>()
  const byHour = new Map<string, Map<string, number>>()
  for (const { scope, key, name, count } of rows) {
    if (scope === 'records') add(records, name, count)
    else if (scope === 'total') add(total, name, count)
    else add(within(scope === 'hook' ? byHook : byHour, key), name, count)
  }
  return {
    records: records.get('record') ?? 0,
    steps: records.get('step') ?? 0,
    total: toEvaluationCounts(total),
    hooks: Object.fromEntries([...byHook].map(([hook, counts]) => [hook, toEvaluationCounts(counts)])),
    hours: [...byHour]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(-hours)
      .map(([hour, counts]) => ({ hour, tally: toEvaluationCounts(counts) })),
  }
}

function add(counts: Counts, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

function within<Key>(map: Map<Key, Counts>, key: Key): Counts {
  const present = map.get(key)
  if (present !== undefined) return present
  const made: Counts = new Map()
  map.set(key, made)
  return made
}

function toEvaluationCounts(counts: ReadonlyMap<string, number>): EvaluationCounts {
  const of = (name: string): number => counts.get(name) ?? 0
  return {
    pass: of('pass'),
    flag: of('flag'),
    ask: of('ask'),
    block: of('block'),
    error: of('error'),
    skip: of('skip'),
  }
}
