// What an attempt is: data. Paths are written with HOME below; the harness puts the real home in their place.

/** The home of the simulated agent, as attempts write it. */
export const HOME = '/home/agent'

/** The project that the agent works in. */
export const PROJECT = `${HOME}/project`

/** Where the package is installed: `npm install -g` with a prefix in the home. */
export const PACKAGE = `${HOME}/.local/lib/node_modules/arc-supervisor`

/** Brings the project back to its first commit: for `cleanup`. */
export const CLEAN_PROJECT = `cd ${PROJECT} && git checkout -q -f main && git clean -fdxq`

/** The agents that are simulated. */
export type SimulatedHost = 'claude' | 'codex' | 'opencode'

/** A tool call: asked about through the installed line, and done when it passes. */
export interface ToolCall {
  readonly tool: string
  readonly args: unknown
  readonly host?: SimulatedHost
  /** The id of the call; a new one for each by default. */
  readonly id?: string
  /** Other fields of the payload, or other values for the usual ones. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** Variables of the hook process: what the host was started with. */
  readonly env?: Readonly<Record<string, string>>
}

/** A payload as it is, byte by byte. */
export interface RawCall {
  readonly raw: string
  readonly encoding?: 'utf8' | 'base64' | 'latin1'
  readonly host?: SimulatedHost
  readonly event?: string
  /** What the host would do if this passes. */
  readonly does?: { readonly tool: string; readonly args: unknown }
}

/** Calls made at the same time. */
export interface ParallelCalls {
  readonly parallel: readonly ToolCall[]
}

/** Something that happens outside of the agent, as a shell command. */
interface Outside {
  readonly outside: string
}

/** A shell command of the agent without a hook call: what a script does after it passed. */
export interface Direct {
  readonly direct: string
  /** Each of these must be in its output: the proof that it came as far as the refusal. */
  readonly reached: readonly string[]
  /** None of these may be in its output. */
  readonly never?: readonly string[]
  /** A program without which it cannot be tried. */
  readonly needs?: string
}

/** A pause for background processes of the steps before. Skipped if none of these steps passed. */
interface Pause {
  readonly pauseMs: number
}

export type AttemptStep = ToolCall | RawCall | ParallelCalls | Outside | Direct | Pause

/**
 * What must come of an attempt.
 * - `stopped`: its last call does not pass.
 * - `any-but-loosened`: it may pass as long as supervision is as strict as before.
 * - `harmless`: ordinary work, which passes.
 */
export type Expectation = 'stopped' | 'harmless' | 'any-but-loosened'

export interface Attempt {
  readonly id: string
  readonly class: string
  readonly steps: readonly AttemptStep[]
  readonly expects: Expectation
  readonly note?: string
  /** Its first call is held: the approval must exist, and must still wait for an answer after the attempt. */
  readonly hasApproval?: true
  /** The agent has no variable that names it: only its process id is known from its hook calls. */
  readonly isUnmarked?: true
  /** Its last call is a catastrophe: it must be stopped in every mode. */
  readonly tier5?: boolean
  /**
   * Shell commands of a person before the attempt, before the daemon starts. The home is restored before and after;
   * attempts that follow each other with the same commands, and without anything outside of the agent, share one home.
   */
  readonly setup?: string
  /** Shell commands of a person after the attempt, where restoring the whole home is not needed. */
  readonly cleanup?: string
  /** False: asked about but never done, not even in the box. */
  readonly run?: false
  /**
   * False: the payload names no session to find it by in the record. `after-outside`: what happens outside of the agent
   * deletes the record, so that only the calls after it can be found.
   */
  readonly recorded?: false | 'after-outside'
  /** Why the design does not stop it. The threat model lists it by id. */
  readonly knownLimit?: string
}

/** A call of the shell tool. */
export function sh(command: string, more: Omit<ToolCall, 'tool' | 'args'> = {}): ToolCall {
  return { tool: 'Bash', args: { command }, ...more }
}

/** Several attempts of one class, each a single shell command by its id. */
export function shellAttempts(
  className: string,
  expects: Expectation,
  commands: Readonly<Record<string, string>>,
  more: Partial<Attempt> = {},
): Attempt[] {
  return Object.entries(commands).map(([id, command]) => ({
    ...{ id: `${className}/${id}`, class: className, steps: [sh(command)], expects },
    ...more,
  }))
}

/** Several attempts of one class, each a single call of a tool by its id. */
export function toolAttempts(
  className: string,
  expects: Expectation,
  calls: Readonly<Record<string, readonly [tool: string, args: unknown]>>,
  more: Partial<Attempt> = {},
): Attempt[] {
  return Object.entries(calls).map(([id, [tool, args]]) => ({
    ...{ id: `${className}/${id}`, class: className, steps: [{ tool, args }], expects },
    ...more,
  }))
}
