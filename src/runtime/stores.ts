// Opens what outlives the process: the trace and the state, both in the one database. When it cannot be opened,
// supervision goes on in memory, and says so.

import { describe } from '../core/errors.ts'
import { DatabaseFile } from '../store/database-file.ts'
import { SqliteStateStore } from '../store/state-store.ts'
import { SqliteTraceStore } from '../store/trace-store.ts'
import { MemoryStateStore } from '../supervision/memory-state.ts'
import type { StateStore } from '../supervision/state.ts'
import { MemoryTraceStore } from '../trace/memory-store.ts'
import type { TraceEntry } from '../trace/record.ts'
import type { Appended, TraceStore } from '../trace/store.ts'
import { databaseFile } from './home.ts'
import { newId } from './ids.ts'
import { type Report, TRACE_TROUBLE, Trouble } from './trouble.ts'

/** The open stores. */
export interface Stores {
  readonly trace: TraceStore
  readonly state: StateStore
  /** False when all of it ends with this process. */
  readonly isDurable: boolean
  /** Told of a trace that cannot be written. */
  readonly trouble: Trouble
  /** Safe to call twice. */
  close(): void
}

/** Opens the stores of a home; told of whatever goes wrong. Never throws. */
export function openStores(home: string, report: Report, waitMs?: number): Stores {
  const trouble = new Trouble(TRACE_TROUBLE, report)
  try {
    const file = databaseFile(home)
    const onSetAside = ({ movedTo, why }: { readonly movedTo: string; readonly why: string }): void =>
      report(`The database was damaged (${why}) and is kept as ${movedTo}; a new one was started.`)
    const shared = new DatabaseFile(file, { onSetAside, waitMs })
    const trace = new SqliteTraceStore(shared, { env: process.env })
    const state = new SqliteStateStore(shared)
    const close = (): void => {
      trouble.end()
      trace.close()
      state.close()
    }
    return { trace, state, isDurable: true, trouble, close }
  } catch (error) {
    report(`Supervision goes on without a lasting record: ${describe(error)}`)
    const trace = new BoundedTrace()
    return { trace, state: new MemoryStateStore(), isDurable: false, trouble, close: () => undefined }
  }
}

const MAX_BYTES = 16 * 1024 * 1024
const LOOK_EVERY = 1_000

// A process that runs for weeks without a disk must not fill its memory.
class BoundedTrace extends MemoryTraceStore {
  #appended = 0

  constructor() {
    super({ env: process.env })
  }

  override append(entry: TraceEntry): Appended {
    const appended = super.append(entry)
    if (++this.#appended % LOOK_EVERY === 0) this.retain({ maxBytes: MAX_BYTES, now: Date.now(), id: newId() })
    return appended
  }
}
