// What a supervisor is made from.

import type { Clock } from '../engine/clock.ts'
import type { ModeInput } from '../engine/mode.ts'
import type { Notice } from '../engine/outcome.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import type { ScriptNotice } from '../hooks/pipeline-services.ts'
import type { Via } from '../trace/record.ts'

/** What a supervisor is made from; all optional. */
export interface SupervisorOptions {
  /** `$ARC_HOME`, or `~/.arc`, unless set. */
  readonly home?: string
  /** Where the configuration is read from, if not from the home: for a program with settings of its own. */
  readonly configHome?: string
  /** `$ARC_PROFILE`, or what the configuration says, unless set. */
  readonly profile?: string
  /** The mode in place of the profile's. */
  readonly enforcement?: ModeInput
  /** The root of the project whose `.arc` is the layer above the user's. */
  readonly project?: string
  /** Follow the files of the configuration; false unless set. */
  readonly watch?: boolean
  /** How long a step that is held waits for a person, in ms; a minute unless set, 0 leaves its outcome an `ask`. */
  readonly askMs?: number
  /** The hooks that ARC brings along; all of them unless set. */
  readonly builtIns?: readonly BuiltIn[]
  /** Told what a person should hear about: notices of hooks in advise and enforce, and `/notify` of scripts. */
  readonly notify?: (notice: Notice | ScriptNotice) => void
  /** Told of everything that is not as it should be; stderr unless set. */
  readonly report?: (message: string) => void
  readonly clock?: Clock
  /** How long to wait for a locked database; 30 s unless set. */
  readonly storeWaitMs?: number
  /** @internal The profile comes from the environment of an agent: it may only tighten. */
  readonly onlyTightens?: boolean | undefined
  /** @internal Writes of several steps are committed together: `recorded` has to be waited for. */
  readonly isGrouped?: boolean
  /** @internal By which way steps come in that do not say so; `library` by default. */
  readonly via?: Via
}
