// The trace as lines of JSON that can be checked elsewhere: each record with its hash, and a line for a cut before them.

import { canonicalize } from './canonical.ts'
import { type Checkpoint, GENESIS, type Link, type Verification, verifyChain } from './chain.ts'

/** The line of one record. It contains the text as it was hashed. */
export function formatRecordLine({ seq, body, hash }: Link): string {
  return `{"hash":"${hash}","record":${body},"seq":${seq}}`
}

/** The line of a cut: the records up to there are gone. */
export function formatCutLine({ seq, hash }: Checkpoint): string {
  return canonicalize({ cut: { hash, seq } })
}

/**
 * Checks exported lines, wherever they were taken to. Pass the end of the chain to notice a lost tail.
 * @example
 * verifyExport(readFileSync('trace.jsonl', 'utf8').split('\n'))
 */
export function verifyExport(lines: Iterable<string>, head?: Checkpoint): Verification {
  const links: Link[] = []
  let from: Checkpoint = GENESIS
  for (const line of lines) {
    if (line.trim() === '') continue
    const read = readLine(line)
    if ('cut' in read) from = read.cut
    else links.push(read.link)
  }
  return verifyChain(links, { from, head })
}

interface ExportedLine {
  readonly hash?: unknown
  readonly record?: unknown
  readonly seq?: unknown
  readonly cut?: unknown
}

// A line that cannot be read is a record that is not what it was.
function readLine(line: string): { cut: Checkpoint } | { link: Link } {
  try {
    const { hash, record, seq, cut } = JSON.parse(line) as ExportedLine
    if (isCheckpoint(cut)) return { cut }
    return { link: { seq: Number(seq), hash: String(hash), body: canonicalize(record) } }
  } catch {
    return { link: { seq: Number.NaN, hash: '', body: '' } }
  }
}

function isCheckpoint(cut: unknown): cut is Checkpoint {
  const { seq, hash } = (cut ?? {}) as Partial<Checkpoint>
  return Number.isSafeInteger(seq) && typeof hash === 'string'
}
