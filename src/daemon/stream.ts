// WS /v1/stream?after=SEQ: the trace as it grows. Each connection follows the record by its sequence at its own pace, so
// nothing is kept for a slow reader and nothing is lost to one that comes back.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { describe } from '../core/errors.ts'
import type { StreamMessage } from '../protocol/messages.ts'
import type { TraceStore } from '../trace/store.ts'
import type { Gate } from './auth.ts'

const LOOK_EVERY_MS = 100
const ALIVE_EVERY_MS = 15_000
const MAX_ROWS = 500
// So much may wait in the socket before the reader is left to catch up.
const MAX_WAITING = 1024 * 1024
const MAX_CONNECTIONS = 64
const PATH = '/v1/stream'

/** What the stream needs of the daemon. */
export interface StreamSource {
  readonly gate: Gate
  readonly version: string
  readonly report: (message: string) => void
  /** The record to follow. */
  trace(): Promise<TraceStore>
}

/** Serves streams on servers; `isLocal` servers need no token. */
export class Streams {
  readonly #source: StreamSource
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 4_096 })

  constructor(source: StreamSource) {
    this.#source = source
  }

  /** Takes the upgrades of a server. */
  serve(server: Server, { isLocal }: { readonly isLocal: boolean }): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      const refusal = this.#refusalOf(request, isLocal)
      if (refusal !== undefined) {
        socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
        return
      }
      this.#sockets.handleUpgrade(request, socket, head, (client) => void this.#begin(client, request))
    })
  }

  /** Ends all of them; safe to call twice. */
  close(): void {
    for (const client of this.#sockets.clients) client.close(1001, 'the daemon stops')
    this.#sockets.close()
    setTimeout(() => {
      for (const client of this.#sockets.clients) client.terminate()
    }, 500).unref()
  }

  #refusalOf({ url = '', headers }: IncomingMessage, isLocal: boolean): string | undefined {
    const { gate } = this.#source
    const { host, origin, authorization, cookie } = headers
    if (!isLocal && !gate.isOurHost(host)) return '403 Forbidden'
    if (!isLocal && !gate.isOurOrigin(origin)) return '403 Forbidden'
    if (!isLocal && !gate.isKnown({ host, origin, authorization, cookie })) return '401 Unauthorized'
    // Not by new URL, which throws at what is no address: here that would end the daemon.
    if (url.split('?', 1)[0] !== PATH) return '404 Not Found'
    return this.#sockets.clients.size < MAX_CONNECTIONS ? undefined : '503 Service Unavailable'
  }

  async #begin(client: WebSocket, { url = '' }: IncomingMessage): Promise<void> {
    // Before anything else: a broken frame may come with the upgrade itself.
    client.on('error', () => client.terminate())
    try {
      const trace = await this.#source.trace()
      const given = Number(new URL(url, 'http://arc').searchParams.get('after') ?? Number.NaN)
      const after = Number.isSafeInteger(given) && given >= 0 ? given : newest(trace)
      follow(client, trace, after, this.#source)
    } catch (error) {
      this.#source.report(`A stream could not begin: ${describe(error)}`)
      client.close(1011, 'the record cannot be read')
    }
  }
}

function newest(trace: TraceStore): number {
  return trace.query({ limit: 1, steps: true }).at(-1)?.seq ?? 0
}

function follow(client: WebSocket, trace: TraceStore, from: number, { version, report }: StreamSource): void {
  let after = from
  let saidAt = performance.now()
  const send = (message: StreamMessage): void => {
    client.send(JSON.stringify(message))
    saidAt = performance.now()
  }
  // Text from the other side has no meaning here.
  client.on('message', () => undefined)
  send({ type: 'hello', version, after })
  const look = (): void => {
    if (client.readyState !== client.OPEN || client.bufferedAmount > MAX_WAITING) return
    const rows = trace.query({ afterSeq: after, limit: MAX_ROWS, steps: true })
    const [first] = rows
    const last = rows.at(-1)
    if (first === undefined || last === undefined) {
      if (performance.now() - saidAt > ALIVE_EVERY_MS) send({ type: 'alive', time: new Date().toISOString() })
      return
    }
    if (first.seq > after + 1) send({ type: 'gap', from: after + 1, to: first.seq - 1 })
    send({ type: 'rows', rows, seq: last.seq })
    after = last.seq
    // More is there already: at once, unless the reader is slow.
    if (rows.length === MAX_ROWS) setImmediate(guarded)
  }
  const guarded = (): void => {
    try {
      look()
    } catch (error) {
      report(`A stream ended: ${describe(error)}`)
      client.close(1011, 'the record cannot be read')
    }
  }
  const timer = setInterval(guarded, LOOK_EVERY_MS)
  client.on('close', () => clearInterval(timer))
  guarded()
}
