// What was verified last, in a file of the home. It only lets `arc trace verify --since last` start later: a whole
// verification never reads it. It proves nothing, since its owner can change it; docs/decisions/0026-what-a-verification-remembers.md says what follows.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'
import type { Checkpoint } from '../trace/chain.ts'

/** The last record that was found good, and when. */
export interface VerifiedRecord extends Checkpoint {
  /** Which database. */
  readonly database: string
  /** In ISO form. */
  readonly time: string
  /** When all records were verified at once, and up to which. */
  readonly whole?: { readonly seq: number; readonly time: string } | undefined
}

/** Reads it; undefined where there is none that can be used. */
export function readVerified(home: string): VerifiedRecord | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(verifiedFile(home), 'utf8'))
    if (!isRecord(read) || !Number.isSafeInteger(read.seq)) return undefined
    const isWhole = typeof read.hash === 'string' && typeof read.database === 'string' && typeof read.time === 'string'
    return isWhole ? (read as unknown as VerifiedRecord) : undefined
  } catch {
    // Never verified, or not ours to read: everything is verified.
    return undefined
  }
}

export function writeVerified(home: string, verified: VerifiedRecord): void {
  const file = verifiedFile(home)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, `${JSON.stringify(verified)}\n`, { mode: 0o600 })
  renameSync(fresh, file)
}

function verifiedFile(home: string): string {
  return join(home, 'anchors', 'verified.json')
}
