// Limits the connections of a server: half-open connections are closed for new ones, and there is always room for
// authenticated callers. Also closes a connection whose peer does not read its response.

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** The limits of a server's connections. */
export interface ConnectionLimits {
  /** All connections. */
  readonly total: number
  /** Connections without a complete, authenticated request; the rest of `total` is reserved for the others. */
  readonly unauthenticated: number
  /** How long the headers of a request may take. */
  readonly headersMs: number
  /** How long a whole request may take to arrive. Its response may take longer. */
  readonly requestMs: number
  /** How long a peer may leave its response unread. */
  readonly unreadMs: number
}

// More than one backlog of unauthenticated connections: a caller's request is read before a burst can displace it.
const COMMON = { headersMs: 5_000, requestMs: 15_000, unreadMs: 30_000 } as const
/** The limits of the port, where any user of this machine can connect. */
export const PORT_LIMITS: ConnectionLimits = { ...COMMON, total: 1_024, unauthenticated: 640 }
/** The limits of a socket, where only users with the right to open it can connect. */
export const SOCKET_LIMITS: ConnectionLimits = { ...COMMON, total: 2_000, unauthenticated: 1_000 }

const CHECK_MS = 1_000

/** Is the sender of this request signed in? */
export type IsAuthenticated = (request: IncomingMessage) => boolean

/** One connection. */
interface Entry {
  /** Its last request was authenticated. */
  isAuthenticated: boolean
  /** The request in flight. */
  request: IncomingMessage | undefined
  /** Bytes that the peer had read at the last check, and when that changed last. */
  taken: number
  takenAt: number
}

/** Limits the connections of a server. Without `isAuthenticated` every request counts as authenticated. */
export class Connections {
  readonly #limits: ConnectionLimits
  readonly #isAuthenticated: IsAuthenticated
  // In the order of their last request: the first are closed first.
  readonly #entries = new Map<Duplex, Entry>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: ConnectionLimits, isAuthenticated: IsAuthenticated = () => true) {
    this.#limits = limits
    this.#isAuthenticated = isAuthenticated
  }

  /** The options of a server with these limits. */
  get options(): ServerOptions {
    const { headersMs, requestMs } = this.#limits
    return {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: CHECK_MS,
      // A host that calls again within a minute finds its connection open.
      keepAliveTimeout: 65_000,
    }
  }

  /** Applies the limits to a server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#enter(socket))
    server.on('upgrade', (request: IncomingMessage, socket: Duplex) => this.#begin(request, socket))
    server.once('listening', () => {
      this.#timer = setInterval(() => this.#dropUnread(performance.now()), CHECK_MS).unref()
    })
    server.once('close', () => clearInterval(this.#timer))
  }

  /** Registers a request; call it before the request is handled. */
  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    const entry = this.#begin(request, request.socket)
    if (entry === undefined) return
    // No keep-alive for unauthenticated callers.
    if (!entry.isAuthenticated) response.setHeader('connection', 'close')
    response.once('close', () => {
      if (entry.request === request) entry.request = undefined
    })
  }

  /** The number of open connections. */
  get size(): number {
    return this.#entries.size
  }

  #begin(request: IncomingMessage, socket: Duplex): Entry | undefined {
    const entry = this.#entries.get(socket)
    if (entry === undefined) return undefined
    entry.request = request
    entry.isAuthenticated = this.#isAuthenticated(request)
    this.#entries.delete(socket)
    this.#entries.set(socket, entry)
    return entry
  }

  #enter(socket: Socket): void {
    if (!this.#hasRoom()) {
      socket.destroy()
      return
    }
    this.#entries.set(socket, { isAuthenticated: false, request: undefined, taken: 0, takenAt: performance.now() })
    socket.once('close', () => this.#entries.delete(socket))
  }

  // At the limit, closes the oldest unauthenticated connection, else one whose request is incomplete, else an idle one.
  #hasRoom(): boolean {
    const { total, unauthenticated } = this.#limits
    if (this.#entries.size < Math.min(total, unauthenticated)) return true
    const first = new Map<ConnectionState, Duplex>()
    let count = 0
    for (const [socket, entry] of this.#entries) {
      const state = classify(entry)
      if (!first.has(state)) first.set(state, socket)
      if (state === 'unauthenticated' || state === 'arriving') count++
    }
    if (count < unauthenticated && this.#entries.size < total) return true
    const closing = first.get('unauthenticated') ?? first.get('arriving') ?? first.get('idle')
    if (closing === undefined) return false
    this.#entries.delete(closing)
    closing.destroy()
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

type ConnectionState = 'unauthenticated' | 'arriving' | 'idle' | 'busy'

// A request counts once it has arrived completely: headers alone cost the sender nothing.
function classify({ isAuthenticated, request }: Entry): ConnectionState {
  if (!isAuthenticated) return 'unauthenticated'
  if (request === undefined) return 'idle'
  return request.complete ? 'busy' : 'arriving'
}
