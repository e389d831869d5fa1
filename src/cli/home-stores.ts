// What is kept in the home, for commands that only look: where there is nothing yet, nothing is created by looking.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { arcHome, databaseFile } from '../platform/home.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import type { StateStore, TraceStore } from '../storage/ports.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { SqliteTraceStore } from '../storage/sqlite/trace-store.ts'

/** The record; an empty one where nothing is recorded yet. */
export function openTrace(): TraceStore {
  return isKept() ? new SqliteTraceStore(databaseFile()) : new MemoryTraceStore()
}

/** The lasting state; an empty one where there is none yet. */
export function openState(): { readonly state: StateStore; close(): void } {
  if (!isKept()) return { state: new MemoryStateStore(), close: () => undefined }
  const state = new SqliteStateStore(databaseFile())
  return { state, close: () => state.close() }
}

function isKept(): boolean {
  return existsSync(join(arcHome(), 'arc.db'))
}
