// Real HTTP servers on this machine, on free ports, for tests of what talks to servers.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** One request as the server got it. */
export interface SeenRequest {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers a request whose body has been read. */
export type Respond = (response: ServerResponse, request: SeenRequest) => void

/** A server that is closed when the test is over. */
export async function serve(respond: Respond) {
  const server = await startServer(respond)
  onTestFinished(() => server.close())
  return server
}

/** A server that the caller closes; closing cuts all connections. */
export async function startServer(respond: Respond) {
  const requests: SeenRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => {
      const { method, url: path, headers } = request
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(seen)
      respond(response, seen)
    })
  }
  const server = createServer(listener)
  // Idle connections stay open until somebody closes them.
  server.keepAliveTimeout = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    close,
    /** How many connections were ever opened. */
    connections: () => connections,
    /** How many are open now. */
    open: () => sockets.size,
  }
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Waits until something holds; fails after a generous while. */
export async function until(holds: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
