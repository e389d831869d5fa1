// Watches the files of a configuration and loads it again when one changes. The caller decides what to do with the new
// state (build the pipeline, dispatch config:change).

import { existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { resolveRealPath } from '../platform/home.ts'
import { compareLoaded } from './digest.ts'
import { FolderWatchers } from './folder-watchers.ts'
import { loadConfig } from './load.ts'
import { loadProject } from './load-project.ts'
import type { Loaded, LoadOptions } from './loaded.ts'

/** A new state of the configuration, and the state that it replaces. */
export interface ConfigReload {
  readonly previous: Loaded
  readonly current: Loaded
  /** False where only the problems differ. */
  readonly isChanged: boolean
  /** The changed files. */
  readonly files: readonly string[]
}

/** The options of loading, and those of watching. */
export interface WatchOptions extends LoadOptions {
  /** The state that was loaded before watching begins; loaded here when absent. */
  readonly initial?: Loaded
  readonly clock: Pick<Clock, 'after'>
  /** How long files must stay unchanged before they are read; 100 ms by default. */
  readonly quietMs?: number
  /** Called when the configuration or its problems changed, after `current` was updated. */
  readonly onReload: (reload: ConfigReload) => void
  /** Called when watching fails or `onReload` throws. */
  readonly onFault: (message: string) => void
  /** @internal The folders that other configurations of this process watch as well. */
  readonly folders?: FolderWatchers | undefined
  /** @internal The user's part, where several projects share it: only the project is loaded and watched here. */
  readonly user?: UserConfig | undefined
}

/** The user's part of several configurations, loaded and watched once. */
export interface UserConfig {
  readonly current: Loaded
  reload(): Loaded
  /** Calls back with the changed files after `current` changed; returns the undo. */
  subscribe(listener: (files: readonly string[]) => void): () => void
}

/** A configuration that is reloaded when its files change. */
export interface WatchedConfig {
  /** The last state that was loaded. */
  readonly current: Loaded
  /** Loads again at once: after a change of trust, which changes no file. */
  reload(): Loaded
  /** Stops watching; safe to call twice. */
  close(): Promise<void>
}

const QUIET_MS = 100

/**
 * Watches the files of the configuration until it is closed. Does not keep the process alive.
 * @example
 * const watched = await watchConfig({ home, lastGood, clock, onReload: ({ current }) => apply(current.config), onFault: log })
 */
export function watchConfig(options: WatchOptions): Promise<WatchedConfig> {
  return Promise.resolve(startWatching(options))
}

/** The same, at once: a watch that starts later could start after its end. */
export function startWatching(options: WatchOptions): WatchedConfig {
  const watcher = new ConfigWatcher(options)
  watcher.start()
  return watcher
}

/** Loads a configuration, on top of the user's part where that is loaded already. */
export function loadWith(options: LoadOptions, user: UserConfig | undefined): Loaded {
  return user === undefined ? loadConfig(options) : loadProject(user.current, options)
}

class ConfigWatcher implements WatchedConfig {
  readonly #options: WatchOptions
  readonly #folders: FolderWatchers
  readonly #changed = new Set<string>()
  // The end of the watch of each folder.
  readonly #watched = new Map<string, () => void>()
  #current: Loaded
  #relevant: ReadonlySet<string> = new Set()
  #leaveUser: () => void = () => undefined
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#folders = options.folders ?? new FolderWatchers()
    this.#current = options.initial ?? loadWith(options, options.user)
  }

  get current(): Loaded {
    return this.#current
  }

  start(): void {
    const onUserChange = (files: readonly string[]): void => {
      for (const file of files) this.#changed.add(file)
      this.#load()
    }
    this.#leaveUser = this.#options.user?.subscribe(onUserChange) ?? this.#leaveUser
    this.#watchFolders()
    // A change since the last load and before the watch caused no event.
    this.#load()
  }

  reload(): Loaded {
    if (!this.#isClosed) this.#options.user?.reload()
    return this.#load()
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#leaveUser()
    for (const stop of this.#watched.values()) stop()
    this.#watched.clear()
    return Promise.resolve()
  }

  #load(): Loaded {
    if (this.#isClosed) return this.#current
    this.#cancel()
    const files = [...this.#changed]
    this.#changed.clear()
    const previous = this.#current
    const current = loadWith(this.#options, this.#options.user)
    this.#current = current
    // Loads once more for changes before the new folders were watched.
    if (this.#watchFolders()) this.#schedule()
    const { isChanged, isSame } = compareLoaded(previous, current)
    if (!isSame) this.#notify({ previous, current, isChanged, files })
    return current
  }

  // Watches the folders of the files that were loaded, and no others; true if there is a new one.
  #watchFolders(): boolean {
    const { folders, relevant } = findFolders(this.#current.files, this.#options.user?.current.files)
    this.#relevant = relevant
    for (const [dir, stop] of this.#watched) {
      if (folders.has(dir)) continue
      stop()
      this.#watched.delete(dir)
    }
    const added = [...folders].filter((dir) => !this.#watched.has(dir))
    for (const dir of added) this.#watched.set(dir, this.#watch(dir))
    return added.length > 0
  }

  #watch(dir: string): () => void {
    const fault = (error: unknown): void =>
      this.#options.onFault(`Configuration files cannot be watched: ${describe(error)}.`)
    const onChange = (path: string | undefined): void => {
      if (path !== undefined && !this.#relevant.has(path)) return
      if (path === undefined) {
        // The folder was replaced or removed: the next load watches the folder that is there then.
        this.#watched.get(dir)?.()
        this.#watched.delete(dir)
      }
      this.#changed.add(path ?? dir)
      this.#schedule()
    }
    return this.#folders.watch(dir, onChange, fault)
  }

  // Waits until a burst of changes is over: one save is often several changes.
  #schedule(): void {
    this.#cancel()
    if (this.#isClosed) return
    this.#cancel = this.#options.clock.after(this.#options.quietMs ?? QUIET_MS, () => void this.#load())
  }

  #notify(reload: ConfigReload): void {
    try {
      this.#options.onReload(reload)
    } catch (error) {
      this.#options.onFault(`The new configuration could not be applied: ${describe(error)}.`)
    }
  }
}

interface Folders {
  readonly folders: ReadonlySet<string>
  /** The paths whose change means to load again. */
  readonly relevant: ReadonlySet<string>
}

// The folder of each file, or the nearest that exists; also the folder that a linked file is in. Not the user's files where
// others watch them.
function findFolders(files: readonly string[], watchedElsewhere: readonly string[] = []): Folders {
  const others = new Set(watchedElsewhere)
  const own = files.filter((file) => !others.has(file))
  const targets = own.filter(isLink).map(resolveRealPath)
  const relevant = new Set([...own, ...targets])
  const folders = new Set<string>()
  for (const file of [...own, ...targets]) {
    let dir = dirname(file)
    while (!existsSync(dir) && dirname(dir) !== dir) {
      relevant.add(dir)
      dir = dirname(dir)
    }
    folders.add(dir)
  }
  return { folders, relevant }
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
