// Finds records: by filter, by id, by time. Each question is answered from lists of places, in order, and stops at its
// limit, so that the answer takes as long on a million records as on a thousand.

import {
  buildLogRow,
  type EvaluationRecord,
  type EventRecord,
  type LogRow,
  type StepRecord,
  type TraceRecord,
} from '../../trace/record.ts'
import { type Found, MAX_NAMED_IDS, readLimit, type TraceFilter } from '../ports.ts'
import { findSegment, type IndexedColumns, type IndexKey, type TraceIndex } from './trace-index.ts'
import type { TraceClass, TraceRow, TraceRows } from './trace-rows.ts'

// What lies between these is looked for, from one end or the other.
interface Wanted {
  readonly filter: TraceFilter
  readonly classes: readonly number[]
  readonly after: number
  readonly limit: number
  readonly isAscending: boolean
}

// Few parts are enough for what is common; what is rare takes many.
const FIRST_PARTS = 4
const MOST_PARTS = 256

export class TraceReader {
  readonly #rows: TraceRows
  readonly #places: TraceIndex

  constructor(rows: TraceRows, places: TraceIndex) {
    this.#rows = rows
    this.#places = places
  }

  query(filter: TraceFilter): LogRow[] {
    return this.records(filter).map(buildLogRow)
  }

  records(filter: TraceFilter): TraceRecord[] {
    const { afterSeq, since } = filter
    if (afterSeq !== undefined && isForAll(filter)) return this.#next(afterSeq, filter)
    const classes = this.#rows.classes().filter((row) => isWanted(row, filter))
    const after = Math.max(afterSeq ?? 0, since === undefined ? 0 : this.firstSince(since) - 1)
    const seqs = this.#find({
      filter,
      classes: classes.map(({ id }) => id),
      after,
      limit: readLimit(filter),
      isAscending: afterSeq !== undefined,
    })
    return seqs.flatMap((seq) => {
      const body = this.#rows.body(seq)
      return body === undefined ? [] : [JSON.parse(body) as TraceRecord]
    })
  }

  get(id: string): Found {
    if (id === 'last') return this.#found(this.#lastStep())
    if (id === '') return { found: 'nothing' }
    const exact = this.#newestWith(id)
    if (exact !== undefined) return this.#found(exact)
    const ids = this.#idsFrom(id)
    if (ids.length > 1) return { found: 'several', ids }
    if (ids.length === 1) return this.#found(this.#newestWith(ids[0] as string))
    // An evaluation is named after its step.
    return this.#found(this.#newestWith(id.replace(/\.\d+$/, '')))
  }

  /** The first record from which on the clock shows at least this time; one past the head if none. */
  firstSince(time: number): number {
    let low = this.#rows.end('cut').seq + 1
    let high = this.#rows.end('head').seq + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#rows.clock(middle) ?? 0) >= time) high = middle
      else low = middle + 1
    }
    return low
  }

  // Whoever follows everything needs no list but the records themselves.
  #next(after: number, filter: TraceFilter): TraceRecord[] {
    const { beforeSeq = Number.POSITIVE_INFINITY } = filter
    const page = this.#rows.page(after, readLimit(filter))
    return page.filter(({ seq }) => seq < beforeSeq).map(recordOf)
  }

  // In order; when there are more than wanted, those nearest to the end that was asked for.
  #find(given: Wanted): number[] {
    // Lists may still name what was cut.
    const wanted = { ...given, after: Math.max(given.after, this.#rows.end('cut').seq) }
    const { limit, isAscending } = wanted
    if (limit === 0) return []
    const recent = this.#unsettled(wanted)
    if (!isAscending && recent.length >= limit) return recent.slice(recent.length - limit)
    const older = this.#settled(wanted, isAscending ? limit : limit - recent.length)
    const all = [...older, ...recent]
    return isAscending ? all.slice(0, limit) : all.slice(Math.max(0, all.length - limit))
  }

  #unsettled({ filter, classes, after }: Wanted): number[] {
    const { session, hook, since, beforeSeq } = filter
    const own = new Set(classes)
    const is = (mark: IndexedColumns): boolean =>
      own.has(mark.class) &&
      (session === undefined || mark.session === session) &&
      (hook === undefined || mark.hook === hook) &&
      (since === undefined || mark.time >= since) &&
      (beforeSeq === undefined || mark.seq < beforeSeq)
    return this.#places
      .readUnindexed(after)
      .filter(is)
      .map(({ seq }) => seq)
  }

  #settled(wanted: Wanted, limit: number): number[] {
    let { after } = wanted
    let before = Math.min(this.#places.indexedUpTo() + 1, wanted.filter.beforeSeq ?? Number.POSITIVE_INFINITY)
    let seqs: number[] = []
    for (const of of wanted.classes) {
      seqs = seqs.concat(this.#ofClass(of, { ...wanted, after, limit }, before)).sort((a, b) => a - b)
      if (seqs.length < limit) continue
      // What is beyond these no other class has to be looked through for.
      seqs = wanted.isAscending ? seqs.slice(0, limit) : seqs.slice(seqs.length - limit)
      if (wanted.isAscending) before = seqs.at(-1) as number
      else after = seqs[0] as number
    }
    return seqs
  }

  #ofClass(of: number, { filter, after, limit, isAscending }: Wanted, before: number): number[] {
    const { since } = filter
    const [key, other] = keysOf(of, filter)
    const isFound = (seq: number): boolean =>
      seq > after && seq < before && (since === undefined || (this.#rows.time(seq) ?? 0) >= since)
    const found: number[] = []
    let first = findSegment(after + 1)
    let last = findSegment(before - 1)
    for (let count = FIRST_PARTS; ; count = Math.min(count * 4, MOST_PARTS)) {
      const parts = this.#places.findSegments(key, other, { first, last, isAscending, limit: count })
      for (const { seqs } of parts) found.push(...seqs.filter(isFound))
      const end = parts.at(-1)?.part
      if (end === undefined || parts.length < count || found.length >= limit) return found
      if (isAscending) first = end + 1
      else last = end - 1
    }
  }

  #lastStep(): TraceRow | undefined {
    const steps = this.#rows.classes().filter(({ kind }) => kind === 'step')
    const classes = steps.map(({ id }) => id)
    const [seq] = this.#find({ filter: {}, classes, after: 0, limit: 1, isAscending: false })
    return seq === undefined ? undefined : this.#rows.one(seq)
  }

  #newestWith(id: string): TraceRow | undefined {
    const recent = this.#places.readUnindexed().findLast((mark) => mark.id === id)
    const seq = recent?.seq ?? this.#places.newestWith(id)
    return seq === undefined ? undefined : this.#rows.one(seq)
  }

  // The first few different ids that begin so: each one is sought behind the last, whatever is repeated in between.
  #idsFrom(prefix: string): string[] {
    const ids = new Set<string>()
    for (const { id } of this.#places.readUnindexed()) if (id?.startsWith(prefix) === true) ids.add(id)
    let last = prefix
    for (let count = 0; count < MAX_NAMED_IDS; count++) {
      const id = this.#places.idAfter(last)
      if (id === undefined || !id.startsWith(prefix)) break
      ids.add(id)
      last = id
    }
    return [...ids].sort().slice(0, MAX_NAMED_IDS)
  }

  #found(row: TraceRow | undefined): Found {
    if (row === undefined) return { found: 'nothing' }
    const record = recordOf(row) as StepRecord | EventRecord
    if (record.kind === 'event') return { found: 'event', record }
    const following = record.evaluations > 0 ? this.#rows.page(row.seq, record.evaluations) : []
    const evaluations = following.filter(({ step }) => step === row.seq)
    return { found: 'step', record, evaluations: evaluations.map((own) => recordOf(own) as EvaluationRecord) }
  }
}

function isForAll({ component, action, session, hook, decision, since, steps }: TraceFilter): boolean {
  return steps === true && [component, action, session, hook, decision, since].every((asked) => asked === undefined)
}

function isWanted(row: TraceClass, { component, action, decision, steps }: TraceFilter): boolean {
  if (row.kind === 'step' && steps !== true) return false
  if (component !== undefined && row.component !== component) return false
  if (action !== undefined && row.action !== action) return false
  return decision === undefined || row.decision === decision
}

// The list to go through, and one that must hold the same: a session is the shorter.
function keysOf(of: number, { session, hook }: TraceFilter): readonly [IndexKey, IndexKey?] {
  const keys: IndexKey[] = []
  if (session !== undefined) keys.push({ kind: 'session', name: session, class: of })
  if (hook !== undefined) keys.push({ kind: 'hook', name: hook, class: of })
  const [first = { kind: 'class', name: '', class: of }, second] = keys
  return second === undefined ? [first] : [first, second]
}

function recordOf({ body }: TraceRow): TraceRecord {
  return JSON.parse(body) as TraceRecord
}
