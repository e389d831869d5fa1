// Notes the end of the chain outside of the database, and compares the database with what was noted: when it is opened,
// once a second while it is used, and when it is closed. Never on the way of a call.

import { existsSync } from 'node:fs'
import { type Anchor, findMismatch, type Mismatch, type TraceFacts } from '../../trace/anchors.ts'
import { addAnchor, lastAnchor } from './anchor-files.ts'
import type { DatabaseFile } from './database-file.ts'
import { isChanged } from './errors.ts'
import { TraceFactsReader } from './trace-facts.ts'

export interface AnchorWriterOptions {
  /** Where anchors are written: the first file has to be writable, the others are copies. */
  readonly files: readonly [string, ...string[]]
  /** Receives a mismatch between the database and its anchors. */
  readonly onMismatch: (mismatch: Mismatch) => void
  /** Receives the first failure to write anchors. */
  readonly onFailure: (error: unknown) => void
  readonly wall?: () => number
}

const TICK_MS = 1_000

// What this process noted last, by database: several stores of one file share it.
const NOTED = new Map<string, { readonly anchor: Anchor; readonly at: number }>()

/** Keeps the anchors of one database. */
export class AnchorWriter {
  readonly #file: DatabaseFile
  readonly #facts: TraceFactsReader
  readonly #options: AnchorWriterOptions
  readonly #timer: NodeJS.Timeout
  #hasFailed = false
  #isClosed = false

  constructor(file: DatabaseFile, options: AnchorWriterOptions) {
    this.#file = file
    this.#options = options
    this.#facts = new TraceFactsReader(file)
    this.#quietly(() => this.#compareWithFiles())
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref()
  }

  /** Compares and notes, unless another store of this process has just done so. */
  tick(): void {
    const at = NOTED.get(this.#file.path)?.at
    if (at !== undefined && Math.abs(performance.now() - at) < TICK_MS / 2) return
    if (this.#isThere()) this.#quietly(() => void this.#note())
  }

  /** The end of the chain as it is now, noted. */
  note(): Anchor | undefined {
    let anchor: Anchor | undefined
    if (!this.#isThere()) return undefined
    this.#quietly(() => {
      anchor = this.#note()
    })
    return anchor
  }

  /** Notes the end. Safe to call twice; before the database is closed. */
  close(): void {
    clearInterval(this.#timer)
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#isThere()) this.#quietly(() => void this.#note())
    this.#facts.close()
  }

  // Looking must not make a database anew where somebody removed it: that is noticed when it is used again.
  #isThere(): boolean {
    return existsSync(this.#file.path)
  }

  #compareWithFiles(): void {
    // The files first: the database only grows meanwhile.
    const noted = this.#options.files.map((source) => ({ source, anchor: lastAnchor(source) }))
    const found = this.#facts.read((facts) => {
      for (const { source, anchor } of noted) {
        const mismatch = anchor && findMismatch(anchor, facts, source)
        if (mismatch !== undefined) return { mismatch, facts }
      }
      const isUnanchored = facts.isAnchored && noted.every(({ anchor }) => anchor === undefined)
      return isUnanchored ? { mismatch: unanchored(facts), facts } : undefined
    })
    if (found !== undefined) this.#tell(found.mismatch)
    const newest = noted.map(({ anchor }) => anchor).find((anchor) => anchor !== undefined)
    if (found === undefined && newest !== undefined && !NOTED.has(this.#file.path)) this.#remember(newest)
  }

  #note(): Anchor {
    const known = NOTED.get(this.#file.path)?.anchor
    const { facts, mismatch } = this.#facts.read((read) => ({
      facts: { database: read.database, head: read.head, isAnchored: read.isAnchored },
      mismatch: known && findMismatch(known, read),
    }))
    if (mismatch !== undefined) return this.#tell(mismatch)
    const anchor = this.#anchorOf(facts)
    const isNew = known?.seq !== anchor.seq || known.database !== anchor.database
    if (isNew && anchor.seq > 0) this.#write(anchor)
    this.#remember(anchor)
    if (!facts.isAnchored && anchor.seq > 0) this.#facts.setAnchored()
    return anchor
  }

  // From here on the database that is there is the one to compare with; that it was another stays in the files.
  #tell(mismatch: Mismatch): Anchor {
    this.#forget()
    this.#options.onMismatch(mismatch)
    const anchor = this.#facts.read((facts) => ({ ...this.#anchorOf(facts), mismatch: mismatch.kind }))
    this.#write(anchor)
    this.#remember({ ...anchor, mismatch: undefined })
    return anchor
  }

  #anchorOf({ database, head }: Pick<TraceFacts, 'database' | 'head'>): Anchor {
    const time = new Date((this.#options.wall ?? Date.now)()).toISOString()
    return { database, seq: head.seq, hash: head.hash, time }
  }

  #write(anchor: Anchor): void {
    const [own, ...copies] = this.#options.files
    for (const copy of copies) {
      try {
        addAnchor(copy, anchor)
      } catch {
        // A home folder that cannot be written: the file in ARC's own home is what counts.
      }
    }
    addAnchor(own, anchor)
  }

  #remember(anchor: Anchor): void {
    NOTED.set(this.#file.path, { anchor, at: performance.now() })
  }

  #forget(): void {
    NOTED.delete(this.#file.path)
  }

  // Supervision continues without anchors, and this is reported.
  #quietly(work: () => void): void {
    try {
      work()
    } catch (error) {
      // Reported by the writer queue, and over in a moment.
      if (this.#hasFailed || isChanged(error)) return
      this.#hasFailed = true
      this.#options.onFailure(error)
    }
  }
}

function unanchored({ database, head }: TraceFacts): Mismatch {
  const message = 'The anchors of this database were removed: ends of its record were noted before, and none are left.'
  return { kind: 'unanchored', message, found: { database, seq: head.seq, hash: head.hash } }
}
