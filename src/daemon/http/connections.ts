// The connections of one server, bounded: half-open ones give way to new ones, and there is always room for callers who
// are signed in. Also drops a peer that does not read its answer, so that nothing piles up for it.

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How many connections a server holds. */
export interface ConnectionLimits {
  /** All connections. */
  readonly total: number
  /** Connections that have not yet sent a whole request of a known caller; the rest of `total` is reserved. */
  readonly unknown: number
  /** How long the headers of a request may take. */
  readonly headersMs: number
  /** How long a whole request may take to arrive. Its answer may take longer. */
  readonly requestMs: number
  /** How long a peer may leave its answer unread. */
  readonly unreadMs: number
}

// More than one backlog of unknown connections: a caller's request is read before a burst of others can displace it.
const COMMON = { headersMs: 5_000, requestMs: 15_000, unreadMs: 30_000 } as const
/** The limits of the port, where anybody on this machine can connect. */
export const PORT_LIMITS: ConnectionLimits = { ...COMMON, total: 1_024, unknown: 640 }
/** The limits of a socket, where only users with the right to open it can connect. */
export const SOCKET_LIMITS: ConnectionLimits = { ...COMMON, total: 2_000, unknown: 1_000 }

const CHECK_MS = 1_000

/** Is the sender of this request signed in? */
export type IsAuthenticated = (request: IncomingMessage) => boolean

/** One connection. */
interface Entry {
  /** Its last request came from a known caller. */
  isKnown: boolean
  /** The request in hand. */
  request: IncomingMessage | undefined
  /** Bytes that the peer had taken at the last look, and when that changed last. */
  taken: number
  takenAt: number
}

/** Bounds the connections of a server. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #isKnown: IsAuthenticated
  // In the order in which they last did something useful: the first are the first to go.
  readonly #entries = new Map<Duplex, Entry>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: ConnectionLimits, isKnown: IsAuthenticated) {
    this.#limits = limits
    this.#isKnown = isKnown
  }

  /** The options of a server with these limits. */
  get options(): ServerOptions {
    const { headersMs, requestMs } = this.#limits
    return {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: CHECK_MS,
      // A host that comes again within a minute finds its connection open.
      keepAliveTimeout: 65_000,
    }
  }

  /** Takes charge of the connections of a server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#enter(socket))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => this.#begin(request, socket))
    server.once('listening', () => {
      this.#timer = setInterval(() => this.#dropUnread(performance.now()), CHECK_MS).unref()
    })
    server.once('close', () => clearInterval(this.#timer))
  }

  /** Notes a request; to be called before it is answered. */
  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    const entry = this.#begin(request, request.socket)
    if (entry === undefined) return
    // A caller without a session has no reason to stay.
    if (!entry.isKnown) response.setHeader('connection', 'close')
    response.once('close', () => {
      if (entry.request === request) entry.request = undefined
    })
  }

  /** How many connections are open. */
  get size(): number {
    return this.#entries.size
  }

  #begin(request: IncomingMessage, socket: Duplex): Entry | undefined {
    const entry = this.#entries.get(socket)
    if (entry === undefined) return undefined
    entry.request = request
    entry.isKnown = this.#isKnown(request)
    this.#entries.delete(socket)
    this.#entries.set(socket, entry)
    return entry
  }

  #enter(socket: Socket): void {
    if (!this.#hasRoom()) {
      socket.destroy()
      return
    }
    this.#entries.set(socket, { isKnown: false, request: undefined, taken: 0, takenAt: performance.now() })
    socket.once('close', () => this.#entries.delete(socket))
  }

  // Makes room where there is none: the oldest unknown connection goes, then one whose request is not complete, then an idle one.
  #hasRoom(): boolean {
    const { total, unknown } = this.#limits
    if (this.#entries.size < Math.min(total, unknown)) return true
    const first = new Map<Standing, Duplex>()
    let count = 0
    for (const [socket, entry] of this.#entries) {
      const standing = standingOf(entry)
      if (!first.has(standing)) first.set(standing, socket)
      if (standing === 'unknown' || standing === 'arriving') count++
    }
    if (count < unknown && this.#entries.size < total) return true
    const leaving = first.get('unknown') ?? first.get('arriving') ?? first.get('idle')
    if (leaving === undefined) return false
    this.#entries.delete(leaving)
    leaving.destroy()
    return true
  }

  #dropUnread(now: number): void {
    for (const [socket, entry] of this.#entries) {
      const { bytesWritten = 0 } = socket as Partial<Socket>
      const taken = bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || taken !== entry.taken) {
        entry.taken = taken
        entry.takenAt = now
      } else if (now - entry.takenAt > this.#limits.unreadMs) socket.destroy()
    }
  }
}

type Standing = 'unknown' | 'arriving' | 'idle' | 'busy'

// A request counts once all of it has arrived: headers alone cost its sender nothing.
function standingOf({ isKnown, request }: Entry): Standing {
  if (!isKnown) return 'unknown'
  if (request === undefined) return 'idle'
  return request.complete ? 'busy' : 'arriving'
}
