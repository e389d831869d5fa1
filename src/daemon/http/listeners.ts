// The HTTP servers of a daemon: one request listener for all routes, and limits for each place where it listens.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Usage } from '../process/idle.ts'
import type { Gate } from './auth.ts'
import { Door, SOCKET_LIMITS } from './connections.ts'
import type { App } from './service.ts'

/** Hands requests to the routes, together with where they came in. */
export function listenerOf(app: App, isLocal: boolean, door?: 'control'): RequestListener {
  return getRequestListener((request, { incoming: given }) => {
    const incoming = given as IncomingMessage
    const { remotePort: clientPort, localPort: serverPort } = incoming.socket
    return app.fetch(request, { isLocal, incoming, door, clientPort, serverPort })
  })
}

/** A server that counts as use of the daemon and keeps the limits of its door. */
export function serverOf(listener: RequestListener, usage: Usage, door: Door): Server {
  const server = createServer(door.options, (request, response) => {
    usage.touch()
    door.noteRequest(request, response)
    listener(request, response)
  })
  usage.follow(server)
  door.watch(server)
  return server
}

/** The limits of a socket: file permissions say who may connect, so every connection counts as known. */
export function socketDoor(): Door {
  return new Door(SOCKET_LIMITS, () => true)
}

/** Does this request come from a signed-in page or a program with the token? */
export function isSignedIn(gate: Gate, { authorization, cookie }: IncomingHttpHeaders): boolean {
  return gate.isKnown({ authorization, cookie })
}
