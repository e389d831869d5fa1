// The responses of `GET /v1/…` that the dashboard reads. Types for daemon and page: imports only this folder. Show text as
// text, never as markup. Times are ISO strings; names that end in `At` are wall-clock milliseconds, if not stated otherwise.

import type { ApprovalView } from './approval-views.ts'
import type { Action, ActionsPage, EventView, ModeName } from './feed-views.ts'

export type * from './approval-views.ts'
export type * from './feed-views.ts'
export type * from './roundtable-views.ts'

// ── The pipeline ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The statistics of a hook over the newest records, see `since` in `Overview`. */
export interface HookStats {
  readonly runs: number
  /** Runs a minute over the last five minutes. */
  readonly perMinute: number
  readonly errors: number
  /** 0 to 1. */
  readonly errorRate: number
  readonly skips: number
  readonly pass: number
  readonly flag: number
  readonly ask: number
  readonly block: number
  /** Over the newest runs; null before the first. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** ISO; null before the first. */
  readonly lastRun: string | null
}

/** A hook of the pipeline; `GET /v1/hooks` returns them in order. */
export interface HookView {
  readonly name: string
  readonly priority: number
  readonly points: readonly string[]
  /** The hook's own mode; default: the profile's mode. */
  readonly mode?: ModeName | undefined
  /** The mode in force: the lowest of profile, hook and breaker. */
  readonly effectiveMode: ModeName
  readonly enabled: boolean
  readonly timeoutMs: number
  readonly critical: boolean
  /** `built-in`, `program`, or the file and line. */
  readonly source: string
  readonly layer: string
  /** Why the hook is disabled, and until when in wall-clock milliseconds. */
  readonly disabled?: { readonly until?: number | undefined; readonly reason?: string | undefined } | undefined
  /** Set if installed agents never reach the points of the hook: who, or how the points are reached. */
  readonly reachNote?: string | undefined
  readonly stats: HookStats
}

// ── The overview ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Steps by decision. */
export interface DecisionCounts {
  readonly pass: number
  readonly flag: number
  readonly ask: number
  readonly block: number
}

/** The decisions of a period. */
export interface Bucket extends DecisionCounts {
  /** The start of the period. */
  readonly at: number
  /** Failed hooks. */
  readonly error: number
}

/** The share of tool calls that were checked before they ran. */
export interface Coverage {
  /** All tool calls. */
  readonly calls: number
  /** Tool calls that were checked before they ran. */
  readonly supervised: number
}

/** A session of an agent. */
export interface SessionView {
  readonly id: string
  readonly host: string | null
  readonly agents: readonly string[]
  readonly profile: string | null
  readonly workspace: string | null
  readonly startedAt: number
  readonly lastAt: number
  /** Null without a known end. */
  readonly endedAt: number | null
  /** The session has recent records and has not ended. */
  readonly isActive: boolean
  readonly steps: number
  readonly decisions: DecisionCounts
  readonly coverage: Coverage
  /** The last action. */
  readonly lastTool: string | null
  readonly lastPreview: string
}

/** Something that needs a person's attention. */
export interface NeedView {
  readonly kind: 'approval' | 'breaker' | 'problem' | 'durability' | 'failing-hook' | 'hook-off' | 'unsupervised'
  /** A line of plain text. */
  readonly text: string
  /** A command for the terminal that helps. */
  readonly command?: string | undefined
  /** The id of the approval, hook, session or task. */
  readonly id?: string | undefined
}

/** The breaker of a profile. */
export interface BreakerView {
  readonly state: 'closed' | 'open' | 'half-open'
  readonly failures: number
  readonly threshold: number
  readonly openedAt: number | null
  readonly halfOpenAt: number | null
}

/** `GET /v1/overview`; also sent over the stream when it has changed, at most about once a second. */
export interface Overview {
  /** The daemon's clock, for countdowns. */
  readonly now: number
  readonly version: string
  readonly profile: string
  readonly enforcement: ModeName
  readonly breaker: BreakerView
  readonly uptimeMs: number
  /** False if the trace is only in memory. */
  readonly isDurable: boolean
  /** The newest record that is included. */
  readonly seq: number
  /** The time of the first counted record; null without records. The values below count from here. */
  readonly since: number | null
  readonly hooks: readonly HookView[]
  /** The decisions of the last hour and of the last five minutes. */
  readonly decisions: { readonly hour: DecisionCounts; readonly fiveMinutes: DecisionCounts }
  /** Sixty minutes, oldest first, empty ones included. */
  readonly minutes: readonly Bucket[]
  /** Evaluations by hour over 24 hours, oldest first, without empty hours; over all records. */
  readonly hours: readonly Bucket[]
  readonly coverage: Coverage
  /** Active sessions, newest activity first; at most 50. */
  readonly sessions: readonly SessionView[]
  readonly needs: readonly NeedView[]
  readonly approvals: readonly ApprovalView[]
}

/** `GET /v1/snapshot`: all data of the first paint; then `WS /v1/stream?view=feed&after=<seq>`. */
export interface Snapshot {
  readonly pulse: Overview
  /** The newest actions, newest first. */
  readonly feed: ActionsPage
  /** The address of the pages, such as `http://127.0.0.1:4747`. */
  readonly url: string | null
  /** The stream continues after this record. */
  readonly seq: number
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `GET /v1/sessions`: newest activity first, of the newest records. */
export interface SessionsView {
  readonly since: number | null
  readonly sessions: readonly SessionView[]
}

/** `GET /v1/sessions/:id`: its newest 1 000 actions, for a waterfall. */
export interface SessionDetail {
  readonly session: SessionView
  /** Oldest first. A bar starts at `time` and lasts `ranMs`, or `durationMs` if no tool ran. */
  readonly actions: readonly Action[]
  readonly events: readonly EventView[]
  /** There are older actions. */
  readonly isCut: boolean
}

// ── Configuration ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A setting in force. */
interface SettingView {
  readonly key: string
  readonly value: unknown
  /** `file:line`, or `default`. */
  readonly from: string
}

/** A problem of a configuration file. */
export interface ProblemView {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly message: string
}

/** `GET /v1/config[?profile=NAME]`, as `arc profile show --json`, with all profiles. Read-only. */
export interface ConfigView {
  readonly name: string
  readonly file?: string | undefined
  readonly inUse: boolean
  readonly enforcement: string
  readonly tool?: string | undefined
  /** The files are invalid: the last good configuration is in force. */
  readonly isStale: boolean
  readonly problems: readonly ProblemView[]
  readonly settings: readonly SettingView[]
  /** All profiles. */
  readonly profiles: readonly { readonly name: string; readonly active: boolean }[]
  readonly home: string
}

// ── Tasks ───────────────────────────────────────────────────────────────────────────────────────────

/** `GET /v1/tasks[?status=&from=&to=]`. */
export interface TaskView {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly description: string
  readonly status: 'created' | 'assigned' | 'working' | 'input-required' | 'completed' | 'failed' | 'cancelled'
  readonly priority: 'low' | 'medium' | 'high' | 'critical'
  readonly riskTier?: number | undefined
  readonly attempts: number
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly lease?: { readonly holder: string; readonly ms: number; readonly expiresAt: number }
  readonly output?: string | undefined
  readonly reason?: string | undefined
  readonly question?: string | undefined
  readonly answer?: string | undefined
}

/** `GET /v1/tasks/:id`. */
export interface TaskDetail extends TaskView {
  readonly history: readonly {
    readonly version: number
    readonly from: string | null
    readonly to: string
    readonly by: string | null
    readonly at: number
    readonly text?: string | undefined
  }[]
}

/** The body of every error response. */
export interface ErrorView {
  readonly error: { readonly code: string; readonly message: string }
}
