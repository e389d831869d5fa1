// One run of retention beside the work of other processes and calls: batches of a few milliseconds with pauses in
// between, never a long transaction. Archives first, if there is a folder for archives. Only one process does it at a time.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Checkpoint, Link } from '../trace/chain.ts'
import { writeArchiveFile } from './archive-writer.ts'
import { takeLease } from './lease.ts'
import { cutEntry } from './memory/trace-store.ts'
import type { StateStore, TraceStore } from './ports.ts'
import { checkpoint } from './sqlite/checkpointer.ts'
import type { TraceRetention, TraceUsage } from './sqlite/trace-retention.ts'

/** What to keep. A limit that is absent does not apply. */
export interface KeepPolicy {
  /** Remove records older than this wall-clock time in ms. */
  readonly before?: number | undefined
  /** The size of the database file, without free pages. */
  readonly bytes?: number | undefined
}

export interface RetentionRunOptions {
  readonly retention: TraceRetention
  readonly trace: TraceStore
  readonly state: StateStore
  readonly keep: KeepPolicy
  /** The folder for archives. */
  readonly archive?: string | undefined
  /** Also removes records that were changed. */
  readonly isForced?: boolean | undefined
  /** More about the cut, for the record of it. */
  readonly cause?: Readonly<Record<string, unknown>> | undefined
  readonly newId: () => string
  readonly wall?: () => number
  /** Ends the run after the current batch. */
  readonly signal?: AbortSignal | undefined
  /** Receives how many records were removed so far, of how many. */
  readonly onProgress?: ((removed: number, of: number) => void) | undefined
}

/** The result of a run. */
export type RetentionResult =
  | {
      readonly status: 'done'
      readonly removed: number
      readonly cut: Checkpoint
      readonly archives: readonly string[]
    }
  /** Another process is at it. */
  | { readonly status: 'busy'; readonly pid: number }

const LEASE_KEY = 'trace:retention'
const LEASE_MS = 30_000
// A call waits for one batch at most.
const BATCH_MS = 2
const FIRST_BATCH = 50
const MAX_BATCH = 1_000
// Nine tenths of the time belong to the calls.
const PAUSE_RATIO = 9
const MIN_PAUSE_MS = 5
const ARCHIVE_RECORDS = 100_000
const VACUUM_PAGES = 8
// New records use free pages: these stay.
const SPARE_BYTES = 8 * 1024 * 1024
const CHECKPOINT_BATCHES = 20
// Cutting to less than the limit: the next cut is not due at once.
const SIZE_TARGET = 0.95

/**
 * Removes what need not be kept.
 * @example
 * await runRetention({ retention, trace, state, keep: { bytes: 2e9 }, newId })
 */
export async function runRetention(options: RetentionRunOptions): Promise<RetentionResult> {
  const { state, wall = Date.now } = options
  const taken = takeLease(state, LEASE_KEY, { ttlMs: LEASE_MS, wall })
  if ('heldBy' in taken) return { status: 'busy', pid: taken.heldBy }
  const run = new RetentionRun(options, () => taken.lease.renew())
  try {
    return await run.run()
  } finally {
    taken.lease.release()
  }
}

/** The last record that a run would remove; the number of the cut if none. */
export async function findCut({ retention, keep, signal }: Pick<RetentionRunOptions, 'retention' | 'keep' | 'signal'>) {
  const search = retention.search(toTextLimit(keep, retention.usage()))
  while (search.next() && signal?.aborted !== true) await sleep(MIN_PAUSE_MS)
  return search.upTo
}

class RetentionRun {
  readonly #options: RetentionRunOptions
  readonly #renew: () => boolean
  readonly #archives: string[] = []
  #batch = FIRST_BATCH
  #batches = 0
  #removed = 0
  #planned = 0

  constructor(options: RetentionRunOptions, renew: () => boolean) {
    this.#options = options
    this.#renew = renew
  }

  async run(): Promise<RetentionResult> {
    const { retention } = this.#options
    const before = retention.usage()
    const upTo = await findCut(this.#options)
    this.#planned = Math.max(0, upTo - before.cut.seq)
    try {
      await this.#removeUpTo(upTo, before.database)
    } finally {
      await this.#record(before.cut.seq)
    }
    await this.#vacuum()
    const { cut } = retention.usage()
    return { status: 'done', removed: this.#removed, cut, archives: this.#archives }
  }

  async #removeUpTo(upTo: number, database: string): Promise<void> {
    const { retention, archive } = this.#options
    for (let cut = retention.usage().cut; cut.seq < upTo && this.#mayContinue(); cut = retention.usage().cut) {
      const partEnd = archive === undefined ? upTo : Math.min(upTo, cut.seq + ARCHIVE_RECORDS)
      const to = retention.endOfStep(partEnd)
      if (to === undefined || to.seq <= cut.seq) return
      if (archive !== undefined) {
        const pages = this.#readPages(cut.seq, to.seq)
        this.#archives.push(await writeArchiveFile(archive, { database, from: cut, to }, pages))
      }
      if (!(await this.#removePart(to.seq))) return
    }
  }

  // False when it ended before its end.
  async #removePart(upTo: number): Promise<boolean> {
    const { retention, isForced, onProgress } = this.#options
    while (this.#mayContinue()) {
      const startedAt = performance.now()
      const count = retention.removeBatch({ upTo, limit: this.#batch, isForced })
      if (count === 0) return true
      this.#removed += count
      onProgress?.(this.#removed, this.#planned)
      this.#adapt(performance.now() - startedAt)
      if (++this.#batches % CHECKPOINT_BATCHES === 0) checkpoint(retention.path)
      await this.#pause(performance.now() - startedAt)
    }
    return false
  }

  async *#readPages(after: number, upTo: number): AsyncGenerator<readonly Link[]> {
    for (let last = after; last < upTo; ) {
      if (!this.#mayContinue()) throw new Error('the run was ended')
      const startedAt = performance.now()
      const page = this.#options.retention.links(last, Math.min(this.#batch, upTo - last))
      const end = page.at(-1)
      if (end === undefined) return
      last = end.seq
      await this.#pause(performance.now() - startedAt)
      yield page
    }
  }

  // A run that was killed left its part without a record of the cut: the next one includes it.
  async #record(start: number): Promise<void> {
    const { retention, trace, newId, wall = Date.now, cause } = this.#options
    const { cut } = retention.usage()
    const from = retention.recordedCut() ?? start
    if (cut.seq <= from) return
    const entry = cutEntry(cut, cut.seq - from, wall(), newId())
    const archives = this.#archives.length === 0 ? undefined : this.#archives
    await trace.append({ ...entry, metadata: { ...('metadata' in entry ? entry.metadata : {}), archives, ...cause } })
  }

  async #vacuum(): Promise<void> {
    const { retention } = this.#options
    while (this.#mayContinue() && retention.usage().freeBytes > SPARE_BYTES) {
      const startedAt = performance.now()
      if (retention.vacuum(VACUUM_PAGES) <= 0) return
      if (++this.#batches % CHECKPOINT_BATCHES === 0) checkpoint(retention.path)
      await this.#pause(performance.now() - startedAt)
    }
  }

  #adapt(tookMs: number): void {
    const factor = Math.min(2, Math.max(0.25, BATCH_MS / Math.max(tookMs, 0.1)))
    this.#batch = Math.max(1, Math.min(MAX_BATCH, Math.round(this.#batch * factor)))
  }

  async #pause(tookMs: number): Promise<void> {
    await sleep(Math.max(MIN_PAUSE_MS, tookMs * PAUSE_RATIO))
  }

  #mayContinue(): boolean {
    return this.#options.signal?.aborted !== true && this.#renew()
  }
}

// The file has more than the text of the records: indexes, hashes, the state. Their share stays about the same.
function toTextLimit({ before, bytes }: KeepPolicy, usage: TraceUsage): { before?: number; maxBytes?: number } {
  const isOver = bytes !== undefined && usage.usedBytes > bytes
  return {
    ...(before !== undefined && { before }),
    ...(isOver && { maxBytes: Math.floor((usage.textBytes * bytes * SIZE_TARGET) / usage.usedBytes) }),
  }
}
