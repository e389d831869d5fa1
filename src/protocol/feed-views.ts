// The feed: its steps, its rows, and the details of a row. Types for daemon and page: imports nothing. All text is from
// agents or their tools: show it as text, never as markup.

/** The decisions of hooks, mildest first. */
export type DecisionName = 'pass' | 'flag' | 'ask' | 'block'

/** The modes, weakest first. */
export type ModeName = 'off' | 'log' | 'advise' | 'enforce'

/** A hook's verdict on a step, in short; the details are in `ActionDetail`. */
export interface FeedVerdict {
  readonly hook: string
  readonly decision: DecisionName
  /** Did the verdict take effect? A `block` that was not applied would have blocked in another mode. */
  readonly applied: boolean
  readonly durationMs: number
  /** The hook failed: its verdict is the configured one for failures. */
  readonly isError?: boolean | undefined
  /** The hook did not run: `disabled`, `snoozed` or `off`. */
  readonly skipped?: string | undefined
}

/** A step of the feed. A tool call has two: before and after it ran. */
export interface FeedStep {
  /** Its sequence number in the trace: the order of the feed, and the position to resume from. */
  readonly seq: number
  /** `arc why <id>`. */
  readonly id: string
  /** The id of its action, which is the id of the action's first step. */
  readonly action: string
  /** `before` or `after` a tool call, or a single step such as a message. */
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
  /** What the decision would be if every hook were in enforce; only where that differs from `decision`. */
  readonly wouldBe?: DecisionName | undefined
  /** The hook that decided, or would have in enforce, and its reason (at most 300 characters). */
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  /** The hook that would have blocked or required approval in a stricter mode; absent for a step that was stopped. */
  readonly wouldBlock?: string | undefined
  /** Hooks changed the data. */
  readonly isEdited?: boolean | undefined
  /** The rule behind the decision, such as `git/push-force`. */
  readonly rule?: string | undefined
  /** The duration of all hooks. */
  readonly durationMs: number
  /** The verdicts of hooks that ran or were skipped, in order. */
  readonly verdicts: readonly FeedVerdict[]
  /** After a tool call: the duration of the tool. */
  readonly ranMs?: number | undefined
  /** The tool ran without supervision: there was no call before it. */
  readonly isUnsupervised?: boolean | undefined
}

/** A row of the feed: an action with its steps. Built by `joinStep` in daemon and page. */
export interface Action {
  readonly id: string
  /** The sequence number of its first known step: the feed is sorted by it. */
  readonly seq: number
  readonly time: string
  readonly point: string
  readonly tool?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly workspace?: string | undefined
  readonly preview: string
  /** The strictest decision of its steps. `wouldBe`, hook, reason and rule are those of the same step. */
  readonly decision: DecisionName
  readonly wouldBe?: DecisionName | undefined
  readonly blocked: boolean
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  readonly rule?: string | undefined
  readonly wouldBlock?: string | undefined
  /** The duration of hooks over all steps. */
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
  /** The `before` of the next page; null at the start of the trace. */
  readonly next: number | null
  /** The newest record that was read: follow the stream from here. */
  readonly seq: number
}

/**
 * The filter of the feed, as query parameters; `isShown` matches. `decision` is a list of
 * `pass,flag,ask,block,error,would-block` with commas; `hook` has a verdict on the action; `text` is searched in the row.
 */
export interface ActionFilter {
  readonly decision?: string | undefined
  readonly hook?: string | undefined
  readonly tool?: string | undefined
  readonly session?: string | undefined
  readonly text?: string | undefined
  /** The folder of the action, or a folder around it, or the name of either. */
  readonly project?: string | undefined
  /** The name of the agent or of its host. */
  readonly agent?: string | undefined
  /** A rule, or a pack of rules such as `git`. */
  readonly rule?: string | undefined
}

/** The evidence of risk detection. */
export interface EvidenceView {
  readonly rule: string
  readonly tier: number
  readonly effect: string
  readonly reason: string
  readonly alternative?: string | undefined
  /** The analyzed text and the span in it; absent for evidence without a span. */
  readonly text?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** The matched text, clipped. */
  readonly matched?: string | undefined
}

/** A field that a hook changed or would have changed. Strings as they are, other values as JSON. */
export interface ChangeView {
  /** The path of the field, such as `args.command`. */
  readonly key: string
  /** Null for a new field. */
  readonly before: string | null
  readonly after: string
}

/** The details of a hook's verdict. */
export interface VerdictDetail extends FeedVerdict {
  readonly priority: number
  readonly mode: ModeName
  /** The breaker lowered the mode. */
  readonly isLowered: boolean
  /** `policy`, or `failure:<kind>`. */
  readonly cause: string
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** The hook would have blocked or required approval in a stricter mode. */
  readonly wouldBlock: boolean
  /** The point of the hook, where the action is a step of another point too. */
  readonly at?: string | undefined
  /** Why a block, a hold or a change was not carried out: the agent or the point cannot. */
  readonly obstacle?: string | undefined
  readonly changes: readonly ChangeView[]
  readonly evidence: readonly EvidenceView[]
  /** The metadata of the verdict, as JSON. */
  readonly metadata?: string | undefined
}

/** The details of a step. */
export interface StepDetail {
  readonly step: FeedStep
  /** The original data, as JSON with line breaks. */
  readonly data: string
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** Rules held or blocked the step, and `arc allow ID` can let it run. */
  readonly canBeAllowed?: boolean | undefined
  /** The name of the configuration that was in force. */
  readonly configuration?: string | undefined
  readonly verdicts: readonly VerdictDetail[]
  /** All changes to the data. */
  readonly changes: readonly ChangeView[]
}

/** `GET /v1/actions/:id`. 404 for an unknown id, 409 for an ambiguous prefix. */
export interface ActionDetail {
  readonly action: Action
  /** Oldest first. */
  readonly steps: readonly StepDetail[]
  /** Related events: an approval, or something that the host could not carry out. */
  readonly events: readonly EventView[]
}

/** An event outside of a step: an opened breaker, a changed configuration, a moved task. */
export interface EventView {
  readonly seq: number
  readonly id: string
  readonly time: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly component: string
  readonly action: string
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly reason?: string | undefined
  /** The related step. */
  readonly step?: string | undefined
}
