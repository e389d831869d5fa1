// The options that load the configuration of a supervisor or a dry run, with the checks that need the hooks.

import { type LastGood, openLastGood } from '../config/last-good.ts'
import type { LoadOptions } from '../config/load.ts'
import { openStrictnessStore, readOnlyStrictness } from '../config/strictness-store.ts'
import { trustedProjects } from '../config/trusted-projects.ts'
import { whyRefused } from '../exceptions/exception-rules.ts'
import { writeLauncherMode } from '../guard/launcher.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import { findExecutedFiles } from '../hooks/executed-files/collect-files.ts'
import { whyNotRunnable } from '../hooks/handlers/handler-factory.ts'
import { createOptionCheck } from '../hooks/hook-options.ts'
import { lastGoodDir } from '../platform/home.ts'
import type { StateStore } from '../storage/ports.ts'

/** Which configuration is loaded. */
export interface ConfigSource {
  readonly home: string
  readonly profile?: string | undefined
  /** @internal The profile comes from the environment of an agent and may only tighten. */
  readonly onlyTightens?: boolean | undefined
  readonly project?: string | undefined
  readonly builtIns: readonly BuiltIn[]
  readonly state: StateStore
  /** True where nothing may be written, not even the last good files. */
  readonly isReadOnly?: boolean
}

/** The options of `loadConfig`. */
export function buildLoadOptions(source: ConfigSource): LoadOptions {
  const { home, profile, onlyTightens, project, builtIns, state, isReadOnly } = source
  const lastGood = openLastGood(lastGoodDir(home))
  const inForce = openStrictnessStore(home, state)
  return {
    home,
    profile,
    onlyTightens,
    project,
    strictness: isReadOnly === true ? readOnlyStrictness(inForce) : inForce,
    ...(isReadOnly !== true &&
      profile === undefined && { onLoaded: ({ user }) => writeLauncherMode(home, user.enforcement) }),
    lastGood: isReadOnly === true ? readOnlyLastGood(lastGood) : lastGood,
    trusted: trustedProjects(state),
    follow: findExecutedFiles,
    knownHooks: builtIns.map(({ name }) => name),
    checkCommand: ({ command }) => whyNotRunnable(command),
    checkOptions: createOptionCheck(builtIns),
    checkException: whyRefused,
  }
}

function readOnlyLastGood({ get }: LastGood): LastGood {
  return { get, set: () => undefined, forget: () => undefined }
}
