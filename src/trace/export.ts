// The trace as lines of JSON that can be checked elsewhere: each record with its hash, and a line for a cut before them.

import { canonicalize } from './canonical.ts'
import { ChainCheck, type Checkpoint, type Link, type Verification } from './chain.ts'

/** The line of one record. It contains the text as it was hashed. */
export function formatRecordLine({ seq, body, hash }: Link): string {
  return `{"hash":"${hash}","record":${body},"seq":${seq}}`
}

/** The line of a cut: the records up to there are gone. */
export function formatCutLine({ seq, hash }: Checkpoint): string {
  return canonicalize({ cut: { hash, seq } })
}

/** The first line of an archive: the records that it holds, and what they follow. */
export interface ArchiveHeader {
  readonly database: string
  /** The record before the first one. */
  readonly from: Checkpoint
  /** The last record. */
  readonly to: Checkpoint
}

export function formatArchiveLine({ database, from, to }: ArchiveHeader): string {
  const ends = { from: { hash: from.hash, seq: from.seq }, to: { hash: to.hash, seq: to.seq } }
  return canonicalize({ archive: { database, ...ends } })
}

/**
 * Checks exported lines, wherever they were taken to. Pass the end of the chain to notice a lost tail.
 * @example
 * verifyExport(readFileSync('trace.jsonl', 'utf8').split('\n'))
 */
export function verifyExport(lines: Iterable<string>, head?: Checkpoint): Verification {
  const check = new ExportCheck()
  for (const line of lines) if (!check.add(line)) break
  return check.end(head)
}

/** Checks exported lines one by one, for exports that do not fit into memory. */
export class ExportCheck {
  #check: ChainCheck | undefined
  #archive: ArchiveHeader | undefined
  #records = 0

  get records(): number {
    return this.#records
  }

  /** What the first line says of an archive. */
  get archive(): ArchiveHeader | undefined {
    return this.#archive
  }

  /** Takes the next line; false once a record was bad. */
  add(line: string): boolean {
    if (line.trim() === '') return true
    const read = readLine(line)
    if (!('link' in read)) {
      // Only before the records: in between it would hide that some are missing.
      if (this.#check !== undefined) return this.#check.add(UNREADABLE)
      this.#archive = 'archive' in read ? read.archive : undefined
      this.#check = new ChainCheck({ from: 'archive' in read ? read.archive.from : read.cut })
      return true
    }
    this.#check ??= new ChainCheck()
    const isGood = this.#check.add(read.link)
    if (isGood) this.#records++
    return isGood
  }

  end(head?: Checkpoint): Verification {
    return (this.#check ?? new ChainCheck()).end(head ?? this.#archive?.to)
  }
}

// Its number is out of order everywhere.
const UNREADABLE: Link = { seq: Number.NaN, hash: '', body: '' }

interface ExportedLine {
  readonly hash?: unknown
  readonly record?: unknown
  readonly seq?: unknown
  readonly cut?: unknown
  readonly archive?: unknown
}

// A line that cannot be read is a record that is not what it was.
function readLine(line: string): { cut: Checkpoint } | { archive: ArchiveHeader } | { link: Link } {
  try {
    const { hash, record, seq, cut, archive } = JSON.parse(line) as ExportedLine
    if (isCheckpoint(cut)) return { cut }
    if (isArchive(archive)) return { archive }
    return { link: { seq: Number(seq), hash: String(hash), body: canonicalize(record) } }
  } catch {
    return { link: UNREADABLE }
  }
}

function isArchive(archive: unknown): archive is ArchiveHeader {
  const { database, from, to } = (archive ?? {}) as Partial<ArchiveHeader>
  return typeof database === 'string' && isCheckpoint(from) && isCheckpoint(to)
}

function isCheckpoint(cut: unknown): cut is Checkpoint {
  const { seq, hash } = (cut ?? {}) as Partial<Checkpoint>
  return Number.isSafeInteger(seq) && typeof hash === 'string'
}
