// The trace in memory: for tests, and for supervision without a database.
// Does everything the database does, with the same chain, by looking at every record.

import { type Checkpoint, findStartFlaw, GENESIS, type Verification, verifyChain } from '../../trace/chain.ts'
import { CounterDeltas, sumCounters } from '../../trace/counter-deltas.ts'
import { formatCutLine, formatRecordLine } from '../../trace/export.ts'
import {
  buildLogRow,
  type EvaluationRecord,
  type EventRecord,
  type LogRow,
  type StepRecord,
  type TraceEntry,
  type TraceRecord,
} from '../../trace/record.ts'
import { type RedactOptions, Redactor } from '../../trace/redact.ts'
import { buildDrafts, type Head, NO_HEAD, type Sealed, seal } from '../../trace/seal.ts'
import { readFirstStep } from '../../trace/second-step.ts'
import { QUARTER_MS, roundDuration, StatisticsCounter } from '../../trace/statistics.ts'
import {
  type Appended,
  type CounterOptions,
  type Counters,
  DEFAULT_HOURS,
  type Found,
  MAX_NAMED_IDS,
  type Retained,
  type RetainPolicy,
  readLimit,
  type StatisticsRequest,
  type TraceFilter,
  type TraceStatistics,
  type TraceStore,
  type VerifyRequest,
} from '../ports.ts'

/**
 * A trace that ends with the process.
 * @example
 * const trace = new MemoryTraceStore({ env: process.env })
 */
export class MemoryTraceStore implements TraceStore {
  readonly #redactor: Redactor
  readonly #additions = new CounterDeltas()
  #links: Sealed[] = []
  #cut: Checkpoint = GENESIS
  #head: Head = NO_HEAD

  constructor(options: RedactOptions = {}) {
    this.#redactor = new Redactor(options)
  }

  async append(entry: TraceEntry): Promise<Appended> {
    return this.#append(entry)
  }

  query(filter: TraceFilter = {}): LogRow[] {
    return this.records(filter).map(buildLogRow)
  }

  records(filter: TraceFilter = {}): TraceRecord[] {
    const { afterSeq } = filter
    const limit = readLimit(filter)
    const rows = this.#links.filter((link) => matches(link, filter))
    const wanted = afterSeq === undefined ? rows.slice(Math.max(0, rows.length - limit)) : rows.slice(0, limit)
    return wanted.map(toRecord)
  }

  get(id: string): Found {
    const own = this.#links.filter(({ kind }) => kind !== 'evaluation')
    if (id === 'last') return this.#found(own.findLast(({ kind }) => kind === 'step'))
    const exact = own.findLast((link) => link.id === id)
    if (exact !== undefined) return this.#found(exact)
    const ids =
      id === '' ? [] : [...new Set(own.filter((link) => link.id.startsWith(id)).map((link) => link.id))].sort()
    if (ids.length > 1) return { found: 'several', ids: ids.slice(0, MAX_NAMED_IDS) }
    if (ids.length === 1) return this.#found(own.findLast((link) => link.id === ids[0]))
    const evaluation = this.#links.findLast((link) => link.id === id)
    return this.#found(own.find(({ seq }) => seq === evaluation?.step))
  }

  counters({ hours = DEFAULT_HOURS }: CounterOptions = {}): Counters {
    return sumCounters(this.#additions.entries(), hours)
  }

  statistics({ since = 0, onProgress }: StatisticsRequest = {}): TraceStatistics {
    const counter = new StatisticsCounter()
    for (const link of this.#links) if (link.time >= since) count(counter, toRecord(link), link.time)
    onProgress?.(this.#links.length)
    return counter.result()
  }

  verify({ after, onProgress }: VerifyRequest = {}): Verification {
    const start = after !== undefined && after.seq > this.#cut.seq ? after : this.#cut
    const links = this.#links.filter(({ seq }) => seq > start.seq)
    const hash = start === this.#cut ? start.hash : this.#links.find(({ seq }) => seq === start.seq)?.hash
    const firstBad = findStartFlaw(start, hash)
    const { cut: _, ...found } = verifyChain(links, { from: start, head: this.#head })
    onProgress?.(found.records)
    const cut = this.#cut.seq > 0 ? this.#cut : undefined
    return firstBad === undefined ? { ...found, cut } : { ok: false, records: 0, firstBad, cut }
  }

  *export(): IterableIterator<string> {
    if (this.#cut.seq > 0) yield formatCutLine(this.#cut)
    for (const link of this.#links) yield formatRecordLine(link)
  }

  retain({ before, maxBytes, now, id }: RetainPolicy): Retained {
    let bytes = this.#links.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
    const tooOld = (link: Sealed): boolean => before !== undefined && link.clock < before
    const tooMuch = (): boolean => maxBytes !== undefined && bytes > maxBytes
    let removed = 0
    for (const link of this.#links) {
      // A step is never cut apart from its evaluations.
      if (!tooOld(link) && !tooMuch() && link.kind !== 'evaluation') break
      if (removed === 0 && link.kind === 'evaluation') break
      bytes -= Buffer.byteLength(link.body)
      this.#cut = { seq: link.seq, hash: link.hash }
      removed++
    }
    this.#links = this.#links.slice(removed)
    if (removed > 0) this.#append(cutEntry(this.#cut, removed, now, id))
    return { removed, cut: this.#cut }
  }

  close(): void {
    // Nothing is held outside of the object.
  }

  #append(entry: TraceEntry): Appended {
    const drafts = buildDrafts(entry, this.#redactor)
    const sealed = seal(drafts, this.#head)
    for (const link of sealed) {
      this.#links.push(link)
      this.#additions.add(link)
      this.#head = link
    }
    return { id: drafts[0]?.id ?? '', seqs: sealed.map(({ seq }) => seq) }
  }

  #found(link: Sealed | undefined): Found {
    if (link === undefined) return { found: 'nothing' }
    if (link.kind === 'event') return { found: 'event', record: toRecord(link) as EventRecord }
    const evaluations = this.#links.filter(({ step }) => step === link.seq)
    return {
      found: 'step',
      record: toRecord(link) as StepRecord,
      evaluations: evaluations.map((evaluation) => toRecord(evaluation) as EvaluationRecord),
    }
  }
}

/** The event that records a cut. */
export function cutEntry({ seq, hash }: Checkpoint, removed: number, time: number, id: string): TraceEntry {
  const reason = `removed ${removed} records, up to ${seq}`
  return { id, time, component: 'trace', action: 'trace:cut', reason, metadata: { seq, hash, removed } }
}

function matches(link: Sealed, filter: TraceFilter): boolean {
  const { component, action, session, hook, decision, since, afterSeq, beforeSeq, steps } = filter
  if (link.kind === 'step' && steps !== true) return false
  if (afterSeq !== undefined && link.seq <= afterSeq) return false
  if (beforeSeq !== undefined && link.seq >= beforeSeq) return false
  if (since !== undefined && link.time < since) return false
  const wanted: [unknown, unknown][] = [
    [component, link.component],
    [action, link.action],
    [session, link.session],
    [hook, link.hook],
    [decision, link.decision],
  ]
  return wanted.every(([asked, has]) => asked === undefined || asked === has)
}

function count(counter: StatisticsCounter, record: TraceRecord, time: number): void {
  if (record.kind === 'step' && readFirstStep(record) === undefined) counter.addActions(time - (time % QUARTER_MS), 1)
  if (record.kind !== 'evaluation' || record.action === 'hook:skip') return
  const { hook, action, durationMs } = record
  counter.addRuns({ hook, isError: action === 'hook:error', micros: roundDuration(durationMs), count: 1 })
}

function toRecord(link: Sealed): TraceRecord {
  return JSON.parse(link.body) as TraceRecord
}
