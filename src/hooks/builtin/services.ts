// The services that the built-in hooks need; the supervisor passes them in.

import type { Clock } from '../../engine/clock.ts'
import type { Guard } from '../../engine/guarded-paths.ts'
import type { Handler } from '../../engine/hook.ts'
import type { RegexCompiler } from '../../engine/matcher.ts'
import type { Mode } from '../../engine/mode.ts'
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
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
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
  /** Work to do if this step ends blocked, by this hook or a later decision; absent where no supervisor knows the end. */
  readonly whenBlocked?: ((stepId: string, work: () => Promise<void>) => void) | undefined
  /** Writes a log entry. */
  readonly record: (event: SupervisionEvent) => void
}
