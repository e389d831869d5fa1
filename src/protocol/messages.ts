// What goes over the stream of a daemon, and what its pages answer. Types for both sides: imports nothing but its neighbours.

import type { EventView, FeedStep } from './feed-views.ts'
import type { BreakerView, Overview } from './views.ts'

/** A line of the log. */
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

/** The first message: where the stream begins. */
interface HelloMessage {
  readonly type: 'hello'
  readonly version: string
  /** What came after this record follows. Less than was asked for: the record began anew, so load the snapshot again. */
  readonly after: number
}

/** New rows, in order, none left out. */
interface RowsMessage {
  readonly type: 'rows'
  readonly rows: readonly Row[]
  /** The last of them: to go on from after a break. */
  readonly seq: number
}

/** Rows that are kept no more: the record was cut. */
interface GapMessage {
  readonly type: 'gap'
  readonly from: number
  readonly to: number
}

/** Nothing new, but somebody is there. */
interface AliveMessage {
  readonly type: 'alive'
  readonly time: string
}

/** With `view=feed`, in place of `rows`: each new step whole, once, in order, and the events between them. */
export interface FeedMessage {
  readonly type: 'feed'
  readonly steps: readonly FeedStep[]
  readonly events: readonly EventView[]
  /** The last record of all these: to go on from after a break. */
  readonly seq: number
}

/** With `view=feed`: the figures, when something of them changed. */
interface OverviewMessage {
  readonly type: 'pulse'
  readonly pulse: Overview
}

/** What a daemon sends over the stream; `feed` and `pulse` only with `view=feed`, which sends no `rows`. */
export type StreamMessage = HelloMessage | RowsMessage | FeedMessage | OverviewMessage | GapMessage | AliveMessage

/** Names the process that asks for a login link. */
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
  readonly pid: number
  readonly uptimeMs: number
}
