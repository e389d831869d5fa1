// What the supervisors of one home share in a daemon: one store, each folder watched once, the user's configuration of a
// profile loaded once, and built-in hooks with equal options created once.

import type { Config } from '../config/config.ts'
import { FolderWatchers } from '../config/folder-watchers.ts'
import type { Loaded } from '../config/loaded.ts'
import { type ConfigReload, startWatching, type UserConfig, type WatchedConfig } from '../config/watch.ts'
import { describe } from '../engine/errors.ts'
import { type BuiltIn, type BuiltInParts, createParts } from '../hooks/builtin/built-in.ts'
import { BUILT_INS } from '../hooks/builtin/list.ts'
import { openStores, type Stores } from '../storage/open-stores.ts'
import { ClosingWork } from './closing-work.ts'
import { buildLoadOptions } from './config-source.ts'
import { buildHookParts, type HookParts, type HookPartsOptions, type SupervisorParts } from './supervisor-parts.ts'

export interface SharedHomeOptions extends HookPartsOptions {
  /** How long to wait for a locked database. */
  readonly storeWaitMs: number
}

/** The profile of a supervisor, as a call requests it. */
export interface ProfileChoice {
  readonly profile?: string | undefined
  /** The profile comes from the environment of an agent and may only tighten. */
  readonly onlyTightens?: boolean | undefined
}

// Sets of hooks differ by profile, by the settings of the breaker and by the exceptions; old ones go when the configuration changes often.
const MAX_HOOK_SETS = 32
const MAX_HOOKS = 64

/** The shared parts of one home. */
export class SharedHome {
  readonly stores: Stores
  readonly folders = new FolderWatchers()
  readonly #options: SharedHomeOptions
  readonly #users = new Map<string, SharedUser>()
  readonly #hooks = new Map<string, HookParts>()
  readonly #reported = new WeakSet<object>()
  readonly #closing: ClosingWork
  #userLoads = 0

  constructor(options: SharedHomeOptions) {
    this.#options = options
    this.#closing = new ClosingWork(options.report)
    // Calls at the same time share a commit; each reply waits for it.
    this.stores = openStores(options.home, options.report, { waitMs: options.storeWaitMs, isGrouped: true })
  }

  /** How many profiles are in use, how many folders are watched, and how often the user's files were loaded so far. */
  get counts(): { readonly profiles: number; readonly watchedFolders: number; readonly userLoads: number } {
    return { profiles: this.#users.size, watchedFolders: this.folders.size, userLoads: this.#userLoads }
  }

  /** The parts of a supervisor; its `close` ends the use of them. */
  open({ profile: given, onlyTightens }: ProfileChoice): SupervisorParts {
    const choice = { profile: given ?? (process.env.ARC_PROFILE || undefined), onlyTightens }
    const key = JSON.stringify([choice.profile, choice.onlyTightens])
    const user = this.#users.get(key) ?? new SharedUser(this.#watchUser(choice))
    this.#users.set(key, user)
    user.uses++
    let isClosed = false
    return {
      ...{ stores: this.stores, folders: this.folders, reported: this.#reported, user },
      hooks: (config) => this.#findHooks(config),
      close: () => {
        if (isClosed) return
        isClosed = true
        if (--user.uses > 0) return
        this.#users.delete(key)
        void user.close()
      },
    }
  }

  /** Does the work for the end and closes the store, after the last supervisor was closed. */
  async close(): Promise<void> {
    await this.#closing.finish(() => this.stores.close())
  }

  #watchUser({ profile, onlyTightens }: ProfileChoice): (onReload: (reload: ConfigReload) => void) => WatchedConfig {
    const { home, clock, report } = this.#options
    const options = buildLoadOptions({ home, profile, onlyTightens, builtIns: BUILT_INS, state: this.stores.state })
    const onLoaded = (loaded: Loaded): void => {
      this.#userLoads++
      options.onLoaded?.(loaded)
    }
    const watching = { clock, folders: this.folders, onFault: report }
    return (onReload) => startWatching({ ...options, onLoaded, ...watching, onReload })
  }

  #findHooks(config: Config): HookParts {
    const key = JSON.stringify([config.profile, config.breaker, config.exceptions])
    const known = this.#hooks.get(key)
    if (known !== undefined) return known
    const hooks = { ...buildHookParts(config, this.stores, this.#options, this.#closing), createParts: cacheParts() }
    if (this.#hooks.size >= MAX_HOOK_SETS) this.#hooks.clear()
    this.#hooks.set(key, hooks)
    return hooks
  }
}

// The user's configuration of one profile, with the supervisors that build on it.
class SharedUser implements UserConfig {
  /** How many supervisors use it. */
  uses = 0
  readonly #watched: WatchedConfig
  readonly #listeners = new Set<(files: readonly string[]) => void>()

  constructor(watch: (onReload: (reload: ConfigReload) => void) => WatchedConfig) {
    this.#watched = watch(({ files }) => this.#tellAll(files))
  }

  get current(): Loaded {
    return this.#watched.current
  }

  reload(): Loaded {
    return this.#watched.reload()
  }

  subscribe(listener: (files: readonly string[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): Promise<void> {
    return this.#watched.close()
  }

  #tellAll(files: readonly string[]): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(files)
      } catch (error) {
        process.stderr.write(`arc: the new configuration could not be applied: ${describe(error)}\n`)
      }
    }
  }
}

// The code of built-in hooks by name and options.
function cacheParts(): typeof createParts {
  const known = new Map<string, BuiltInParts>()
  return (builtIn: BuiltIn, options, services) => {
    const key = `${builtIn.name} ${JSON.stringify(options ?? {})}`
    const parts = known.get(key) ?? createParts(builtIn, options, services)
    if (known.size >= MAX_HOOKS) known.clear()
    known.set(key, parts)
    return parts
  }
}
