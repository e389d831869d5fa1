// Stores the strictness record twice: in the state of the home, and in a file outside of it, so that deleting the home
// does not delete the record. See docs/decisions/0016-what-was-last-in-force.md.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { resolveRealPath, stateDir } from '../platform/home.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import {
  mergeStrictnessRecords,
  parseStrictnessRecord,
  type StrictnessRecord,
  type StrictnessStore,
} from './strictness.ts'

const KEY = 'config:in-force'

// The second copy, outside of the home.
function strictnessFile(home: string): string {
  const path = resolve(home)
  const name = join(resolveRealPath(dirname(path)), basename(path))
  return join(stateDir(), `in-force-${createHash('sha256').update(name).digest('hex').slice(0, 24)}.json`)
}

/** The record of a home; without a state only the second copy is used. Reading never throws. */
export function openStrictnessStore(home: string, state?: StateStore): StrictnessStore {
  const file = strictnessFile(home)
  return {
    get: () => mergeStrictnessRecords(inState(state), inFile(file)),
    set(record) {
      if (state !== undefined && !isDeepStrictEqual(inState(state), record))
        update<StrictnessRecord>(state, KEY, () => record)
      if (!isDeepStrictEqual(inFile(file), record)) write(file, { home: resolve(home), ...record })
    },
  }
}

/** The store for reading only. */
export function readOnlyStrictness({ get }: StrictnessStore): StrictnessStore {
  return { get, set: () => undefined }
}

function inState(state: StateStore | undefined): StrictnessRecord | undefined {
  try {
    return parseStrictnessRecord(state?.get(KEY)?.value)
  } catch {
    // The state cannot be read: only the second copy is used.
    return undefined
  }
}

function inFile(file: string): StrictnessRecord | undefined {
  try {
    return parseStrictnessRecord(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // No second copy yet, or a damaged one: only the state is used.
    return undefined
  }
}

function write(file: string, record: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
