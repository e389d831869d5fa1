// WS /v1/stream?after=SEQ[&view=feed]: the trace as it grows. All connections share one read of the trace; a connection
// that is behind reads on its own, so a slow reader needs no buffer and a reconnecting reader loses nothing.

import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { describe } from '../../engine/errors.ts'
import type { StreamMessage } from '../../protocol/messages.ts'
import type { Overview } from '../../protocol/views.ts'
import type { TraceStore } from '../../storage/ports.ts'
import { buildLogRow } from '../../trace/record.ts'
import { buildEventView, buildFeedStep } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'
import { type Batch, findNewestSeq, type TraceTail } from './trace-tail.ts'

const ALIVE_EVERY_MS = 15_000
const MAX_ROWS = 500
// With more unsent bytes than this, a reader gets nothing until it has caught up.
const MAX_UNSENT_BYTES = 1024 * 1024
// Per server: streams on the socket take no room from the page's streams.
const MAX_STREAMS = 64
const PATH = '/v1/stream'
const FULL = '503 Service Unavailable'
// The overview is sent at most once per interval, and sooner after an event or a step that needs approval.
const OVERVIEW_EVERY_MS = 1_000
const OVERVIEW_SOON_MS = 100

/** Authenticates the upgrade of a connection on the port. */
interface UpgradeAuth {
  /** The status line of a refusal; undefined when the request is allowed. */
  refuseUpgrade(headers: IncomingHttpHeaders): string | undefined
}

/** What the stream needs of the daemon. */
export interface StreamSource {
  readonly auth: UpgradeAuth
  readonly version: string
  readonly traceTail: TraceTail
  readonly report: (message: string) => void
  /** How often a reader must answer a ping; every 15 s by default. */
  readonly pingMs?: number | undefined
  /** The trace to read. */
  trace(): Promise<TraceStore>
  /** The current overview. */
  overview(): Promise<Overview>
}

/** The form in which a connection gets the trace. */
type View = 'rows' | 'feed'

/** Serves streams on servers; `isLocal` servers need no token. */
export class Streams {
  readonly #source: StreamSource
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 4_096 })
  readonly #overviews: OverviewSender
  /** Clients that have answered the last ping. */
  readonly #alive = new WeakSet<WebSocket>()
  readonly #pings: NodeJS.Timeout

  constructor(source: StreamSource) {
    this.#source = source
    this.#overviews = new OverviewSender(source)
    this.#pings = setInterval(() => this.#ping(), source.pingMs ?? ALIVE_EVERY_MS).unref()
  }

  /** Handles the upgrades of a server. */
  serve(server: Server, { isLocal }: { readonly isLocal: boolean }): void {
    const open = new Set<Duplex>()
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      const refusal = this.#refuse(request, isLocal) ?? (open.size < MAX_STREAMS ? undefined : FULL)
      if (refusal !== undefined) {
        // Destroyed after the response: a peer that keeps its side open would keep the connection.
        socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
        return
      }
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      this.#sockets.handleUpgrade(request, socket, head, (client) => void this.#begin(client, request))
    })
  }

  /** Ends all streams; safe to call twice. */
  close(): void {
    clearInterval(this.#pings)
    for (const client of this.#sockets.clients) client.close(1001, 'the daemon stops')
    this.#sockets.close()
    setTimeout(() => {
      for (const client of this.#sockets.clients) client.terminate()
    }, 500).unref()
  }

  // A client that has not answered the last ping is disconnected.
  #ping(): void {
    for (const client of this.#sockets.clients) {
      if (this.#alive.delete(client)) client.ping()
      else client.terminate()
    }
  }

  #refuse({ url = '', headers }: IncomingMessage, isLocal: boolean): string | undefined {
    const refusal = isLocal ? undefined : this.#source.auth.refuseUpgrade(headers)
    // Not parsed by new URL, which throws for an invalid address: here that would end the daemon.
    return refusal ?? (url.split('?', 1)[0] === PATH ? undefined : '404 Not Found')
  }

  async #begin(client: WebSocket, { url = '' }: IncomingMessage): Promise<void> {
    // First: an invalid frame may arrive with the upgrade itself. Messages of clients are ignored.
    client.on('message', () => undefined)
    client.on('error', () => client.terminate())
    client.on('pong', () => this.#alive.add(client))
    this.#alive.add(client)
    try {
      const { searchParams } = new URL(url, 'http://arc')
      const view: View = searchParams.get('view') === 'feed' ? 'feed' : 'rows'
      const { traceTail, report } = this.#source
      const trace = await this.#source.trace()
      await traceTail.catchUp()
      const given = Number(searchParams.get('after') ?? Number.NaN)
      const last = findNewestSeq(trace)
      const after = Number.isSafeInteger(given) && given >= 0 ? Math.min(given, last) : last
      if (client.readyState !== client.OPEN) return
      const reader = new Reader(client, { trace, traceTail, view, after, report })
      const stop = traceTail.listen((batch) => reader.update(batch))
      const stopOverviews = view === 'feed' ? this.#overviews.add(reader) : () => undefined
      client.on('close', () => {
        stop()
        stopOverviews()
      })
      reader.send(JSON.stringify({ type: 'hello', version: this.#source.version, after } satisfies StreamMessage))
      reader.update(undefined)
    } catch (error) {
      this.#source.report(`A stream could not start: ${describe(error)}`)
      client.close(1011, 'the trace cannot be read')
    }
  }
}

interface ReaderOptions {
  readonly trace: TraceStore
  readonly traceTail: TraceTail
  readonly view: View
  readonly after: number
  readonly report: (message: string) => void
}

/** A connection and its position in the trace. */
class Reader {
  readonly #client: WebSocket
  readonly #options: ReaderOptions
  #after: number
  #sentAt = performance.now()

  constructor(client: WebSocket, options: ReaderOptions) {
    this.#client = client
    this.#options = options
    this.#after = options.after
  }

  /** Can the connection take more? */
  get isReady(): boolean {
    return this.#client.readyState === this.#client.OPEN && this.#client.bufferedAmount <= MAX_UNSENT_BYTES
  }

  send(text: string): void {
    this.#client.send(text)
    this.#sentAt = performance.now()
  }

  /** Sends the next records: the batch if it follows directly. */
  update(batch: Batch | undefined): void {
    if (!this.isReady) return
    const { traceTail, report } = this.#options
    try {
      if (this.#after > traceTail.seq) this.#client.close(1012, 'the trace was restarted')
      else if (batch !== undefined && batch.after === this.#after) this.#sendBatch(batch)
      else if (this.#after < traceTail.seq) this.#catchUp()
      else if (performance.now() - this.#sentAt > ALIVE_EVERY_MS) {
        this.send(JSON.stringify({ type: 'alive', time: new Date().toISOString() } satisfies StreamMessage))
      }
    } catch (error) {
      report(`A stream ended: ${describe(error)}`)
      this.#client.close(1011, 'the trace cannot be read')
    }
  }

  // Up to the position of the shared read: from there on the batches are shared again.
  #catchUp(): void {
    const { trace, traceTail } = this.#options
    const beforeSeq = traceTail.seq + 1
    const { last, first, ...read } = readAfter(trace, this.#after, { limit: MAX_ROWS, beforeSeq })
    if (last === undefined || first === undefined) {
      // All of these records were removed.
      this.#sendGap(beforeSeq)
      this.#after = traceTail.seq
      return
    }
    this.#sendBatch({ ...read, last, after: this.#after, to: last, first })
    // There is more: sent at once unless the reader is slow.
    if (this.#after < traceTail.seq) setImmediate(() => this.update(undefined))
  }

  #sendBatch(batch: Batch): void {
    this.#sendGap(batch.first)
    this.send(encode(batch, this.#options.view))
    this.#after = batch.to
  }

  #sendGap(first: number): void {
    if (first <= this.#after + 1) return
    this.send(JSON.stringify({ type: 'gap', from: this.#after + 1, to: first - 1 } satisfies StreamMessage))
  }
}

const TEXTS = new WeakMap<Batch, Partial<Record<View, string>>>()

// Encoded once for all connections.
function encode(batch: Batch, view: View): string {
  const texts = TEXTS.get(batch) ?? {}
  TEXTS.set(batch, texts)
  texts[view] ??= JSON.stringify(buildMessage(batch, view))
  return texts[view]
}

function buildMessage({ records, steps, events, to }: Batch, view: View): StreamMessage {
  if (view === 'rows') return { type: 'rows', rows: records.map(buildLogRow), seq: to }
  return { type: 'feed', steps: steps.map(buildFeedStep), events: events.map(buildEventView), seq: to }
}

/** Sends the overview to its readers when it has changed. */
class OverviewSender {
  readonly #source: StreamSource
  readonly #readers = new Set<Reader>()
  #timer: NodeJS.Timeout | undefined
  #stop: (() => void) | undefined
  #soon: NodeJS.Timeout | undefined
  #last = ''

  constructor(source: StreamSource) {
    this.#source = source
  }

  /** Adds a reader; returns its removal. */
  add(reader: Reader): () => void {
    this.#readers.add(reader)
    // The new reader has no overview yet.
    this.#last = ''
    this.#timer ??= setInterval(() => this.#send(), OVERVIEW_EVERY_MS).unref()
    this.#stop ??= this.#source.traceTail.listen((batch) => {
      const isUrgent = batch?.events.length !== 0 || batch.steps.some(({ record }) => record.decision === 'ask')
      if (batch !== undefined && isUrgent) this.#sendSoon()
    })
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) this.#stopTimers()
    }
  }

  #stopTimers(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#stop?.()
    this.#timer = undefined
    this.#soon = undefined
    this.#stop = undefined
  }

  // The approval is created just after its step is recorded.
  #sendSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#send()
    }, OVERVIEW_SOON_MS).unref()
  }

  #send(): void {
    this.#source.overview().then(
      (overview) => this.#sendIfChanged(overview),
      (error) => this.#source.report(`The overview cannot be built: ${describe(error)}`),
    )
  }

  #sendIfChanged(overview: Overview): void {
    // A change of the time alone is not sent.
    const facts = JSON.stringify({ ...overview, now: 0, uptimeMs: 0 })
    if (facts === this.#last) return
    this.#last = facts
    const text = JSON.stringify({ type: 'pulse', pulse: overview } satisfies StreamMessage)
    for (const reader of this.#readers) if (reader.isReady) reader.send(text)
  }
}
