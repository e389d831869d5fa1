// The services that the built-in hooks need; the supervisor passes them in.

import type { Clock } from '../../engine/clock.ts'
import type { Guard } from '../../engine/guarded-paths.ts'
import type { Handler } from '../../engine/hook.ts'
import type { RegexCompiler } from '../../engine/matcher.ts'
import type { Mode } from '../../engine/mode.ts'
import type { Step } from '../../engine/step.ts'
import type { Tier } from '../../risk/assessment.ts'
import type { FileFacts } from '../../risk/facts.ts'
import type { FileEffect } from '../../risk/file-effects.ts'
import type { StateStore } from '../../storage/ports.ts'

/** The result of a command. */
export interface CommandResult {
  /** Undefined when the command was ended by a signal or the time limit, or could not start. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** A log entry that is not an evaluation. */
export interface SupervisionEvent {
  readonly component: 'breaker' | 'retry' | 'hooks' | 'roundtable'
  /** Such as `breaker:open`. */
  readonly action: string
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** A finding of a hook that would hold or block a step. */
export interface Finding {
  /** The id of the rule, such as `git/push-force`. */
  readonly rule: string
  readonly tier: Tier
}

/** The findings of one hook on one step. All of them must be allowed for the step to run. */
export interface ExceptionRequest {
  readonly step: Step
  readonly hook: string
  readonly findings: readonly Finding[]
}

/** What `arc allow` needs to allow a step that was held or blocked; recorded with the evaluation. */
export type AllowNote =
  | { readonly never: string }
  | {
      /** The hash that an approval of the step has. */
      readonly step: string
      readonly rules: readonly string[]
      /** Where an exception for this command would apply; absent for a step without a folder. */
      readonly project?: string
      readonly folder?: string
      readonly content?: string
    }

/** Whether the user allowed the findings. */
export type ExceptionAnswer =
  | {
      readonly is: 'allowed'
      readonly exceptions: readonly { readonly id: number; readonly reason?: string | undefined }[]
      /** All of them are for exactly this command. */
      readonly isExact: boolean
    }
  /** Allowed once: the step needs no answer, because it is approved already. */
  | { readonly is: 'approved'; readonly approval: string; readonly by?: string | undefined; readonly note: AllowNote }
  | { readonly is: 'not-allowed'; readonly note: AllowNote }

/** The call that facts are asked for. */
interface FactCall {
  readonly workspace: string | undefined
  readonly home: string
  readonly session: string | undefined
}

/** Facts about files and repositories, and what the calls of a session did with them. */
export interface FactService {
  /** The facts for one call; its questions are limited together. */
  open(call: FactCall): FileFacts
  /** Notes what a call does that was not stopped. */
  note(call: FactCall, done: { readonly effects: readonly FileEffect[]; readonly command: string | undefined }): void
}

export interface SupervisionServices {
  readonly state: StateStore
  readonly clock: Clock
  readonly newId: () => string
  /** Runs a command in its own process group and waits for its end. Never rejects. */
  readonly runCommand: (
    command: string | readonly string[],
    options: {
      readonly cwd?: string | undefined
      readonly timeoutMs: number
      readonly signal?: AbortSignal
      /** The text on stdin; empty by default. */
      readonly input?: string
    },
  ) => Promise<CommandResult>
  /** Creates an external handler from its description: `{command}`, `{url}` or `{prompt}`. */
  readonly handler: (description: Readonly<Record<string, unknown>>) => Handler
  readonly fetch: typeof fetch
  /** Compiles patterns of users to run in linear time; RegExp when absent. */
  readonly regex?: RegexCompiler
  /** The most that what can be flaky may do at present: the breaker's maximum mode, for a critical hook with such a part. */
  readonly maxMode?: (() => Mode) | undefined
  /** The files and processes that belong to the supervision; the usual places by name where it is not given. */
  readonly guard?: Guard | undefined
  /** Facts about files; without them, the words of a call decide. */
  readonly facts?: FactService | undefined
  /** Work to do if this step ends blocked, by this hook or a later decision; absent where no supervisor knows the end. */
  readonly whenBlocked?: ((stepId: string, work: () => Promise<void>) => void) | undefined
  /** Work to do when the supervisor or the daemon closes; the returned function removes it. */
  readonly whenClosed?: ((work: () => Promise<void>) => () => void) | undefined
  /** In a process that ends soon: starts another, which resumes the watchdogs of these options at their limit. */
  readonly resumeLater?: ((options: string) => void) | undefined
  /** Looks for exceptions of the user; called only for a step that would be held or blocked. There are none without it. */
  readonly findExceptions?: ((request: ExceptionRequest) => ExceptionAnswer) | undefined
  /** The names of the user's profiles; absent where there is no home. */
  readonly listProfiles?: (() => readonly string[]) | undefined
  /** Writes a log entry. */
  readonly record: (event: SupervisionEvent) => void
}
