// What the built-in hooks need from outside; runtime gives it to them.

import type { Clock } from '../../engine/clock.ts'
import type { Guard } from '../../engine/guarded-paths.ts'
import type { Handler } from '../../engine/hook.ts'
import type { RegexCompiler } from '../../engine/matcher.ts'
import type { Mode } from '../../engine/mode.ts'
import type { StateStore } from '../../storage/ports.ts'

/** How a command ended. */
export interface CommandResult {
  /** Undefined when it was ended by a signal, by the time limit, or could not start. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Something worth a line in the log that is not an evaluation. */
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
  /** Runs a command to its end in a process group of its own. Never rejects. */
  readonly runCommand: (
    command: string | readonly string[],
    options: {
      readonly cwd?: string | undefined
      readonly timeoutMs: number
      readonly signal?: AbortSignal
      /** What it reads on stdin; nothing unless given. */
      readonly input?: string
    },
  ) => Promise<CommandResult>
  /** A handler that leaves the process, from its description: `{command}`, `{url}` or `{prompt}`. */
  readonly handler: (description: Readonly<Record<string, unknown>>) => Handler
  readonly fetch: typeof fetch
  /** Compiles patterns that users write so that they run in linear time; RegExp itself where it is not given. */
  readonly regex?: RegexCompiler
  /** The most that what can be flaky may do at present: the breaker's maximum mode, for a critical hook with such a part. */
  readonly maxMode?: (() => Mode) | undefined
  /** The files and processes that belong to the supervision; the usual places by name where it is not given. */
  readonly guard?: Guard | undefined
  /** Writes a line to the log. */
  readonly record: (event: SupervisionEvent) => void
}
