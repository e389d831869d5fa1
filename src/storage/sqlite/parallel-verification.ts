// Verifies a long chain in several threads. A record's hash needs only the hash stored before it, so ranges of records can
// be verified independently: each range trusts the record before its first, which the range before it verifies.

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Verification } from '../../trace/chain.ts'
import type { VerifyRequest } from '../ports.ts'
import { Connection } from './connection.ts'
import { ChainWalk, prepareVerification, type VerifyRange, type VerifyStatements } from './trace-verification.ts'

export interface VerifyFileOptions extends VerifyRequest {
  /** Default: one for each processor, 8 at most. */
  readonly threads?: number | undefined
  /** The records of a range. */
  readonly rangeSize?: number | undefined
  /** The built worker; without it everything is verified in this thread. */
  readonly worker?: string | undefined
}

const MAX_THREADS = 8
const RANGE = 25_000
const PAGES_PER_TURN = 8

/**
 * Verifies the chain of a database file without blocking this thread for long.
 * @example
 * await verifyFile('/home/me/.arc/arc.db', { onProgress: (records) => console.error(records) })
 */
export async function verifyFile(file: string, options: VerifyFileOptions = {}): Promise<Verification> {
  const connection = new Connection(file, {}, prepareVerification)
  try {
    const ranges = splitRanges(connection, options)
    const worker = options.worker ?? findWorker()
    const threads = Math.min(options.threads ?? Math.min(availableParallelism(), MAX_THREADS), ranges.length)
    if (threads < 2 || worker === undefined) return await walkChain(connection, options, options.onProgress)
    const found = await verifyRanges({ file, worker, threads, ranges, onProgress: options.onProgress })
    // From the first bad range on, or else the records since and the end.
    const good = found.filter(({ ok }) => ok)
    const records = good.reduce((sum, result) => sum + result.records, 0)
    const after = good.length < ranges.length ? ranges[good.length]?.after : { seq: ranges.at(-1)?.upTo as number }
    const rest = await walkChain(connection, { after }, (more) => options.onProgress?.(records + more))
    return { ...rest, records: records + rest.records }
  } finally {
    connection.close()
  }
}

async function walkChain(
  connection: Connection<VerifyStatements>,
  range: VerifyRange,
  onProgress: VerifyRequest['onProgress'],
): Promise<Verification> {
  const walk = new ChainWalk(connection, range)
  for (let pages = 1; walk.next(); pages++) {
    if (pages % PAGES_PER_TURN > 0) continue
    onProgress?.(walk.records)
    await nextTurn()
  }
  return walk.result()
}

// In order. The first begins where the verification begins.
function splitRanges(connection: Connection<VerifyStatements>, options: VerifyFileOptions): VerifyRange[] {
  const { after, rangeSize = RANGE } = options
  const { cut, head } = connection.read(({ rows }) => ({ cut: rows.end('cut').seq, head: rows.end('head').seq }))
  const ranges: VerifyRange[] = []
  for (let start = Math.max(cut, after?.seq ?? 0); start < head; start += rangeSize) {
    const upTo = Math.min(start + rangeSize, head)
    ranges.push({ after: ranges.length === 0 ? after : { seq: start }, upTo })
  }
  return ranges
}

interface ParallelWork {
  readonly file: string
  readonly worker: string
  readonly threads: number
  readonly ranges: readonly VerifyRange[]
  readonly onProgress: VerifyRequest['onProgress']
}

// The results of the ranges in order, up to the first bad one.
async function verifyRanges({ file, worker, threads, ranges, onProgress }: ParallelWork): Promise<Verification[]> {
  const results: Verification[] = []
  let next = 0
  let firstBad = ranges.length
  let records = 0
  const drain = async (thread: VerifyThread): Promise<void> => {
    for (let at = next++; at < firstBad; at = next++) {
      const result = await thread.verify(ranges[at] as VerifyRange)
      results[at] = result
      records += result.records
      onProgress?.(records)
      if (!result.ok) firstBad = Math.min(firstBad, at)
    }
  }
  const all = Array.from({ length: threads }, () => new VerifyThread(worker, file))
  try {
    await Promise.all(all.map(drain))
  } finally {
    await Promise.all(all.map((thread) => thread.close()))
  }
  return results.slice(0, firstBad + 1)
}

class VerifyThread {
  readonly #worker: Worker
  readonly #exit: Promise<unknown>
  #settle: { resolve(result: Verification): void; reject(error: unknown): void } | undefined

  constructor(worker: string, file: string) {
    this.#worker = new Worker(worker, { workerData: file, execArgv: [] })
    this.#exit = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.on('message', (result: Verification) => this.#settle?.resolve(result))
    this.#worker.on('error', (error) => this.#settle?.reject(error))
    this.#worker.once('exit', (code) => this.#settle?.reject(new Error(`A verifying thread ended with code ${code}.`)))
  }

  verify(range: VerifyRange): Promise<Verification> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#worker.postMessage(range)
    })
  }

  /** Lets the thread close its connection first. */
  async close(): Promise<void> {
    this.#worker.postMessage(null)
    await this.#exit
  }
}

// The build puts it beside the bundle of the commands; sources that are not built have none.
function findWorker(): string | undefined {
  const file = fileURLToPath(new URL('./verify-worker.cjs', import.meta.url))
  return existsSync(file) ? file : undefined
}
