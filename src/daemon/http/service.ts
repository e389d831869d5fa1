// What the routes of a daemon have in common.

import type { IncomingMessage } from 'node:http'
import type { Hono } from 'hono'
import type { Admission } from '../hook-call/admission.ts'
import type { SupervisorPool } from '../hook-call/supervisors.ts'
import type { TraceFollower } from '../live/trace-tail.ts'
import type { TaskDesk } from '../task-service.ts'
import type { Gate } from './auth.ts'
import type { ManagedDoors } from './managed-sockets.ts'

/** The most that one request may hold. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** What is said of a request at which the daemon itself failed. */
export const FAILED = {
  code: 'ARC_DAEMON_FAILED',
  message: 'The daemon failed at this request; its log says why.',
} as const

/** Nothing of an answer is for other pages, or to be kept by the browser unless it says so. */
export const OF_EVERY_ANSWER = [
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cache-control', 'no-store'],
] as const

/** A running daemon, as its routes see it. */
export interface Service {
  readonly home: string
  readonly version: string
  readonly pool: SupervisorPool
  readonly gate: Gate
  readonly follower: TraceFollower
  readonly work: WorkInHand
  readonly tasks: TaskDesk
  readonly intake: Admission
  /** Aborted when the daemon has to end although steps are held. */
  readonly signal: AbortSignal
  readonly socket: string
  /** Set on a managed machine. */
  readonly managed?: ManagedDoors | undefined
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
    readonly door?: 'control' | undefined
    /** The ports of a connection on loopback. */
    readonly clientPort?: number | undefined
    readonly serverPort?: number | undefined
  }
}

export type App = Hono<Env>

/** Counts what is under way, so that a stop can wait for it. */
export class WorkInHand {
  readonly #open = new Set<Promise<unknown>>()

  /** Counts a piece of work until it is over. */
  add<T>(work: Promise<T>): Promise<T> {
    const end = (): void => {
      this.#open.delete(counted)
    }
    const counted = work.then(end, end)
    this.#open.add(counted)
    return work
  }

  get size(): number {
    return this.#open.size
  }

  /** Until all is over, or the time is. */
  async finish(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([Promise.all(this.#open), over])
    clearTimeout(timer)
  }
}
