// What a record adds to the counters. Both stores count by this and nothing else.

import type { Counters, Tally } from './store.ts'

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

/** How much a transaction adds to each counter. */
export class Additions {
  readonly #counts = new Map<string, Counter & { count: number }>()
  #hourStart = -1
  #hour = ''

  /** Takes one record in. */
  add({ kind, action, decision, hook, time }: Countable): void {
    this.#one('records', '', 'record')
    if (kind === 'step') this.#one('records', '', 'step')
    if (kind !== 'evaluation') return
    const hour = this.#hourOf(time)
    const isSkip = action === 'hook:skip'
    this.#evaluation(isSkip ? 'skip' : (decision ?? 'pass'), hook ?? '', hour)
    if (action === 'hook:error') this.#evaluation('error', hook ?? '', hour)
  }

  /** Each counter once, with how much it grows. */
  entries(): Iterable<Counter & { readonly count: number }> {
    return this.#counts.values()
  }

  #hourOf(time: number): string {
    const start = time - (time % HOUR_MS)
    if (start !== this.#hourStart) {
      this.#hourStart = start
      this.#hour = new Date(start).toISOString()
    }
    return this.#hour
  }

  #evaluation(name: string, hook: string, hour: string): void {
    this.#one('total', '', name)
    this.#one('hook', hook, name)
    this.#one('hour', hour, name)
  }

  #one(scope: Scope, key: string, name: string): void {
    const id = `${scope}\n${name}\n${key}`
    const present = this.#counts.get(id)
    if (present === undefined) this.#counts.set(id, { scope, key, name, count: 1 })
    else present.count++
  }
}

/** Puts counters together as they are given out. The same counter may come in several portions. */
export function countersFrom(rows: Iterable<Counter & { readonly count: number }>, hours: number): Counters {
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
    total: tallyOf(total),
    hooks: Object.fromEntries([...byHook].map(([hook, counts]) => [hook, tallyOf(counts)])),
    hours: [...byHour]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(-hours)
      .map(([hour, counts]) => ({ hour, tally: tallyOf(counts) })),
  }
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count)
}

function within(map: Map<string, Map<string, number>>, key: string): Map<string, number> {
  const present = map.get(key) ?? new Map<string, number>()
  map.set(key, present)
  return present
}

function tallyOf(counts: ReadonlyMap<string, number>): Tally {
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
