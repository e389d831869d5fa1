// The HTTP servers of a daemon: one request listener for all routes, the limits of each server, listening and closing.

import { chmodSync, renameSync, rmSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server as NetServer } from 'node:net'
import { dirname, join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { ArcError, describe } from '../../engine/errors.ts'
import type { Usage } from '../process/idle.ts'
import type { InFlight } from '../process/in-flight.ts'
import type { Authenticator } from './auth.ts'
import { Connections, SOCKET_LIMITS } from './connections.ts'
import type { HttpApp } from './service.ts'

export const LOOPBACK = '127.0.0.1'
const DEFAULT_PORT = 4_747
// The shortest limit for the path of a Unix socket among the supported systems.
const MAX_SOCKET_PATH = 103
// For steps that wait for approval: they are denied, and the denial is sent.
const ABORT_MS = 2_000

/** Passes requests to the routes, together with the server that received them. */
export function createListener(app: HttpApp, isLocal: boolean, socket?: 'control'): RequestListener {
  return getRequestListener((request, { incoming: given }) => {
    const incoming = given as IncomingMessage
    const { remotePort: clientPort, localPort: serverPort } = incoming.socket
    return app.fetch(request, { isLocal, incoming, socket, clientPort, serverPort })
  })
}

/** A server whose requests count as use of the daemon, with limits for its connections. */
export function createHttpServer(listener: RequestListener, usage: Usage, connections: Connections): Server {
  const server = createServer(connections.options, (request, response) => {
    usage.touch()
    connections.noteRequest(request, response)
    listener(request, response)
  })
  usage.trackStreams(server)
  connections.watch(server)
  return server
}

/** The limits of a socket: file permissions say who may connect, so every connection counts as authenticated. */
export function createSocketConnections(): Connections {
  return new Connections(SOCKET_LIMITS)
}

/** Does this request come from a signed-in page or a program with the token? */
export function isSignedIn(auth: Authenticator, { authorization, cookie }: IncomingHttpHeaders): boolean {
  return auth.isAuthenticated({ authorization, cookie })
}

/** Listens on loopback and returns the port: `wanted`, or the default port, or a free port if the default is in use. */
export async function listenOnPort(server: Server, wanted: number | undefined): Promise<number> {
  try {
    await listen(server, { host: LOOPBACK, port: wanted ?? DEFAULT_PORT })
  } catch (error) {
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    if (wanted !== undefined || !isInUse) {
      throw new ArcError('ARC_DAEMON_FAILED', `Cannot listen on port ${wanted ?? DEFAULT_PORT}: ${describe(error)}.`)
    }
    await listen(server, { host: LOOPBACK, port: 0 })
  }
  return (server.address() as AddressInfo).port
}

/**
 * Listens on a Unix socket and replaces a file that is there: no daemon answers at it. Created under another name and
 * without rights for others, then renamed: no process can connect too early, and Node removes only the other name at the end.
 */
export async function listenOnSocket(server: NetServer, path: string): Promise<void> {
  // Not longer than `arc.sock`: the system limits the length.
  const draft = join(dirname(path), `s${process.pid}`)
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    const message = `The path of the socket is too long for this system (${Buffer.byteLength(path)} bytes): ${path}.`
    throw new ArcError('ARC_DAEMON_FAILED', message)
  }
  rmSync(draft, { force: true })
  const before = process.umask(0o177)
  try {
    await listen(server, { path: draft })
  } finally {
    process.umask(before)
  }
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

/** Listens at a path again, for a server whose socket file was removed. The connections go to the same server. */
export async function listenAgain(server: Server, path: string): Promise<NetServer> {
  const listener = createNetServer((connection) => void server.emit('connection', connection))
  await listenOnSocket(listener, path)
  return listener
}

function listen(server: NetServer, where: { host: string; port: number } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

interface Closing {
  readonly inFlight: InFlight
  /** Aborted when the work in flight takes too long: steps that wait for approval are then denied. */
  readonly stopping: AbortController
  readonly finishMs: number
}

/** Accepts no new work, waits for the work in flight, then for the denial of steps that wait for approval. */
export async function closeServers(
  servers: readonly Server[],
  { inFlight, stopping, finishMs }: Closing,
): Promise<void> {
  for (const server of servers) {
    server.close()
    server.closeIdleConnections()
  }
  await inFlight.finish(finishMs)
  stopping.abort()
  await inFlight.finish(ABORT_MS)
  // Replies are sent before their connections are closed.
  await new Promise((resolve) => setImmediate(resolve))
  for (const server of servers) server.closeIdleConnections()
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (const server of servers) server.closeAllConnections()
}
