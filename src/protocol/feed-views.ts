// The feed: steps as they come, the rows they make, and everything about one of them. Types for both sides: imports nothing.
// All text in here was written by agents or by what they ran: it is shown as text and never as markup.

/** What hooks decide, from the mildest. */
export type DecisionName = 'pass' | 'flag' | 'ask' | 'block'

/** How much hooks may do, from the least. */
export type ModeName = 'off' | 'log' | 'advise' | 'enforce'

/** One hook's verdict on a step, in short. The whole of it is in `ActionDetail`. */
export interface FeedVerdict {
  readonly hook: string
  readonly decision: DecisionName
  /** Did it change what happens? A `block` that was not applied is one that would have blocked. */
  readonly applied: boolean
  readonly durationMs: number
  /** The hook failed: its verdict is what a failure counts as. */
  readonly isError?: boolean | undefined
  /** The hook did not run: `disabled`, `snoozed` or `off`. */
  readonly skipped?: string | undefined
}

/** One step as the feed shows it. A tool call has two: the one before it and the one after. */
export interface FeedStep {
  /** Its place in the record: the order of the feed, and what a page is resumed from. */
  readonly seq: number
  /** `arc why <id>`. */
  readonly id: string
  /** The action it belongs to: the id of the step that began it, its own unless it came after another. */
  readonly action: string
  /** `before` a tool call, `after` one, or a step of its own such as a message. */
  readonly phase: 'before' | 'after' | 'alone'
  readonly time: string
  readonly point: string
  readonly tool?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly profile?: string | undefined
  readonly workspace?: string | undefined
  /** The command, path or message, on one line, at most 200 characters; from the redacted record. */
  readonly preview: string
  readonly decision: DecisionName
  readonly blocked: boolean
  /** Who decided, and why (at most 300 characters). */
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  /** The hook that would have held or blocked, and did not because of its mode. */
  readonly wouldBlock?: string | undefined
  /** Hooks changed the data. */
  readonly isEdited?: boolean | undefined
  /** The rule of the gravest evidence, such as `git/push-force`. */
  readonly rule?: string | undefined
  /** What the hooks took together. */
  readonly durationMs: number
  /** The hooks that ran or were skipped, in order. */
  readonly verdicts: readonly FeedVerdict[]
  /** After a tool call: how long the tool took. */
  readonly ranMs?: number | undefined
  /** The tool ran without having been asked about. */
  readonly isUnsupervised?: boolean | undefined
}

/** One row of the feed: an action with all of its steps. Made by `joinStep` on both sides. */
export interface Action {
  readonly id: string
  /** The place of its first step that is known here: newest first sorts by this. */
  readonly seq: number
  readonly time: string
  readonly point: string
  readonly tool?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly preview: string
  /** The gravest of its steps. */
  readonly decision: DecisionName
  readonly blocked: boolean
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  readonly wouldBlock?: string | undefined
  /** What hooks took, over all steps. */
  readonly durationMs: number
  readonly ranMs?: number | undefined
  readonly isEdited?: boolean | undefined
  readonly isUnsupervised?: boolean | undefined
  /** Oldest first. */
  readonly steps: readonly FeedStep[]
}

/** `GET /v1/actions?before=SEQ&limit=N&decision=&hook=&tool=&session=&text=`: newest first. */
export interface ActionsPage {
  readonly actions: readonly Action[]
  /** Give this as `before` for the next page; null when the beginning of the record was reached. */
  readonly next: number | null
  /** The newest record that was looked at: to follow the stream from. */
  readonly seq: number
}

/**
 * What the feed can be narrowed to: all of them are texts of the URL, and `isShown` says what matches. `decision` is any of
 * `pass,flag,ask,block,error,would-block`, with commas between; `hook` one that took part; `text` is sought in what a row shows.
 */
export interface ActionFilter {
  readonly decision?: string | undefined
  readonly hook?: string | undefined
  readonly tool?: string | undefined
  readonly session?: string | undefined
  readonly text?: string | undefined
}

/** Why a hook decided so, as risk detection tells it. */
export interface EvidenceView {
  readonly rule: string
  readonly tier: number
  readonly effect: string
  readonly reason: string
  readonly alternative?: string | undefined
  /** The text that was judged and the place in it; absent where the evidence is no place in a text. */
  readonly text?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** The matched text, clipped. */
  readonly matched?: string | undefined
}

/** One field that a hook changed or would have changed. A text stands as it is, with its lines; anything else as JSON. */
export interface ChangeView {
  /** Its path, as in `args.command`. */
  readonly key: string
  /** Null where there was nothing. */
  readonly before: string | null
  readonly after: string
}

/** One hook's verdict on a step, whole. */
export interface VerdictDetail extends FeedVerdict {
  readonly priority: number
  readonly mode: ModeName
  /** The breaker lowered the mode. */
  readonly isLowered: boolean
  /** `policy`, or `failure:<kind>`. */
  readonly cause: string
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** It would have held or blocked in another mode. */
  readonly wouldBlock: boolean
  readonly changes: readonly ChangeView[]
  readonly evidence: readonly EvidenceView[]
  /** What else it left, as JSON. */
  readonly metadata?: string | undefined
}

/** One step, whole. */
export interface StepDetail {
  readonly step: FeedStep
  /** The data as it came in, as JSON with line breaks. */
  readonly data: string
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** The name of the configuration that was in force. */
  readonly configuration?: string | undefined
  readonly verdicts: readonly VerdictDetail[]
  /** What all edits together made of the data. */
  readonly changes: readonly ChangeView[]
}

/** `GET /v1/actions/:id`. 404 with `{error}` when there is none, 409 when several begin so. */
export interface ActionDetail {
  readonly action: Action
  /** Oldest first. */
  readonly steps: readonly StepDetail[]
  /** What else is recorded of it: an approval, something the host could not carry out. */
  readonly events: readonly EventView[]
}

/** Something that happened outside of a step: a breaker that opened, a change of the configuration, a task that moved. */
export interface EventView {
  readonly seq: number
  readonly id: string
  readonly time: string
  readonly level: 'info' | 'warn' | 'error'
  readonly component: string
  readonly action: string
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly reason?: string | undefined
  /** The step it is about. */
  readonly step?: string | undefined
}
