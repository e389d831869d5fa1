// All migrations, in order. A released migration is never changed: a change of the schema is a new file and a new line.

import { trace } from './0001-trace.ts'
import { state } from './0002-state.ts'
import { stateExpiry } from './0003-state-expiry.ts'
import { tasks } from './0004-tasks.ts'
import { tracePlaces } from './0005-trace-places.ts'
import { databaseOrigin } from './0006-database-origin.ts'
import { traceIndexes } from './0007-trace-indexes.ts'
import { packedRecords } from './0008-packed-records.ts'

/** The first brings an empty database to version 1, and so on. */
export const MIGRATIONS: readonly string[] = [
  trace,
  state,
  stateExpiry,
  tasks,
  tracePlaces,
  databaseOrigin,
  traceIndexes,
  packedRecords,
]
