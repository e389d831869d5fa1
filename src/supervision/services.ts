// What the built-in hooks need from outside; runtime gives it to them.

import type { Clock } from '../core/clock.ts'
import type { Handler } from '../core/hook.ts'
import type { StateStore } from './state.ts'

/** How a command ended. */
export interface CommandEnd {
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
    options: { readonly cwd?: string | undefined; readonly timeoutMs: number; readonly signal?: AbortSignal },
  ) => Promise<CommandEnd>
  /** A handler that leaves the process, from its description: `{command}`, `{url}` or `{prompt}`. */
  readonly handler: (description: Readonly<Record<string, unknown>>) => Handler
  readonly fetch: typeof fetch
  /** Writes a line to the log. */
  readonly record: (event: SupervisionEvent) => void
}
