// WS /v1/stream?after=SEQ[&view=feed]: the record as it grows. One reading feeds all connections; one that is behind reads
// for itself at its own pace, so nothing is kept for a slow reader and nothing is lost to one that comes back.

import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { describe } from '../../engine/errors.ts'
import type { StreamMessage } from '../../protocol/messages.ts'
import type { Overview } from '../../protocol/views.ts'
import { logRowOf } from '../../trace/record.ts'
import type { TraceStore } from '../../trace/store.ts'
import { buildEventView, buildFeedStep } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'
import { type Batch, findNewestSeq, type TraceTail } from './trace-tail.ts'

const ALIVE_EVERY_MS = 15_000
const MAX_ROWS = 500
// So much may wait in the socket before the reader is left to catch up.
const MAX_WAITING = 1024 * 1024
// On each of the servers: streams on the socket take no room from those of the page.
const MAX_STREAMS = 64
const PATH = '/v1/stream'
const FULL = '503 Service Unavailable'
// Figures go out so often at most, and so soon after something that changes more than figures.
const PULSE_EVERY_MS = 1_000
const PULSE_SOON_MS = 100

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
  /** The record to follow. */
  trace(): Promise<TraceStore>
  /** The state of things. */
  overview(): Promise<Overview>
}

/** Which form of the record a connection gets. */
type View = 'rows' | 'feed'

/** Serves streams on servers; `isLocal` servers need no token. */
export class Streams {
  readonly #source: StreamSource
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 4_096 })
  readonly #pulses: OverviewSender
  /** Those that have answered the last ping. */
  readonly #alive = new WeakSet<WebSocket>()
  readonly #pings: NodeJS.Timeout

  constructor(source: StreamSource) {
    this.#source = source
    this.#pulses = new OverviewSender(source)
    this.#pings = setInterval(() => this.#ping(), source.pingMs ?? ALIVE_EVERY_MS).unref()
  }

  /** Takes the upgrades of a server. */
  serve(server: Server, { isLocal }: { readonly isLocal: boolean }): void {
    const open = new Set<Duplex>()
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      const refusal = this.#refuse(request, isLocal) ?? (open.size < MAX_STREAMS ? undefined : FULL)
      if (refusal !== undefined) {
        // Both directions: a peer that keeps its own side open would hold the connection.
        socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
        return
      }
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      this.#sockets.handleUpgrade(request, socket, head, (client) => void this.#begin(client, request))
    })
  }

  /** Ends all of them; safe to call twice. */
  close(): void {
    clearInterval(this.#pings)
    for (const client of this.#sockets.clients) client.close(1001, 'the daemon stops')
    this.#sockets.close()
    setTimeout(() => {
      for (const client of this.#sockets.clients) client.terminate()
    }, 500).unref()
  }

  // One that has not answered since the last ping does not read: it is dropped.
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
    // Before anything else: a broken frame may come with the upgrade itself. Text has no meaning here.
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
      const stop = traceTail.listen((batch) => reader.look(batch))
      const stopPulses = view === 'feed' ? this.#pulses.add(reader) : () => undefined
      client.on('close', () => {
        stop()
        stopPulses()
      })
      reader.send(JSON.stringify({ type: 'hello', version: this.#source.version, after } satisfies StreamMessage))
      reader.look(undefined)
    } catch (error) {
      this.#source.report(`A stream could not begin: ${describe(error)}`)
      client.close(1011, 'the record cannot be read')
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

/** One connection: how far it is, and what it gets next. */
class Reader {
  readonly #client: WebSocket
  readonly #options: ReaderOptions
  #after: number
  #saidAt = performance.now()

  constructor(client: WebSocket, options: ReaderOptions) {
    this.#client = client
    this.#options = options
    this.#after = options.after
  }

  /** Can it take more? */
  get isReady(): boolean {
    return this.#client.readyState === this.#client.OPEN && this.#client.bufferedAmount <= MAX_WAITING
  }

  send(text: string): void {
    this.#client.send(text)
    this.#saidAt = performance.now()
  }

  /** Sends what is next: the batch, if that is it. */
  look(batch: Batch | undefined): void {
    if (!this.isReady) return
    const { traceTail, report } = this.#options
    try {
      if (this.#after > traceTail.seq) this.#client.close(1012, 'the record began anew')
      else if (batch !== undefined && batch.after === this.#after) this.#give(batch)
      else if (this.#after < traceTail.seq) this.#readOn()
      else if (performance.now() - this.#saidAt > ALIVE_EVERY_MS) {
        this.send(JSON.stringify({ type: 'alive', time: new Date().toISOString() } satisfies StreamMessage))
      }
    } catch (error) {
      report(`A stream ended: ${describe(error)}`)
      this.#client.close(1011, 'the record cannot be read')
    }
  }

  // Up to where the shared reading is, and no further: from there on it is shared again.
  #readOn(): void {
    const { trace, traceTail } = this.#options
    const beforeSeq = traceTail.seq + 1
    const { last, first, ...read } = readAfter(trace, this.#after, { limit: MAX_ROWS, beforeSeq })
    if (last === undefined || first === undefined) {
      // All of it was cut off.
      this.#gap(beforeSeq)
      this.#after = traceTail.seq
      return
    }
    this.#give({ ...read, last, after: this.#after, to: last, first })
    // More is there already: at once, unless the reader is slow.
    if (this.#after < traceTail.seq) setImmediate(() => this.look(undefined))
  }

  #give(batch: Batch): void {
    this.#gap(batch.first)
    this.send(textOf(batch, this.#options.view))
    this.#after = batch.to
  }

  #gap(first: number): void {
    if (first <= this.#after + 1) return
    this.send(JSON.stringify({ type: 'gap', from: this.#after + 1, to: first - 1 } satisfies StreamMessage))
  }
}

const TEXTS = new WeakMap<Batch, Partial<Record<View, string>>>()

// Written down once for all who get it.
function textOf(batch: Batch, view: View): string {
  const texts = TEXTS.get(batch) ?? {}
  TEXTS.set(batch, texts)
  texts[view] ??= JSON.stringify(messageOf(batch, view))
  return texts[view]
}

function messageOf({ records, steps, events, to }: Batch, view: View): StreamMessage {
  if (view === 'rows') return { type: 'rows', rows: records.map(logRowOf), seq: to }
  return { type: 'feed', steps: steps.map(buildFeedStep), events: events.map(buildEventView), seq: to }
}

/** Sends the figures to all who want them, when they changed. */
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

  /** Sends to this one too, until the disposer is called. */
  add(reader: Reader): () => void {
    this.#readers.add(reader)
    // The new one has none yet.
    this.#last = ''
    this.#timer ??= setInterval(() => this.#beat(), PULSE_EVERY_MS).unref()
    this.#stop ??= this.#source.traceTail.listen((batch) => {
      const isNews = batch?.events.length !== 0 || batch.steps.some(({ record }) => record.decision === 'ask')
      if (batch !== undefined && isNews) this.#beatSoon()
    })
    return () => {
      this.#readers.delete(reader)
      if (this.#readers.size === 0) this.#rest()
    }
  }

  #rest(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#stop?.()
    this.#timer = undefined
    this.#soon = undefined
    this.#stop = undefined
  }

  // A question is put before a person just after its step is recorded.
  #beatSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#beat()
    }, PULSE_SOON_MS).unref()
  }

  #beat(): void {
    this.#source.overview().then(
      (pulse) => this.#sendIfNew(pulse),
      (error) => this.#source.report(`The figures cannot be told: ${describe(error)}`),
    )
  }

  #sendIfNew(pulse: Overview): void {
    // Time itself is no news.
    const facts = JSON.stringify({ ...pulse, now: 0, uptimeMs: 0 })
    if (facts === this.#last) return
    this.#last = facts
    const text = JSON.stringify({ type: 'pulse', pulse } satisfies StreamMessage)
    for (const reader of this.#readers) if (reader.isReady) reader.send(text)
  }
}
