// Sends an anchor of the trace once a minute, and when the daemon stops: to the system log and to the configured targets. A
// target that cannot be reached is reported once and delays nothing.

import { isAbsolute } from 'node:path'
import { describe } from '../engine/errors.ts'
import { homeId } from '../storage/anchor-paths.ts'
import { addAnchor } from '../storage/sqlite/anchor-files.ts'
import { type Anchor, formatAnchor } from '../trace/anchors.ts'
import { writeSystemLog } from '../trace/system-log.ts'
import type { SupervisorPool } from './hook-call/supervisor-pool.ts'

interface AnchorSenderOptions {
  readonly home: string
  readonly pool: SupervisorPool
  readonly report: (message: string) => void
  readonly everyMs?: number
}

const EVERY_MS = 60_000
const FIRST_MS = 2_000
const POST_MS = 5_000

/** Sends anchors while a daemon runs. */
export class AnchorSender {
  readonly #options: AnchorSenderOptions
  readonly #failed = new Set<string>()
  readonly #first: NodeJS.Timeout
  readonly #timer: NodeJS.Timeout
  #sent: string | undefined

  constructor(options: AnchorSenderOptions) {
    this.#options = options
    this.#first = setTimeout(() => void this.send(), FIRST_MS).unref()
    this.#timer = setInterval(() => void this.send(), options.everyMs ?? EVERY_MS).unref()
  }

  /** Sends the current anchor, unless it was the last one sent. Never throws. */
  async send(): Promise<void> {
    const { home, pool, report } = this.#options
    try {
      const supervisor = await pool.find(undefined, undefined)
      const current = supervisor.stores.anchor()
      if (current === undefined || `${current.database} ${current.seq}` === this.#sent) return
      this.#sent = `${current.database} ${current.seq}`
      const anchor = { ...current, home: homeId(home) }
      const targets = supervisor.config.trace.anchors.map((target) => this.#sendTo(target, anchor))
      await Promise.all([writeSystemLog(formatAnchor(anchor)), ...targets])
    } catch (error) {
      report(`The anchor could not be sent: ${describe(error)}`)
    }
  }

  /** Sends the last anchor. Safe to call twice. */
  async stop(): Promise<void> {
    clearTimeout(this.#first)
    clearInterval(this.#timer)
    await this.send()
  }

  async #sendTo(target: string, anchor: Anchor): Promise<void> {
    try {
      if (target.startsWith('file:')) addAnchor(parseFileTarget(target), anchor)
      else await post(target, anchor)
      this.#failed.delete(target)
    } catch (error) {
      if (this.#failed.has(target)) return
      this.#failed.add(target)
      this.#options.report(`The anchor could not be sent to ${target}: ${describe(error)}`)
    }
  }
}

/** The path in `file:/path` or `file:///path`. */
export function parseFileTarget(target: string): string {
  const path = target.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  if (!isAbsolute(path)) throw new Error(`expected an absolute path, not ${path}`)
  return path
}

async function post(url: string, anchor: Anchor): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(POST_MS)
  const response = await fetch(url, { method: 'POST', body: formatAnchor(anchor), headers, signal, redirect: 'error' })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`it answered with status ${response.status}`)
}
