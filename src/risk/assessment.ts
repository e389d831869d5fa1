// The risk of an action: its effect, its tier, and the evidence for both.

/** What an action affects, from harmless to worst. */
export const EFFECTS = ['read-only', 'file-modification', 'build-affecting', 'deploy-affecting', 'destructive'] as const

export type Effect = (typeof EFFECTS)[number]

/** How far the harm reaches: 1 none, 2 local changes, 3 recoverable, 4 shared or hard to undo, 5 catastrophe. */
export type Tier = 1 | 2 | 3 | 4 | 5

/** The checklist for the end of a turn with such an action. */
export type Checklist = 'light' | 'standard' | 'strict'

/** A range of the classified text. The end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A reason for the rating. */
export interface Evidence {
  /** The rule's id, such as `git/push-force`. */
  readonly rule: string
  readonly effect: Effect
  readonly tier: Tier
  /** The range in the text; absent when the evidence is not in a text, such as a tool's name. */
  readonly span?: Span | undefined
  /** The text of the span, clipped. */
  readonly matched?: string | undefined
  readonly reason: string
  /** A safer alternative. */
  readonly alternative?: string | undefined
  /** The file that the command runs and that the evidence is in, and the line in it. */
  readonly file?: string | undefined
  readonly line?: number | undefined
  /** The tag of the OWASP list for agentic applications. */
  readonly owasp?: string | undefined
  /** The harm depends on an unknown, such as a variable's value: needs approval. */
  readonly isUncertain?: boolean | undefined
}

/** The risk of one action. */
export interface Assessment {
  readonly effect: Effect
  readonly tier: Tier
  /** Deploy-affecting and destructive actions need approval. */
  readonly requiresConfirmation: boolean
  readonly checklist: Checklist
  /** Most severe first. */
  readonly evidence: readonly Evidence[]
  /** A part could not be analysed and looks harmful. Unknown parts that look harmless do not count. */
  readonly isUnknown: boolean
}

/** The input: a tool call or a message. */
export type RiskInput =
  | {
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      /** The working folder. Also the root of the project, unless `workspace` is given. */
      readonly cwd?: string | undefined
      readonly workspace?: string | undefined
      /** The home folder for `~`, when it is not the home of this process. */
      readonly home?: string | undefined
    }
  | { readonly message: string }
