// What goes over the stream of a daemon, and what its pages answer. Types for both sides: imports nothing.

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
  /** Rows after this one follow. */
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

/** What a daemon sends over the stream. */
export type StreamMessage = HelloMessage | RowsMessage | GapMessage | AliveMessage

/** The breaker of a profile. */
export interface BreakerView {
  readonly state: 'closed' | 'open' | 'half-open'
  readonly failures: number
  readonly threshold: number
  readonly openedAt: number | null
  readonly halfOpenAt: number | null
}

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
interface RoundtableTurnView extends RoundtableWords {
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
