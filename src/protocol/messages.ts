// The messages of a daemon's stream, and some responses. Types for daemon and page: imports only this folder.

import type { EventView, FeedStep } from './feed-views.ts'
import type { BreakerView, Overview } from './views.ts'

/** A row of the log. */
export interface Row {
  readonly id: string
  readonly seq: number
  readonly time: string
  readonly level: string
  readonly component: string
  readonly action: string
  readonly profile?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly point?: string | undefined
  readonly tool?: string | undefined
  readonly hook?: string | undefined
  readonly mode?: string | undefined
  readonly decision?: string | undefined
  readonly applied?: boolean | undefined
  readonly cause?: string | undefined
  readonly reason?: string | undefined
  readonly durationMs?: number | undefined
}

/** The first message: the start of the stream. */
interface HelloMessage {
  readonly type: 'hello'
  readonly version: string
  /** The stream continues after this record. Less than requested: the trace was restarted, so load the snapshot again. */
  readonly after: number
}

/** New rows, in order and complete. */
interface RowsMessage {
  readonly type: 'rows'
  readonly rows: readonly Row[]
  /** The last row: resume from here. */
  readonly seq: number
}

/** Rows that were deleted. */
interface GapMessage {
  readonly type: 'gap'
  readonly from: number
  readonly to: number
}

/** No new records; the connection is alive. */
interface AliveMessage {
  readonly type: 'alive'
  readonly time: string
}

/** With `view=feed`, instead of `rows`: each new step complete, once, in order, and the events between them. */
export interface FeedMessage {
  readonly type: 'feed'
  readonly steps: readonly FeedStep[]
  readonly events: readonly EventView[]
  /** The last record: resume from here. */
  readonly seq: number
}

/** With `view=feed`: the overview, when it has changed. */
interface OverviewMessage {
  readonly type: 'pulse'
  readonly pulse: Overview
}

/** A message of the stream; `feed` and `pulse` only with `view=feed`, which sends no `rows`. */
export type StreamMessage = HelloMessage | RowsMessage | FeedMessage | OverviewMessage | GapMessage | AliveMessage

/** The header with the pid of the process that requests a login link. */
export const LOGIN_PROCESS_HEADER = 'x-arc-process'

/** `GET /v1/status`, and `arc status --json` with `loginUrl` added. */
export interface StatusView {
  readonly running: boolean
  readonly pid: number | null
  readonly url: string | null
  readonly socket: string | null
  readonly profile: string
  readonly enforcement: string
  readonly breaker: BreakerView
  readonly uptimeMs: number | null
}

/** `GET /health`. */
export interface HealthView {
  readonly ok: boolean
  readonly version: string
  /** The version with a digest of the sources; null if it is unknown. */
  readonly build: string | null
  readonly pid: number
  readonly uptimeMs: number
}
