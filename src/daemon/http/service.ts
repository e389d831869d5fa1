// What the routes of a daemon have in common.

import type { IncomingMessage } from 'node:http'
import type { Hono } from 'hono'
import type { Admission } from '../hook-call/admission.ts'
import type { SupervisorPool } from '../hook-call/supervisor-pool.ts'
import type { TraceTail } from '../live/trace-tail.ts'
import type { InFlight } from '../process/in-flight.ts'
import type { TaskService } from '../task-service.ts'
import type { Authenticator } from './auth.ts'
import type { ManagedSockets } from './managed-sockets.ts'

/** The most that one request may hold. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** What is said of a request at which the daemon itself failed. */
export const INTERNAL_ERROR = {
  code: 'ARC_DAEMON_FAILED',
  message: 'The daemon failed at this request; its log says why.',
} as const

/** Nothing of an answer is for other pages, or to be kept by the browser unless it says so. */
export const COMMON_HEADERS = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
] as const

/** A running daemon, as its routes see it. */
export interface Service {
  readonly home: string
  readonly version: string
  readonly pool: SupervisorPool
  readonly auth: Authenticator
  readonly traceTail: TraceTail
  readonly inFlight: InFlight
  readonly tasks: TaskService
  readonly admission: Admission
  /** Aborted when the daemon has to end although steps are held. */
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

/** What each request is handled with: where it came in. */
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

export type App = Hono<Env>
