// Opens the trace and the state, both in one database. If the database cannot be opened, supervision continues in memory, and
// reports it.

import { describe } from '../engine/errors.ts'
import { databaseFile } from '../platform/home.ts'
import { newId } from '../platform/ids.ts'
import type { Anchor, Mismatch } from '../trace/anchors.ts'
import type { TraceEntry } from '../trace/record.ts'
import { anchorFiles } from './anchor-paths.ts'
import { MemoryStateStore } from './memory/state-store.ts'
import { MemoryTraceStore } from './memory/trace-store.ts'
import type { Appended, StateStore, TraceStore } from './ports.ts'
import { RepeatedFailure, type ReportFailure, TRACE_FAILURE } from './repeated-failure.ts'
import { AnchorWriter } from './sqlite/anchor-writer.ts'
import { DatabaseFile } from './sqlite/database-file.ts'
import { SqliteStateStore } from './sqlite/state-store.ts'
import { TraceRetention } from './sqlite/trace-retention.ts'
import { SqliteTraceStore } from './sqlite/trace-store.ts'

/** The open stores. */
export interface Stores {
  readonly trace: TraceStore
  readonly state: StateStore
  /** False when all of it ends with this process. */
  readonly isDurable: boolean
  /** Receives failures to write the trace. */
  readonly traceFailure: RepeatedFailure
  /** Commits everything that was written so far. */
  flush(): void
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
export function openStores(
  home: string,
  report: ReportFailure,
  { waitMs, isGrouped = false }: StoresOptions = {},
): Stores {
  const traceFailure = new RepeatedFailure(TRACE_FAILURE, report)
  try {
    const file = databaseFile(home)
    const onSetAside = ({ movedTo, why }: { readonly movedTo: string; readonly why: string }): void =>
      report(`The database was damaged (${why}) and is kept as ${movedTo}; a new one was started.`)
    const shared = new DatabaseFile(file, { onSetAside, waitMs }, { isGrouped })
    const trace = new SqliteTraceStore(shared, { env: process.env })
    const state = new SqliteStateStore(shared)
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
      // After the rejections of what could not be written.
      setImmediate(() => traceFailure.end())
    }
    const flush = (): void => shared.queue.flush()
    const openRetention = (): TraceRetention => new TraceRetention(shared)
    const anchor = (): Anchor | undefined => anchors.note()
    return { trace, state, isDurable: true, traceFailure, openRetention, flush, anchor, takeMismatch, close }
  } catch (error) {
    report(`Supervision continues without a durable record: ${describe(error)}`)
    const memory = { trace: new BoundedTrace(), state: new MemoryStateStore(), isDurable: false }
    const none = {
      openRetention: () => undefined,
      flush: () => undefined,
      anchor: () => undefined,
      takeMismatch: () => undefined,
    }
    return { ...memory, ...none, traceFailure, close: () => undefined }
  }
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
  #appended = 0

  constructor() {
    super({ env: process.env })
  }

  override async append(entry: TraceEntry): Promise<Appended> {
    const appended = await super.append(entry)
    if (++this.#appended % LOOK_EVERY === 0) this.retain({ maxBytes: MAX_BYTES, now: Date.now(), id: newId() })
    return appended
  }
}
