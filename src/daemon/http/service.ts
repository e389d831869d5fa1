// The running daemon as its routes see it.

import type { IncomingMessage } from 'node:http'
import type { Hono } from 'hono'
import type { Admission } from '../hook-call/admission.ts'
import type { SupervisorPool } from '../hook-call/supervisor-pool.ts'
import type { TraceTail } from '../live/trace-tail.ts'
import type { Announcer } from '../notify/announcer.ts'
import type { InFlight } from '../process/in-flight.ts'
import type { TaskService } from '../task-service.ts'
import type { Authenticator } from './auth.ts'
import type { ManagedSockets } from './managed-sockets.ts'

/** The maximum size of a request body. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** The error of a request at which the daemon failed. */
export const INTERNAL_ERROR = {
  code: 'ARC_DAEMON_FAILED',
  message: 'The daemon failed at this request. Its log has the reason.',
} as const

/** Headers of every response: not for other pages, not cached by default. */
export const COMMON_HEADERS = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
] as const

/** The parts of a running daemon. */
export interface Service {
  readonly home: string
  readonly version: string
  /** The build of the running program, if it is known. */
  readonly build?: string | undefined
  readonly pool: SupervisorPool
  /** Sends the messages about held steps. */
  readonly announcer: Announcer
  readonly auth: Authenticator
  readonly traceTail: TraceTail
  readonly inFlight: InFlight
  readonly tasks: TaskService
  readonly admission: Admission
  /** Aborted when the daemon must end while steps wait for approval. */
  readonly signal: AbortSignal
  readonly socket: string
  /** Set on a managed machine. */
  readonly managed?: ManagedSockets | undefined
  /** A link that opens the page signed in; undefined until the port is known. */
  loginUrl(): string | undefined
  /** The address of the page; undefined until the port is known. */
  url(): string | undefined
  uptimeMs(): number
}

/** The context of each request: the server that received it. */
export type Env = {
  Bindings: {
    readonly isLocal: boolean
    readonly incoming?: IncomingMessage
    readonly socket?: 'control' | undefined
    /** The ports of a connection on loopback. */
    readonly clientPort?: number | undefined
    readonly serverPort?: number | undefined
  }
}

export type HttpApp = Hono<Env>
