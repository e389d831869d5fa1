// Opens the trace and the state, both in one database. If the database cannot be opened, supervision continues in memory, and
// reports it.

import { describe } from '../engine/errors.ts'
import { databaseFile } from '../platform/home.ts'
import { newId } from '../platform/ids.ts'
import type { Anchor, Mismatch } from '../trace/anchors.ts'
import type { TraceEntry } from '../trace/record.ts'
import { anchorFiles } from './anchor-paths.ts'
import { DiskReserve } from './disk-reserve.ts'
import { type Gap, GapNotes } from './gap-notes.ts'
import { GapTracker, gapEntry } from './gap-tracker.ts'
import { MemoryStateStore } from './memory/state-store.ts'
import { MemoryTraceStore } from './memory/trace-store.ts'
import type { Appended, StateStore, TraceStore } from './ports.ts'
import { RepeatedFailure, type ReportFailure, TRACE_FAILURE } from './repeated-failure.ts'
import { AnchorWriter } from './sqlite/anchor-writer.ts'
import { DatabaseFile } from './sqlite/database-file.ts'
import { setAsideIfCut } from './sqlite/open.ts'
import { SqliteStateStore } from './sqlite/state-store.ts'
import { TraceRetention } from './sqlite/trace-retention.ts'
import { SqliteTraceStore } from './sqlite/trace-store.ts'
import { update } from './state.ts'

/** The open stores. */
export interface Stores {
  readonly trace: TraceStore
  readonly state: StateStore
  /** False when all of it ends with this process. */
  readonly isDurable: boolean
  /** Receives failures to write the trace. The stores report them. */
  readonly traceFailure: RepeatedFailure
  /** The entries that are not recorded, until the gap is recorded. */
  gap(): Gap | undefined
  /** Another process keeps the database locked. */
  readonly isBlocked: boolean
  /** Commits everything that was written so far. False if something is not recorded. */
  flush(): boolean
  /** The end of the chain, noted outside of the database; undefined where there is no durable record. */
  anchor(): Anchor | undefined
  /** That the database is not the one that was noted: told once. */
  takeMismatch(): string | undefined
  /** Retention of the database; undefined where there is no durable record. Closed with the stores. */
  openRetention(): TraceRetention | undefined
  /** Safe to call twice. */
  close(): void
}

export interface StoresOptions {
  /** How long to wait for a locked database; default 30 s. */
  readonly waitMs?: number | undefined
  /** Writes of the state share a commit with the trace entries of the same turn: for a daemon. */
  readonly isGrouped?: boolean | undefined
}

/** Opens the stores of a home and reports every failure. Never throws. */
export function openStores(home: string, report: ReportFailure, options: StoresOptions = {}): Stores {
  const notes = new GapNotes(home)
  const gaps = new GapTracker(notes, report)
  const reserve = new DiskReserve(home)
  const open = (): Stores => openDurable({ home, report, notes, gaps, reserve }, options)
  try {
    return open()
  } catch (error) {
    // A full disk: what is given up is enough to open the database.
    if (reserve.giveUp()) return openStores(home, report, options)
    report(`Supervision continues without a durable record: ${describe(error)}`)
    return openInMemory(gaps, error)
  }
}

interface Parts {
  readonly home: string
  readonly report: ReportFailure
  readonly notes: GapNotes
  readonly gaps: GapTracker
  readonly reserve: DiskReserve
}

function openDurable(parts: Parts, { waitMs, isGrouped = false }: StoresOptions): Stores {
  const { home, report, notes, gaps, reserve } = parts
  const traceFailure = new RepeatedFailure(TRACE_FAILURE, () => undefined)
  const onSetAside = ({ movedTo, why }: { readonly movedTo: string; readonly why: string }): void =>
    report(`The database was damaged (${why}) and is kept as ${movedTo}; a new one was started.`)
  // Only a daemon runs long enough to make the reserve again.
  const onCommitted = isGrouped ? (): void => reserve.makeSometimes() : undefined
  const makeRoom = (): boolean => reserve.giveUp()
  const shared = new DatabaseFile(
    databaseFile(home),
    { onSetAside, waitMs },
    { isGrouped, gaps, makeRoom, onCommitted },
  )
  checkLength(shared)
  const trace = new SqliteTraceStore(shared, { env: process.env })
  const state = new SqliteStateStore(shared)
  if (isGrouped) reserve.make()
  recordNotes(notes, { trace, state, traceFailure })
  let untold: string | undefined
  const takeMismatch = (): string | undefined => {
    const message = untold
    untold = undefined
    return message
  }
  const anchors = new AnchorWriter(shared, {
    files: anchorFiles(home),
    onMismatch: (mismatch) => {
      untold = mismatch.message
      report(`${mismatch.message} Look at it with \`arc trace verify\`.`)
      void traceFailure.settle(trace.append(mismatchEntry(mismatch)))
    },
    onFailure: (error) =>
      report(`The end of the record could not be noted outside of the database: ${describe(error)}`),
  })
  let isClosed = false
  const close = (): void => {
    if (isClosed) return
    isClosed = true
    anchors.close()
    trace.close()
    state.close()
  }
  return {
    ...{ trace, state, isDurable: true, traceFailure, takeMismatch, close },
    gap: () => gaps.gap,
    get isBlocked() {
      return shared.queue.isBlocked
    },
    openRetention: () => new TraceRetention(shared),
    flush: () => shared.queue.flush(),
    anchor: () => anchors.note(),
  }
}

const checked = new Set<string>()

// Once, before the first connection of this process.
function checkLength({ path, options }: DatabaseFile): void {
  if (checked.has(path)) return
  checked.add(path)
  setAsideIfCut(path, options)
}

// Every entry is part of the gap, from the first on.
function openInMemory(gaps: GapTracker, error: unknown): Stores {
  const traceFailure = new RepeatedFailure(TRACE_FAILURE, () => undefined)
  return {
    trace: new BoundedTrace(gaps, error),
    state: new MemoryStateStore(),
    ...{ isDurable: false, isBlocked: false, traceFailure },
    gap: () => gaps.gap,
    openRetention: () => undefined,
    flush: () => false,
    anchor: () => undefined,
    takeMismatch: () => undefined,
    close: () => gaps.end(),
  }
}

const NOTE_TTL_MS = 86_400_000
// A process that claimed a note and ended must not keep others from it.
const CLAIM_MS = 10_000

// Processes that ended left notes of entries that they could not record. Of several processes that read a note, one wins.
function recordNotes(notes: GapNotes, stores: Pick<Stores, 'trace' | 'state' | 'traceFailure'>): void {
  const { trace, state, traceFailure } = stores
  for (const { isOver, ...gap } of notes.list()) {
    if (!isOver) continue
    try {
      if (trace.get(gap.id).found !== 'nothing') notes.remove(gap.id)
      else if (claimNote(state, gap.id)) {
        void traceFailure.settle(trace.append(gapEntry(gap, 0))).then((isRecorded) => {
          if (isRecorded) notes.remove(gap.id)
        })
      }
    } catch {
      // The database cannot be written now: the note stays for the next process.
      return
    }
  }
}

function claimNote(state: StateStore, id: string): boolean {
  const now = Date.now()
  let isOwn = false
  const claim = (before: number | undefined): number | undefined => {
    isOwn = before === undefined || Math.abs(now - before) > CLAIM_MS
    return isOwn ? now : undefined
  }
  update<number>(state, `gap:${id}`, claim, NOTE_TTL_MS)
  return isOwn
}

// Recorded in the database that is there now.
function mismatchEntry({ kind, message, expected, found }: Mismatch): TraceEntry {
  const what = { component: 'trace', action: 'trace:mismatch', level: 'error', reason: message } as const
  return { ...what, id: newId(), time: Date.now(), metadata: { kind, expected, found } }
}

const MAX_BYTES = 16 * 1024 * 1024
const LOOK_EVERY = 1_000

// A process that runs for weeks without a disk must not fill its memory.
class BoundedTrace extends MemoryTraceStore {
  readonly #gaps: GapTracker
  readonly #error: unknown
  #appended = 0

  constructor(gaps: GapTracker, error: unknown) {
    super({ env: process.env })
    this.#gaps = gaps
    this.#error = error
  }

  /** Rejects: what is only in memory is not on record. */
  override async append(entry: TraceEntry): Promise<Appended> {
    await super.append(entry)
    this.#gaps.add([Date.now()], this.#error)
    if (++this.#appended % LOOK_EVERY === 0) this.retain({ maxBytes: MAX_BYTES, now: Date.now(), id: newId() })
    throw this.#error
  }
}
