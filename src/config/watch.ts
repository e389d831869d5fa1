// Watches the files of a configuration and loads it again when one changes. The caller decides what to do with the new
// state (build the pipeline, dispatch config:change).

import { existsSync, watch as watchFolder } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { compareLoaded } from './digest.ts'
import { type Loaded, type LoadOptions, loadConfig } from './load.ts'

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
export async function watchConfig(options: WatchOptions): Promise<WatchedConfig> {
  const watcher = new ConfigWatcher(options)
  await watcher.start()
  return watcher
}

class ConfigWatcher implements WatchedConfig {
  readonly #options: WatchOptions
  readonly #changed = new Set<string>()
  readonly #watched = new Set<string>()
  #current: Loaded
  #relevant: ReadonlySet<string> = new Set()
  #files: FSWatcher | undefined
  #home: { close(): void } | undefined
  #cancel: () => void = () => undefined
  #isClosed = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#current = options.initial ?? loadConfig(options)
  }

  get current(): Loaded {
    return this.#current
  }

  async start(): Promise<void> {
    const dirs = this.#listNewDirs()
    // Directories instead of files: an editor that saves by renaming replaces the file.
    const others = this.#withoutHome(dirs)
    const files = watch(others, {
      depth: 0,
      ignoreInitial: true,
      persistent: false,
      ignored: (path) => !this.#relevant.has(path) && !this.#watched.has(path),
    })
    this.#files = files
    this.#home = this.#watchHome()
    files.on('all', (_event, path) => this.#onChange(path))
    files.on('error', (error) => this.#options.onFault(`Configuration files cannot be watched: ${describe(error)}.`))
    // Without a directory, chokidar never emits `ready`.
    if (others.length > 0) await new Promise<void>((ready) => files.once('ready', ready))
    // A change since the last load and before the watchers were ready caused no event.
    this.reload()
  }

  reload(): Loaded {
    if (this.#isClosed) return this.#current
    this.#cancel()
    const files = [...this.#changed]
    this.#changed.clear()
    const previous = this.#current
    const current = loadConfig(this.#options)
    this.#current = current
    this.#watchNewDirs()
    const { isChanged, isSame } = compareLoaded(previous, current)
    if (!isSame) this.#notify({ previous, current, isChanged, files })
    return current
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#home?.close()
    await this.#files?.close()
  }

  // Not by chokidar: the home also holds the database, and chokidar would read the whole folder after each write.
  #watchHome(): { close(): void } | undefined {
    const home = resolve(this.#options.home)
    if (!this.#watched.has(home)) return undefined
    const fault = (error: unknown): void =>
      this.#options.onFault(`Configuration files cannot be watched: ${describe(error)}.`)
    try {
      const watcher = watchFolder(home, { persistent: false }, (_event, name) => {
        const path = join(home, name ?? '')
        if (name === null || this.#relevant.has(path)) this.#onChange(path)
      })
      return watcher.on('error', fault)
    } catch (error) {
      fault(error)
      return undefined
    }
  }

  #withoutHome(dirs: readonly string[]): string[] {
    const home = resolve(this.#options.home)
    return dirs.filter((dir) => dir !== home)
  }

  #onChange(path: string): void {
    if (this.#isClosed) return
    this.#changed.add(path)
    this.#schedule()
  }

  // Waits until a burst of changes is over: one save is often several changes.
  #schedule(): void {
    this.#cancel()
    this.#cancel = this.#options.clock.after(this.#options.quietMs ?? QUIET_MS, () => void this.reload())
  }

  // A new state may name files in directories that are not watched yet. Loads once more for changes before that.
  #watchNewDirs(): void {
    const dirs = this.#listNewDirs()
    if (dirs.length === 0 || this.#files === undefined) return
    this.#home ??= this.#watchHome()
    this.#files.add(this.#withoutHome(dirs))
    this.#schedule()
  }

  // The directory of each file, or the nearest that exists, unless it is watched already.
  #listNewDirs(): string[] {
    const relevant = new Set(this.#current.files)
    const dirs = new Set<string>()
    for (const file of this.#current.files) {
      let dir = dirname(file)
      while (!existsSync(dir) && dirname(dir) !== dir) {
        relevant.add(dir)
        dir = dirname(dir)
      }
      dirs.add(dir)
    }
    this.#relevant = relevant
    const added = [...dirs].filter((dir) => !this.#watched.has(dir))
    for (const dir of added) this.#watched.add(dir)
    return added
  }

  #notify(reload: ConfigReload): void {
    try {
      this.#options.onReload(reload)
    } catch (error) {
      this.#options.onFault(`The new configuration could not be applied: ${describe(error)}.`)
    }
  }
}
