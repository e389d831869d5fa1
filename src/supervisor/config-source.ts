// Where a pipeline's configuration comes from: how it is loaded, what is checked on the way, and its name for the record.

import { type LastGood, openLastGood } from '../config/last-good.ts'
import type { LoadOptions } from '../config/load.ts'
import { openStrictnessStore, readOnlyStrictness } from '../config/strictness-store.ts'
import { trustedProjects } from '../config/trusted-projects.ts'
import { writeLauncherMode } from '../guard/launcher.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import { findExecutedFiles } from '../hooks/executed-files/collect-files.ts'
import { whyNotRunnable } from '../hooks/handlers/handler-factory.ts'
import { createOptionCheck } from '../hooks/hook-options.ts'
import { lastGoodDir } from '../platform/home.ts'
import type { StateStore } from '../storage/ports.ts'

/** What decides which configuration is loaded. */
export interface ConfigSource {
  readonly home: string
  readonly profile?: string | undefined
  /** @internal The profile comes from the environment of an agent, so it may only tighten. */
  readonly onlyTightens?: boolean | undefined
  readonly project?: string | undefined
  readonly builtIns: readonly BuiltIn[]
  readonly state: StateStore
  /** True where nothing may be written, the last good texts included. */
  readonly isReadOnly?: boolean
}

/** The options that load it. */
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
    lastGood: isReadOnly === true ? unwritten(lastGood) : lastGood,
    trusted: trustedProjects(state),
    follow: findExecutedFiles,
    knownHooks: builtIns.map(({ name }) => name),
    checkCommand: ({ command }) => whyNotRunnable(command),
    checkOptions: createOptionCheck(builtIns),
  }
}

function unwritten({ get }: LastGood): LastGood {
  return { get, set: () => undefined, forget: () => undefined }
}
