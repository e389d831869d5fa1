// Anchors: ends of the chain that were noted outside of the database. The chain alone shows that a record was changed;
// anchors show that the whole chain was rewritten, shortened or replaced. Pure: reads no file.

import { isRecord } from '../engine/plain-data.ts'
import type { Checkpoint } from './chain.ts'

/** The end of the chain at one time. */
export interface Anchor extends Checkpoint {
  /** Which database. */
  readonly database: string
  /** When it was noted, in ISO form. */
  readonly time: string
  /** What was found wrong at that time; the notes before it are of what was there before. */
  readonly mismatch?: MismatchKind | undefined
  /** Which home, where anchors of several are together. */
  readonly home?: string | undefined
}

/**
 * What is wrong. `rewritten`: the record with an anchored number is another one. `shortened`: the chain ends before it.
 * `swapped`: it is another database. `removed`: a new one was started, or there is none. `unanchored`: anchors were
 * written and are gone. `younger`: the home is older than its database.
 */
type MismatchKind = 'rewritten' | 'shortened' | 'swapped' | 'removed' | 'unanchored' | 'younger'

export interface Mismatch {
  readonly kind: MismatchKind
  readonly message: string
  /** What was anchored, and where. */
  readonly expected?: (Anchor & { readonly source?: string | undefined }) | undefined
  readonly found?: { readonly database?: string | undefined; readonly seq: number; readonly hash?: string | undefined }
}

/** The database as it is now. */
export interface TraceFacts {
  readonly database: string
  /** Wall-clock milliseconds; 0 where it is not known. */
  readonly created: number
  readonly isAnchored: boolean
  readonly cut: Checkpoint
  readonly head: Checkpoint
  hashAt(seq: number): string | undefined
}

/**
 * What is wrong with the database by one anchor; undefined if nothing is.
 * @example
 * mismatchOf(anchor, facts)?.kind   // 'shortened'
 */
export function findMismatch(anchor: Anchor, facts: TraceFacts, source?: string): Mismatch | undefined {
  const { database, head, cut } = facts
  const expected = { ...anchor, source }
  const noted = `record ${anchor.seq} was noted at ${anchor.time}`
  if (anchor.database !== database) {
    const found = { database, seq: head.seq, hash: head.hash }
    const isNew = head.seq === 0 || facts.created > Date.parse(anchor.time)
    return isNew
      ? {
          kind: 'removed',
          message: `The database was removed and a new one started: ${noted} in another.`,
          expected,
          found,
        }
      : { kind: 'swapped', message: `The database was swapped for another one: ${noted} in another.`, expected, found }
  }
  if (head.seq < anchor.seq) {
    const message = `The record was shortened or an older copy restored: ${noted}, and it ends at ${head.seq} now.`
    return { kind: 'shortened', message, expected, found: { database, seq: head.seq, hash: head.hash } }
  }
  // What retention removed can no longer be compared.
  if (anchor.seq < cut.seq || anchor.seq === 0) return undefined
  const hash = anchor.seq === cut.seq ? cut.hash : facts.hashAt(anchor.seq)
  if (hash === anchor.hash) return undefined
  const message = `The record was rewritten: ${noted} with another hash.`
  return { kind: 'rewritten', message, expected, found: { database, seq: anchor.seq, hash } }
}

/** The line of an anchor, as it is written everywhere. */
export function formatAnchor({ database, seq, hash, time, mismatch, home }: Anchor): string {
  return JSON.stringify({ arc: 'anchor', database, seq, hash, time, mismatch, home })
}

/** The anchors in a text: whole lines, or lines of a system log that end with one. Other lines are skipped. */
export function readAnchors(text: string): Anchor[] {
  return text.split('\n').flatMap((line) => {
    const start = line.indexOf('{"arc":"anchor"')
    const anchor = start === -1 ? undefined : readAnchor(line.slice(start))
    return anchor === undefined ? [] : [anchor]
  })
}

function readAnchor(line: string): Anchor | undefined {
  try {
    const read: unknown = JSON.parse(line.slice(0, line.lastIndexOf('}') + 1))
    if (!isRecord(read)) return undefined
    const { database, seq, hash, time, mismatch, home } = read
    const isWhole = typeof database === 'string' && typeof hash === 'string' && typeof time === 'string'
    if (!isWhole || !Number.isSafeInteger(seq)) return undefined
    const known = { database, seq: seq as number, hash, time, mismatch: mismatch as MismatchKind | undefined }
    return typeof home === 'string' ? { ...known, home } : known
  } catch {
    // Cut off in the middle: the anchor before it counts.
    return undefined
  }
}
