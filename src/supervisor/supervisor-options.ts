// The options of a supervisor.

import type { Approval, Approvals } from '../approvals/approvals.ts'
import type { NotifyTarget } from '../config/config.ts'
import type { Clock } from '../engine/clock.ts'
import type { ModeInput } from '../engine/mode.ts'
import type { Notice } from '../engine/outcome.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import type { PipelineServices, ScriptNotice } from '../hooks/pipeline-services.ts'
import type { HookEngine } from '../platform/hook-engine.ts'
import type { Via } from '../trace/record.ts'
import type { ResumeLater, SupervisorParts } from './supervisor-parts.ts'

/** @internal An approval that is new or over, for the messages about it. */
export interface Announcement {
  readonly approval: Approval
  readonly approvals: Approvals
  readonly targets: readonly NotifyTarget[]
  readonly record: PipelineServices['record']
}

/** The options of a supervisor; all optional. */
export interface SupervisorOptions {
  /** Default: `$ARC_HOME`, or `~/.arc`. */
  readonly home?: string
  /** Where the configuration is read from, if not from the home: for a program with its own settings. */
  readonly configHome?: string
  /** Default: `$ARC_PROFILE`, or the profile that the configuration chooses. */
  readonly profile?: string
  /**
   * Overrides the mode of the profile: `off`, `log`, `advise` or `enforce`. A profile without a mode is in `log`: every
   * decision is recorded, but only catastrophes (risk tier 5) are stopped. Then a block of a hook is a `flag` in
   * `outcome.decision`, and `outcome.wouldBe` is `block`.
   */
  readonly mode?: ModeInput
  /** Another name of `mode`. */
  readonly enforcement?: ModeInput
  /** The root of the project whose `.arc` is the layer above the user's. */
  readonly project?: string
  /** Reload the configuration when its files change; default false. */
  readonly watch?: boolean
  /** How long a step that needs approval waits, in ms; one minute by default, 0 leaves its outcome an `ask`. */
  readonly askMs?: number
  /** The bus whose hooks are part of the pipeline: `createHookBus()`; default: the shared `hookBus`. Its mode does not count. */
  readonly bus?: { readonly engine: HookEngine }
  /** The built-in hooks; all of them by default. */
  readonly builtIns?: readonly BuiltIn[]
  /**
   * Called with messages for the user: notices of hooks in advise and enforce, and `/notify` of scripts. By default they are
   * not printed; every decision is in the outcome and in the trace.
   */
  readonly notify?: (notice: Notice | ScriptNotice) => void
  /** Called with problems of the configuration and the stores, which must not stay unseen; prints to stderr by default. */
  readonly report?: (message: string) => void
  readonly clock?: Clock
  /** How long to wait for a locked database; 30 s by default. */
  readonly storeWaitMs?: number
  /** @internal The profile comes from the environment of an agent and may only tighten. */
  readonly onlyTightens?: boolean | undefined
  /** @internal Writes of the state share a commit with the steps of the same turn: for a daemon. */
  readonly isGrouped?: boolean
  /** @internal The parts that this supervisor shares with others; default: its own. */
  readonly parts?: SupervisorParts
  /** @internal Sends the messages about an approval that is new or over, to the targets of `notify` in the profile. */
  readonly announce?: ((announcement: Announcement) => void) | undefined
  /** @internal Resumes paused watchdogs after the end of this process; default: they are resumed when this supervisor closes. */
  readonly resumeLater?: ResumeLater | undefined
  /** @internal The origin of steps without one; default `library`. */
  readonly via?: Via
}
