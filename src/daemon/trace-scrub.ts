// Verifies the trace in the background of a daemon: one small page a second, from the cut to the head, then the new
// records as they arrive, and everything again once a day. Where it is, is known to this process only, so no file can tell
// it to skip records.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from '../engine/errors.ts'
import { newId } from '../platform/ids.ts'
import type { Stores } from '../storage/open-stores.ts'
import type { ChainWalk } from '../storage/sqlite/trace-verification.ts'
import type { BadRecord } from '../trace/chain.ts'

interface TraceScrubOptions {
  readonly home: string
  readonly stores: () => Promise<Stores>
  readonly report: (message: string) => void
  readonly everyMs?: number | undefined
}

const EVERY_MS = 1_000
const PAGE = 100
const AGAIN_MS = 86_400_000

/** Verifies while a daemon runs, and reports the first bad record once. */
export class TraceScrub {
  readonly #options: TraceScrubOptions
  readonly #timer: NodeJS.Timeout
  #walk: ChainWalk | undefined
  #startedAt = 0
  #reported: string | undefined

  constructor(options: TraceScrubOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.check(), options.everyMs ?? EVERY_MS).unref()
  }

  /** Safe to call twice. */
  stop(): void {
    clearInterval(this.#timer)
  }

  /** Verifies the next page. Never throws: a database that cannot be read is reported once. */
  async check(): Promise<void> {
    // Reading would make a removed database anew.
    if (!existsSync(join(this.#options.home, 'arc.db'))) return
    try {
      const stores = await this.#options.stores()
      if (this.#walk === undefined || performance.now() - this.#startedAt > AGAIN_MS) {
        this.#walk = stores.openRetention()?.walk({ pageSize: PAGE })
        this.#startedAt = performance.now()
      }
      this.#walk?.next()
      const { firstBad } = this.#walk?.result() ?? {}
      if (firstBad !== undefined) await this.#fail(firstBad, stores)
    } catch (error) {
      this.#walk = undefined
      this.#reported ??= this.#say(`The trace could not be verified: ${describe(error)}`)
    }
  }

  async #fail({ seq, flaw, message }: BadRecord, { trace }: Stores): Promise<void> {
    if (this.#reported === message) return
    this.#reported = message
    this.#options.report(`The trace was changed: ${message}. Look at it with \`arc trace verify\`.`)
    const what = { component: 'trace', action: 'trace:broken', level: 'error', reason: message } as const
    await trace.append({ ...what, id: newId(), time: Date.now(), metadata: { seq, flaw } })
  }

  #say(message: string): string {
    this.#options.report(message)
    return message
  }
}
