// The WebSocket stream of the daemon: resumes at its sequence after a break, reconnects with growing delays, and at once when
// the page becomes visible or the network returns. Passes messages on and stores none.

import type { StreamMessage } from '../../../src/protocol/messages.ts'
import { waitBefore } from '../model/backoff.ts'

export interface StreamEvents {
  /** The record to resume after. */
  resumeFrom(): number
  onMessage(message: StreamMessage): void
  onOpen(): void
  /** The connection broke; the next attempt is at this time (`Date.now()`). */
  onBreak(retryAt: number): void
  /** The connection was refused: perhaps without a valid cookie. */
  onRefused(): void
}

// The daemon sends a message at least every 15 s.
const SILENCE_MS = 45_000
const LOOK_MS = 5_000

export class Stream {
  readonly #events: StreamEvents
  #socket: WebSocket | undefined
  #timer: number | undefined
  #attempt = 0
  #heardAt = 0
  #isStopped = true

  constructor(events: StreamEvents) {
    this.#events = events
  }

  /** Connects and reconnects. */
  start(): void {
    if (!this.#isStopped) return
    this.#isStopped = false
    window.addEventListener('online', this.#hurry)
    window.addEventListener('focus', this.#hurry)
    document.addEventListener('visibilitychange', this.#hurry)
    window.setInterval(() => this.#watch(), LOOK_MS)
    this.#connect()
  }

  /** Connects again, from the page's current record. */
  restart(): void {
    this.#attempt = 0
    this.#drop()
    this.#connect()
  }

  readonly #hurry = (): void => {
    if (document.hidden || this.#timer === undefined) return
    this.#attempt = 0
    this.#connect()
  }

  #connect(): void {
    window.clearTimeout(this.#timer)
    this.#timer = undefined
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const address = `${scheme}://${location.host}/v1/stream?view=feed&after=${this.#events.resumeFrom()}`
    const socket = new WebSocket(address)
    let hasOpened = false
    this.#socket = socket
    this.#heardAt = Date.now()
    socket.onopen = () => {
      hasOpened = true
      this.#events.onOpen()
    }
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return
      this.#attempt = 0
      this.#heardAt = Date.now()
      const message = readMessage(data)
      if (message !== undefined) this.#events.onMessage(message)
    }
    socket.onclose = () => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      if (!hasOpened) this.#events.onRefused()
      this.#waitAndConnect()
    }
  }

  #waitAndConnect(): void {
    const waitMs = waitBefore(this.#attempt, Math.random())
    this.#attempt += 1
    this.#timer = window.setTimeout(() => this.#connect(), waitMs)
    this.#events.onBreak(Date.now() + waitMs)
  }

  // A connection can be dead without a close event, as after a laptop's sleep.
  #watch(): void {
    if (this.#socket === undefined || Date.now() - this.#heardAt < SILENCE_MS) return
    this.#drop()
    this.#waitAndConnect()
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = undefined
    window.clearTimeout(this.#timer)
    this.#timer = undefined
    socket?.close()
  }
}

function readMessage(data: unknown): StreamMessage | undefined {
  try {
    return JSON.parse(String(data)) as StreamMessage
  } catch {
    // Not JSON: ignored. The next message has the sequence.
    return undefined
  }
}
