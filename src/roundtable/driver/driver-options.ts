// What a roundtable driver is made from: the agents to ask, their replies, and the events of a discussion.

import type { Clock } from '../../engine/clock.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { Contribution, Roundtable, Synthesis, TurnCourse } from '../machine.ts'
import type { Role } from '../roles.ts'

/** An agent at the table. */
export interface Speaker {
  readonly name: string
  /** Gives its answer to a prompt, or says why there is none. */
  ask(prompt: string, asked: { readonly session: string; readonly signal: AbortSignal }): Promise<Reply>
}

/** The result of a turn. `aborted`: the answer is no longer needed. */
export type Reply =
  | { readonly kind: 'said'; readonly text: string; readonly note?: string | undefined }
  | {
      readonly kind: 'silent' | 'failed' | 'timeout' | 'blocked' | 'held'
      readonly why: string
      readonly traceId?: string
    }
  | { readonly kind: 'aborted' }

/** What happens at the table, as it happens. */
export type TableEvent =
  | { readonly type: 'open' | 'end'; readonly table: Roundtable }
  | { readonly type: 'ask'; readonly agent: string; readonly role: Role; readonly round: number }
  | { readonly type: 'held'; readonly agent: string; readonly approval: string; readonly reason: string }
  | { readonly type: 'turn'; readonly turn: Contribution & { readonly course: TurnCourse }; readonly role: Role }
  | { readonly type: 'sum-up'; readonly agent: string }
  | { readonly type: 'synthesis'; readonly synthesis: Contribution; readonly findings: Synthesis }

/** What a driver is made from. */
export interface DriverOptions {
  readonly supervisor: Pick<Supervisor, 'decide' | 'state' | 'trace' | 'approvals' | 'config'>
  /** One for each agent of the table. */
  readonly speakers: readonly Speaker[]
  /** The longest that a turn may take; a roundtable without a turn for much longer is deserted. */
  readonly turnMs: number
  /** How long a turn that is held waits for a person; 0 gives it up at once. */
  readonly holdMs: number
  /** Who sums up; else somebody neutral who spoke. */
  readonly synthesizer?: string | undefined
  readonly workspace: string
  readonly signal: AbortSignal
  readonly onEvent: (event: TableEvent) => void
  readonly clock?: Clock
}
