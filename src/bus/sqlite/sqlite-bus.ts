// A bus between processes: messages are rows, and a process with subscribers polls a few times in 100 ms for rows of other
// processes. A poll costs microseconds, and a process without subscribers does not poll.

import { describe } from '../../engine/errors.ts'
import { Connection } from '../../storage/sqlite/connection.ts'
import type { Database } from '../../storage/sqlite/driver/driver.ts'
import type { OpenOptions } from '../../storage/sqlite/open-options.ts'
import { Redactor } from '../../trace/redact.ts'
import { BaseBus, type BusServices, type SentMessage, type Subscription } from '../base-bus.ts'
import { INBOX } from '../bus.ts'
import { isUnder } from '../subject.ts'

interface MessageRow {
  readonly seq: number
  readonly subject: string
  readonly reply: string | null
  readonly at: number
  readonly data: string
}

type Prepared = ReturnType<typeof prepare>

export interface SqliteBusOptions extends OpenOptions {
  readonly kept?: BusRetention
}

const POLL_MS = 20
const TIDY_EVERY = 64
const LARGE = 65_536
const READ_AT_ONCE = 200
// Who listens says so again and again, so that one that died is not waited for.
const INTEREST_MS = 15_000
const RENEW_MS = 5_000

/** How much is kept of what was published; messages are for those who listen now. */
export interface BusRetention {
  readonly ms: number
  readonly count: number
  /** Bytes of JSON. */
  readonly size: number
}

const KEPT: BusRetention = { ms: 600_000, count: 10_000, size: 32 * 1_048_576 }

/**
 * Messages in a database file, heard by every process that has it open.
 * @example
 * const bus = new SqliteBus('/home/me/.arc/arc.db', { clock, newId, report })
 */
export class SqliteBus extends BaseBus {
  readonly #connection: Connection<Prepared>
  readonly #kept: BusRetention
  readonly #redactor = new Redactor({ env: process.env })
  #cursor = 0
  // What was counted in databases that are gone.
  #offset = 0
  #seenVersion = -1
  #renewedAt = 0
  #isDue = false
  #stopTimer: (() => void) | undefined

  constructor(file: string, services: BusServices, { kept = KEPT, ...options }: SqliteBusOptions = {}) {
    super(services)
    this.#kept = kept
    this.#connection = new Connection(file, options, prepare)
  }

  override close(): void {
    super.close()
    this.#connection.close()
  }

  protected send({ subject, text: given, at, reply }: SentMessage): void {
    const text = this.#clean(given)
    this.#connection.write((prepared) => {
      const { lastInsertRowid } = prepared.insert.run(subject, reply ?? null, Math.floor(at), text)
      const seq = Number(lastInsertRowid)
      if (seq % TIDY_EVERY === 0 || text.length > LARGE) tidy(prepared, this.#kept, { seq, at: Math.floor(at) })
    })
    // One's own writes are not seen by looking whether others have written.
    if (this.subscriptions.size > 0) this.#drainSoon()
  }

  // Messages are rows of the database: their secrets are not.
  #clean(text: string): string {
    return JSON.stringify(this.#redactor.hide(JSON.parse(text) as unknown))
  }

  protected head(): number {
    const last = this.#connection.use(({ head }) => head.get() ?? 0)
    this.#noteAnew(last)
    return this.#offset + last
  }

  protected hasOthers(subject: readonly string[]): boolean {
    const now = Math.floor(this.services.clock.wall())
    const patterns = this.#connection.use(({ interests }) => interests.all(now))
    return patterns.some((pattern) => isUnder(subject, pattern.split('.')))
  }

  protected onSubscribed(subscription: Subscription): void {
    this.#renew([subscription])
    if (this.#stopTimer !== undefined) return
    this.#cursor = subscription.since - this.#offset
    this.#renewedAt = this.services.clock.now()
    this.#stopTimer = this.services.clock.after(POLL_MS, () => this.#poll())
  }

  protected onUnsubscribed({ id, pattern }: Subscription): void {
    if (this.subscriptions.size === 0) {
      this.#stopTimer?.()
      this.#stopTimer = undefined
    }
    if (isInbox(pattern)) return
    try {
      this.#connection.write(({ uninterest }) => uninterest.run(id))
    } catch (error) {
      // The row expires.
      this.services.report(`The end of listening to ${pattern} could not be noted: ${describe(error)}`)
    }
  }

  #poll(): void {
    this.#stopTimer = this.services.clock.after(POLL_MS, () => this.#poll())
    try {
      if (this.services.clock.now() - this.#renewedAt >= RENEW_MS) this.#renew([...this.subscriptions])
      const version = this.#connection.use(({ dataVersion }) => dataVersion.get() ?? 0)
      if (version === this.#seenVersion) return
      this.#drain()
      // Only now: had reading failed, it would be tried again.
      this.#seenVersion = version
    } catch (error) {
      this.services.report(`Messages could not be read: ${describe(error)}`)
    }
  }

  #drainSoon(): void {
    if (this.#isDue) return
    this.#isDue = true
    this.services.clock.soon(() => {
      this.#isDue = false
      try {
        this.#drain()
      } catch (error) {
        // The next look reads again.
        this.#seenVersion = -1
        this.services.report(`Messages could not be read: ${describe(error)}`)
      }
    })
  }

  // A few at a time, so that a flood does not hold up the process.
  #drain(): void {
    if (this.isClosed || this.subscriptions.size === 0) return
    this.head()
    const rows = this.#connection.use(({ after }) => after.all(this.#cursor))
    for (const { seq, subject, reply, at, data } of rows) {
      this.#cursor = Math.max(this.#cursor, seq)
      this.deliver({ subject, text: data, at, reply: reply ?? undefined }, this.#offset + seq)
    }
    if (rows.length === READ_AT_ONCE) this.#drainSoon()
  }

  // A database that was taken away and begun anew counts from 1 again.
  #noteAnew(last: number): void {
    if (last >= this.#cursor) return
    this.#offset += this.#cursor
    this.#cursor = 0
  }

  #renew(subscriptions: readonly Subscription[]): void {
    this.#renewedAt = this.services.clock.now()
    const known = subscriptions.filter(({ pattern }) => !isInbox(pattern))
    if (known.length === 0) return
    const now = Math.floor(this.services.clock.wall())
    this.#connection.write(({ interest, forget }) => {
      for (const { id, pattern } of known) interest.run(id, pattern, now + INTEREST_MS)
      forget.run(now)
    })
  }
}

function tidy(
  { tidy: remove, overflow }: Prepared,
  { ms, count, size }: BusRetention,
  { seq, at }: { readonly seq: number; readonly at: number },
): void {
  remove.run(seq - count, at - ms)
  const last = overflow.get(size)
  if (last !== undefined) remove.run(last, 0)
}

// Only the requester knows its name, so no other process looks for its subscriber.
function isInbox(pattern: string): boolean {
  return pattern.startsWith(`${INBOX}.`)
}

function prepare(db: Database) {
  return {
    dataVersion: db.prepare<[], number>('PRAGMA data_version').pluck(),
    // What was tidied away counts too.
    head: db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'bus_message'`).pluck(),
    after: db.prepare<[number], MessageRow>(
      `SELECT seq, subject, reply, at, data FROM bus_message
       WHERE seq > ? ORDER BY seq LIMIT ${READ_AT_ONCE}`,
    ),
    insert: db.prepare<[string, string | null, number, string]>(
      'INSERT INTO bus_message (subject, reply, at, data) VALUES (?, ?, ?, ?)',
    ),
    tidy: db.prepare<[number, number]>('DELETE FROM bus_message WHERE seq <= ? OR at < ?'),
    // The newest that no longer has room, counted from the end. The length in bytes is known without reading the data.
    overflow: db
      .prepare<[number], number>(
        `SELECT seq FROM (SELECT seq, sum(octet_length(data)) OVER (ORDER BY seq DESC) AS total FROM bus_message)
         WHERE total > ? ORDER BY seq DESC LIMIT 1`,
      )
      .pluck(),
    interest: db.prepare<[string, string, number]>(
      `INSERT INTO bus_interest (id, pattern, until) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
    ),
    uninterest: db.prepare<[string]>('DELETE FROM bus_interest WHERE id = ?'),
    interests: db.prepare<[number], string>('SELECT DISTINCT pattern FROM bus_interest WHERE until > ?').pluck(),
    forget: db.prepare<[number]>('DELETE FROM bus_interest WHERE until <= ?'),
  }
}
