// Roundtables as the dashboard shows them.

/** The role of an agent at a roundtable. */
type RoundtableRole = 'advocate' | 'critic' | 'neutral'

/** A message at a roundtable: untrusted text, never HTML or terminal control. */
interface RoundtableWords {
  /** From 1. */
  readonly round: number
  readonly content: string
  /** A message to the others, or the response to a prompt. */
  readonly via: 'message' | 'response'
}

/** A turn at a roundtable. Times are wall-clock milliseconds. */
export interface RoundtableTurnView extends RoundtableWords {
  readonly agent: string
  readonly role: RoundtableRole
  /** `spoken`, or why the turn has no content; `reason` then has the details. */
  readonly outcome: 'spoken' | 'silent' | 'failed' | 'timeout' | 'blocked' | 'held'
  readonly reason: string | null
  /** Null, like `durationMs`, if `arc roundtable` does not drive the roundtable. */
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** The decision that blocked the turn, for `/v1/decisions/:id`. */
  readonly traceId: string | null
}

/** The synthesis of a roundtable. */
interface RoundtableSynthesisView extends RoundtableWords {
  /** The agent that wrote the synthesis; null without an agent. */
  readonly agent: string | null
  /** From 0 (disagreement) to 1; null if unknown. */
  readonly consensus: number | null
  readonly summary: string
  readonly keyPoints: readonly string[]
  /** Generated without an agent: no agent returned a valid synthesis. */
  readonly isFallback: boolean
  readonly reason: string | null
  readonly durationMs: number | null
}

/** An agent at a roundtable, and the running session that takes its turns. */
interface RoundtableSeatView {
  readonly agent: string
  readonly role: RoundtableRole
  readonly session: string | null
  readonly host: string | null
}

/** What a roundtable of running sessions waits for. */
export interface RoundtableAwaitedView {
  readonly what: 'turn' | 'synthesis'
  readonly agent: string
  /** Null for the synthesis. */
  readonly role: RoundtableRole | null
  readonly round: number
  /** The session that has to answer; null if no session has taken the seat. */
  readonly session: string | null
  readonly host: string | null
  /** The commands that continue the roundtable; null if a session has taken the seat. */
  readonly join: string | null
  readonly drive: string | null
  /** All of this in one line. */
  readonly note: string
}

/** `GET /v1/roundtables/:id`; `GET /v1/roundtables` is a list of these, oldest first. Times as in turns. */
export interface RoundtableView {
  readonly id: string
  readonly session: string
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
  /** `interrupted`: its process stopped. `deserted`: no turn for too long. */
  readonly status: 'active' | 'synthesizing' | 'complete' | 'interrupted' | 'deserted'
  readonly startedAt: number
  readonly endedAt: number | null
  /** When it counts as deserted without another turn. */
  readonly expiresAt: number
  /** Until its end, or until now. */
  readonly durationMs: number | null
  /** The profile of its supervision, if `arc roundtable` drives it. */
  readonly profile: string | null
  /** True if `arc roundtable` prompts the agents; false if a message opened it in a session. */
  readonly isDriven: boolean
  readonly seats: readonly RoundtableSeatView[]
  readonly turns: readonly RoundtableTurnView[]
  /** The agent whose turn it is; `since` is the time of its prompt. */
  readonly speaking: {
    readonly agent: string
    readonly round: number
    readonly role: RoundtableRole
    readonly since: number | null
  } | null
  /** Null while `arc roundtable` drives the roundtable, and at its end. */
  readonly awaited: RoundtableAwaitedView | null
  /** The newest messages out of turn. */
  readonly asides: readonly (RoundtableWords & { readonly agent: string })[]
  readonly asideCount: number
  readonly synthesis?: RoundtableSynthesisView | undefined
}
