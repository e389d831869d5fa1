// Opens the stores of a home for read-only commands: a missing database is not created.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { arcHome, databaseFile } from '../platform/home.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import type { StateStore, TraceStore } from '../storage/ports.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { SqliteTraceStore } from '../storage/sqlite/trace-store.ts'

/** The trace; an empty one without a database. */
export function openTrace(): TraceStore {
  return hasDatabase() ? new SqliteTraceStore(databaseFile()) : new MemoryTraceStore()
}

/** The state; an empty one without a database. */
export function openState(): { readonly state: StateStore; close(): void } {
  if (!hasDatabase()) return { state: new MemoryStateStore(), close: () => undefined }
  const state = new SqliteStateStore(databaseFile())
  return { state, close: () => state.close() }
}

function hasDatabase(): boolean {
  return existsSync(join(arcHome(), 'arc.db'))
}
