// What the risk of an action is: what it touches, how far the harm reaches, and the evidence for both.

/** What an action touches, from harmless to worst. */
export const EFFECTS = ['read-only', 'file-modification', 'build-affecting', 'deploy-affecting', 'destructive'] as const

export type Effect = (typeof EFFECTS)[number]

/** How far the harm reaches: 1 none, 2 local changes, 3 recoverable, 4 shared or hard to undo, 5 catastrophe. */
export type Tier = 1 | 2 | 3 | 4 | 5

/** How much is asked of a turn that did such a thing. */
export type Checklist = 'light' | 'standard' | 'strict'

/** A place in the text that was judged: from, up to but not including. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Why an action is rated as it is. */
export interface Evidence {
  /** The rule's id, such as `git/push-force`. */
  readonly rule: string
  readonly effect: Effect
  readonly tier: Tier
  /** Where in the text; absent when the evidence is not a text, such as a tool's name. */
  readonly span?: Span | undefined
  /** The text of the span, clipped. */
  readonly matched?: string | undefined
  readonly reason: string
  /** What to do instead. */
  readonly alternative?: string | undefined
  /** The tag of the OWASP list for agentic applications. */
  readonly owasp?: string | undefined
  /** The harm depends on something that the text does not tell, such as a variable's value: a person should say. */
  readonly isUncertain?: boolean | undefined
}

/** The risk of one action. */
export interface Assessment {
  readonly effect: Effect
  readonly tier: Tier
  /** Deploy-affecting and destructive actions need a person's word. */
  readonly requiresConfirmation: boolean
  readonly checklist: Checklist
  /** The gravest first. */
  readonly evidence: readonly Evidence[]
  /** Some part could not be understood and looks as if it might do harm; a harmless unknown does not count. */
  readonly isUnknown: boolean
}

/** What is to be judged: a tool call, or a message. */
export type RiskInput =
  | {
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      /** Where it would run; the root of the project unless `workspace` says otherwise. */
      readonly cwd?: string | undefined
      readonly workspace?: string | undefined
      /** What `~` means to whoever runs it, where that is known to be another home than that of this process. */
      readonly home?: string | undefined
    }
  | { readonly message: string }
