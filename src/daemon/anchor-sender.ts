// Once a minute, and when the daemon stops: the end of the record goes to the system log and to the places that the
// configuration names. What cannot be reached is reported once, and holds up nothing.

import { isAbsolute } from 'node:path'
import { describe } from '../engine/errors.ts'
import { homeId } from '../storage/anchor-paths.ts'
import { addAnchor } from '../storage/sqlite/anchor-files.ts'
import { type Anchor, anchorLine } from '../trace/anchors.ts'
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

/** Sends anchors away as long as a daemon runs. */
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

  /** Sends the end of the record, unless it is the one that was sent last. Never throws. */
  async send(): Promise<void> {
    const { home, pool, report } = this.#options
    try {
      const supervisor = await pool.find(undefined, undefined)
      const noted = supervisor.stores.anchor()
      if (noted === undefined || `${noted.database} ${noted.seq}` === this.#sent) return
      this.#sent = `${noted.database} ${noted.seq}`
      const anchor = { ...noted, home: homeId(home) }
      const places = supervisor.config.trace.anchors.map((place) => this.#sendTo(place, anchor))
      await Promise.all([writeSystemLog(anchorLine(anchor)), ...places])
    } catch (error) {
      report(`The end of the record could not be sent away: ${describe(error)}`)
    }
  }

  /** Sends the last one. Safe to call twice. */
  async stop(): Promise<void> {
    clearTimeout(this.#first)
    clearInterval(this.#timer)
    await this.send()
  }

  async #sendTo(place: string, anchor: Anchor): Promise<void> {
    try {
      if (place.startsWith('file:')) addAnchor(parseFileTarget(place), anchor)
      else await post(place, anchor)
      this.#failed.delete(place)
    } catch (error) {
      if (this.#failed.has(place)) return
      this.#failed.add(place)
      this.#options.report(`The end of the record could not be sent to ${place}: ${describe(error)}`)
    }
  }
}

/** The path in `file:/path` or `file:///path`. */
export function parseFileTarget(place: string): string {
  const path = place.slice('file:'.length).replace(/^\/\/(?=\/)/, '')
  if (!isAbsolute(path)) throw new Error(`expected an absolute path, not ${path}`)
  return path
}

async function post(url: string, anchor: Anchor): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(POST_MS)
  const response = await fetch(url, { method: 'POST', body: anchorLine(anchor), headers, signal, redirect: 'error' })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`it answered with status ${response.status}`)
}
