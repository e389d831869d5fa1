// What is loaded, with which services, and the result. Types only.

import type { Config, Exception } from './config.ts'
import type { LastGood } from './last-good.ts'
import type { Layer } from './layers.ts'
import type { Problem } from './problem.ts'
import type { ReadFile } from './read-file.ts'
import type { CommandSetting } from './schema.ts'
import type { StrictnessStore } from './strictness.ts'
import type { Fingerprint, Follow, ProjectHooks, TrustedSet } from './trust.ts'

/** What to load, and the services for it. */
export interface LoadOptions {
  /** `$ARC_HOME`. */
  readonly home: string
  /** The root of the project; its `.arc/config.*` is the layer above the user's. */
  readonly project?: string | undefined
  /** `$ARC_PROFILE`; otherwise the config file's `profile`, otherwise `default`. */
  readonly profile?: string | undefined
  /** The given profile comes from the environment of an agent: it may only tighten the profile that the files choose. */
  readonly onlyTightens?: boolean | undefined
  readonly lastGood: LastGood
  /** The strictness record; without it only the files count. */
  readonly strictness?: StrictnessStore | undefined
  /** Finds the files that the hooks of a project run. */
  readonly follow?: Follow | undefined
  /** The trusted projects; without it no project is trusted. */
  readonly trusted?: TrustedSet | undefined
  /** Names of hooks that a program registers itself, so that they can be configured. */
  readonly knownHooks?: readonly string[]
  /** Replaces reading from disk: to check a change before it is written. */
  readonly read?: ReadFile
  /** Called after each load. Must not throw. */
  readonly onLoaded?: (loaded: Loaded) => void
  /** Why a command cannot be run, such as a placeholder without a safe form; undefined when it can. */
  readonly checkCommand?: (command: CommandSetting) => string | undefined
  /** Why an exception may not be used; undefined when it may. */
  readonly checkException?: (exception: Exception, config: Config) => string | undefined
  /** The mistakes in the `options` of a hook, each with its path. */
  readonly checkOptions?: (hook: string, options: unknown) => readonly OptionMistake[]
}

/** A mistake in a hook's `options`. */
export interface OptionMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The layer of a project. */
export interface LoadedProject extends ProjectHooks, Fingerprint {
  readonly isTrusted: boolean
}

/** What was found while layers were read. */
export interface LayerFindings {
  readonly problems: readonly Problem[]
  /** The layers whose files are bad and whose last good state is used. */
  readonly stale: readonly string[]
  /** The layers whose files are bad and that have no last good state: only their valid entries are used. */
  readonly absent: readonly string[]
  /** Every path that was read or looked for; a change of one means to load again. */
  readonly files: readonly string[]
}

/** A loaded configuration. */
export interface Loaded extends LayerFindings {
  readonly config: Config
  /** The configuration without the project. */
  readonly user: Config
  /** The profile that the files choose. */
  readonly chosen: string
  /** Present when the project has its own layer. */
  readonly project?: LoadedProject
  /** The active files of the user; a later file overrides an earlier one. */
  readonly layers: readonly Layer[]
}
