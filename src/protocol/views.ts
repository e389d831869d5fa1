// What the daemon's pages are made of: the answers of `GET /v1/…` that the dashboard reads. Types for both sides: imports
// nothing but its neighbours. Text in here is shown as text and never as markup. Times are ISO texts, and wall-clock
// milliseconds where the name ends in `At`, or says so.

import type { Action, ActionsPage, EventView, ModeName } from './feed-views.ts'

export type * from './feed-views.ts'

// ── The pipeline ────────────────────────────────────────────────────────────────────────────────────────────────────

/** How a hook has done lately: counted over the newest records, see `since` in `Pulse`. */
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

/** One hook of the pipeline: `GET /v1/hooks` gives them in order. */
export interface HookView {
  readonly name: string
  readonly priority: number
  readonly points: readonly string[]
  /** The hook's own mode; absent where the profile's holds. */
  readonly mode?: ModeName | undefined
  /** The mode in force: the lowest of profile, hook and breaker. */
  readonly effectiveMode: ModeName
  readonly enabled: boolean
  readonly timeoutMs: number
  readonly critical: boolean
  /** `built-in`, `program`, or the file and line. */
  readonly source: string
  readonly layer: string
  /** Why it is switched off, and until when in wall-clock milliseconds. */
  readonly disabled?: { readonly until?: number | undefined; readonly reason?: string | undefined } | undefined
  readonly stats: HookStats
}

// ── The overview ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Steps by what was decided on them. */
export interface DecisionCounts {
  readonly pass: number
  readonly flag: number
  readonly ask: number
  readonly block: number
}

/** The decisions of one span of time. */
export interface Bucket extends DecisionCounts {
  /** Its beginning, in wall-clock milliseconds. */
  readonly at: number
  /** Hooks that failed. */
  readonly error: number
}

/** How much of what agents did was seen before it was done. */
export interface Coverage {
  /** Tool calls that were seen at all. */
  readonly calls: number
  /** Those that were asked about before they ran. */
  readonly supervised: number
}

/** A session of an agent, in short. */
export interface SessionView {
  readonly id: string
  readonly host: string | null
  readonly agents: readonly string[]
  readonly profile: string | null
  readonly workspace: string | null
  readonly startedAt: number
  readonly lastAt: number
  /** Null while it goes on, as far as is known. */
  readonly endedAt: number | null
  /** Something happened in it within the last minutes, and it has not ended. */
  readonly isActive: boolean
  readonly steps: number
  readonly decisions: DecisionCounts
  readonly coverage: Coverage
  /** What it did last. */
  readonly lastTool: string | null
  readonly lastPreview: string
}

/** Something that only a person can put right, the most urgent first. */
export interface NeedView {
  readonly kind: 'approval' | 'breaker' | 'problem' | 'durability' | 'failing-hook' | 'hook-off' | 'unsupervised'
  /** One line, plain text. */
  readonly text: string
  /** A command that helps, for the terminal. */
  readonly command?: string | undefined
  /** What it is about: the approval, hook, session or task. */
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

/** `GET /v1/overview`; also sent over the stream when something of it changed, at most once a second or so. */
export interface Overview {
  /** The daemon's clock, to count down with. */
  readonly now: number
  readonly version: string
  readonly profile: string
  readonly enforcement: ModeName
  readonly breaker: BreakerView
  readonly uptimeMs: number
  /** False when the record ends with the daemon. */
  readonly isDurable: boolean
  /** The newest record that is counted in. */
  readonly seq: number
  /** Everything below counts from here on, in wall-clock milliseconds: the newest records only. Null when there are none. */
  readonly since: number | null
  readonly hooks: readonly HookView[]
  /** Of the last hour, and of the last five minutes. */
  readonly decisions: { readonly hour: DecisionCounts; readonly fiveMinutes: DecisionCounts }
  /** Sixty minutes, oldest first; empty ones included. */
  readonly minutes: readonly Bucket[]
  /** Evaluations of hooks over 24 hours, oldest first; hours without any are left out. Counted since ever. */
  readonly hours: readonly Bucket[]
  readonly coverage: Coverage
  /** Those with something in the last minutes, the latest first; at most 50. */
  readonly sessions: readonly SessionView[]
  readonly needs: readonly NeedView[]
  readonly approvals: readonly ApprovalView[]
}

/** `GET /v1/snapshot`: the first paint of every page in one request; then `WS /v1/stream?view=feed&after=<seq>`. */
export interface Snapshot {
  readonly pulse: Overview
  /** The newest, newest first. */
  readonly feed: ActionsPage
  /** What the pages are called with, such as `http://127.0.0.1:4747`. */
  readonly url: string | null
  /** Where the stream goes on. */
  readonly seq: number
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `GET /v1/sessions`: the latest first, of the newest records. */
export interface SessionsView {
  readonly since: number | null
  readonly sessions: readonly SessionView[]
}

/** `GET /v1/sessions/:id`: everything it did, for a waterfall; the newest 1 000 actions of it. */
export interface SessionDetail {
  readonly session: SessionView
  /** Oldest first. A bar runs from `time` for `ranMs`, or for `durationMs` where nothing ran. */
  readonly actions: readonly Action[]
  readonly events: readonly EventView[]
  /** There was more before. */
  readonly isCut: boolean
}

// ── Approvals ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** `GET /v1/approvals[?all=true]`; `POST /v1/approvals/:id/approve|deny` gives the one that was answered. */
export interface ApprovalView {
  readonly id: string
  readonly step: {
    readonly point: string
    readonly tool?: string | undefined
    /** Exactly what would run, edits of hooks included; null where it is cut. */
    readonly args: unknown
    readonly workspace?: string | undefined
    readonly session?: string | undefined
  }
  /** The command, where it is one, else the arguments as JSON: whole, with characters nobody can see written as escapes. */
  readonly command: string
  /** Only its beginning: `GET /v1/approvals` has all of what is pending. Nobody can approve what they cannot see. */
  readonly isCut: boolean
  /** Set where the arguments are too long to be stored: what is shown is a preview of so many bytes. */
  readonly preview: { readonly bytes: number; readonly sha256: string } | null
  readonly reason: string | null
  readonly hook: string | null
  readonly status: 'pending' | 'approved' | 'denied' | 'expired' | 'used'
  readonly answeredBy: string | null
  /** ISO. */
  readonly createdAt: string
  readonly expiresAt: string
}

// ── Configuration ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A setting in force. */
interface SettingView {
  readonly key: string
  readonly value: unknown
  /** `file:line`, or `default`. */
  readonly from: string
}

/** Something wrong with a file. */
export interface ProblemView {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly message: string
}

/** `GET /v1/config[?profile=NAME]`, as `arc profile show --json`, and what else is there. Read-only. */
export interface ConfigView {
  readonly name: string
  readonly file?: string | undefined
  readonly inUse: boolean
  readonly enforcement: string
  readonly tool?: string | undefined
  /** The files are bad now: what was last good is in force. */
  readonly isStale: boolean
  readonly problems: readonly ProblemView[]
  readonly settings: readonly SettingView[]
  /** All profiles there are. */
  readonly profiles: readonly { readonly name: string; readonly active: boolean }[]
  readonly home: string
}

// ── What agents do together ─────────────────────────────────────────────────────────────────────────────────────────

/** How an agent is to argue at a roundtable. */
type RoundtableRole = 'advocate' | 'critic' | 'neutral'

/** Something said at a roundtable, as it was said: never to be taken for HTML or for control of a terminal. */
interface RoundtableWords {
  /** From 1. */
  readonly round: number
  readonly content: string
  /** How it was heard: as a message to the others, or as the answer to a prompt. */
  readonly via: 'message' | 'response'
}

/** A turn at a roundtable. Times are wall-clock milliseconds. */
export interface RoundtableTurnView extends RoundtableWords {
  readonly agent: string
  readonly role: RoundtableRole
  /** `spoken`, or why the turn was given up: then `content` is empty and `reason` says more. */
  readonly outcome: 'spoken' | 'silent' | 'failed' | 'timeout' | 'blocked' | 'held'
  readonly reason: string | null
  /** Null at a table that nobody drives, as `durationMs` is. */
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** The decision that stopped the turn, for `/v1/decisions/:id`. */
  readonly traceId: string | null
}

/** What a roundtable came to. */
interface RoundtableSynthesisView extends RoundtableWords {
  /** Who summed up; null when nobody did. */
  readonly agent: string | null
  /** From 0, all disagree, to 1; null when nobody said. */
  readonly consensus: number | null
  readonly summary: string
  readonly keyPoints: readonly string[]
  /** Put together without an agent, because none gave a synthesis that could be read. */
  readonly isFallback: boolean
  readonly reason: string | null
  readonly durationMs: number | null
}

/** `GET /v1/roundtables/:id`; `GET /v1/roundtables` is a list of these, the oldest first. Times as in turns. */
export interface RoundtableView {
  readonly id: string
  readonly session: string
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
  /** `interrupted`: whoever drove it stopped. `deserted`: nobody took a turn for too long. */
  readonly status: 'active' | 'synthesizing' | 'complete' | 'interrupted' | 'deserted'
  readonly startedAt: number
  readonly endedAt: number | null
  /** When it counts as deserted unless somebody speaks. */
  readonly expiresAt: number
  /** Until its end, or until now while it goes on. */
  readonly durationMs: number | null
  /** The profile that judges it, when `arc roundtable` drives it. */
  readonly profile: string | null
  /** Does `arc roundtable` ask the agents, rather than a message having opened it in a session? */
  readonly isDriven: boolean
  readonly seats: readonly { readonly agent: string; readonly role: RoundtableRole }[]
  readonly turns: readonly RoundtableTurnView[]
  /** Whose turn it is while the rounds go on; `since` when it was asked. */
  readonly speaking: {
    readonly agent: string
    readonly round: number
    readonly role: RoundtableRole
    readonly since: number | null
  } | null
  /** What was said out of turn; the latest only. */
  readonly asides: readonly (RoundtableWords & { readonly agent: string })[]
  readonly asideCount: number
  readonly synthesis?: RoundtableSynthesisView | undefined
}

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

/** What every refusal looks like. */
export interface ErrorView {
  readonly error: { readonly code: string; readonly message: string }
}
