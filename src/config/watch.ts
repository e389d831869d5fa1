// Loads the configuration and loads it again when a file changes: whole states only, one after another.
// What is done with a new state (building the pipeline, the config:change step) is up to the caller.

import { existsSync, watch as watchFolder } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { serializeContent } from './command-list.ts'
import type { Config } from './config.ts'
import { type Loaded, type LoadOptions, loadConfig } from './load.ts'

/** One state taking the place of another. */
export interface ConfigReload {
  readonly previous: Loaded
  readonly current: Loaded
  /** Is the configuration another one, or are only its problems? */
  readonly isChanged: boolean
  /** The files whose change led to it. */
  readonly files: readonly string[]
}

/** What watching needs beside what loading needs. */
export interface WatchOptions extends LoadOptions {
  readonly clock: Pick<Clock, 'after'>
  /** How long files must be quiet before they are read; 100 ms unless set. */
  readonly quietMs?: number
  /** Called when the configuration or its problems became others; the new state is in force already. */
  readonly onReload: (reload: ConfigReload) => void
  /** Told when watching itself fails or `onReload` throws. */
  readonly onFault: (message: string) => void
}

/** A configuration that follows its files. */
export interface WatchedConfig {
  /** The state in force. */
  readonly current: Loaded
  /** Loads again at once: after a change of trust, which no file shows. */
  reload(): Loaded
  /** Stops watching; safe to call twice. */
  close(): Promise<void>
}

const QUIET_MS = 100

/**
 * Loads the configuration and follows its files until it is closed. Keeps no process alive.
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
    this.#current = loadConfig(options)
  }

  get current(): Loaded {
    return this.#current
  }

  async start(): Promise<void> {
    const dirs = this.#follow()
    // Directories and not files: an editor that saves by renaming puts another file in the place of the old one.
    const others = this.#withoutHome(dirs)
    const files = watch(others, {
      depth: 0,
      ignoreInitial: true,
      persistent: false,
      ignored: (path) => !this.#relevant.has(path) && !this.#watched.has(path),
    })
    this.#files = files
    this.#home = this.#watchHome()
    files.on('all', (_event, path) => this.#noticed(path))
    files.on('error', (error) => this.#options.onFault(`Configuration files cannot be watched: ${describe(error)}.`))
    // It never says so of nothing.
    if (others.length > 0) await new Promise<void>((ready) => files.once('ready', ready))
    // What changed while watching began went unnoticed.
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
    this.#widen()
    const isChanged = identityOf(previous.config) !== identityOf(current.config)
    if (isChanged || !isSameTrouble(previous, current)) this.#tell({ previous, current, isChanged, files })
    return current
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    this.#home?.close()
    await this.#files?.close()
  }

  // The home holds the database too, and after each of its writes chokidar would read the whole folder anew.
  #watchHome(): { close(): void } | undefined {
    const home = resolve(this.#options.home)
    if (!this.#watched.has(home)) return undefined
    const fault = (error: unknown): void =>
      this.#options.onFault(`Configuration files cannot be watched: ${describe(error)}.`)
    try {
      const watcher = watchFolder(home, { persistent: false }, (_event, name) => {
        const path = join(home, name ?? '')
        if (name === null || this.#relevant.has(path)) this.#noticed(path)
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

  #noticed(path: string): void {
    if (this.#isClosed) return
    this.#changed.add(path)
    this.#schedule()
  }

  // Once a burst of changes is over: a save is often several of them.
  #schedule(): void {
    this.#cancel()
    this.#cancel = this.#options.clock.after(this.#options.quietMs ?? QUIET_MS, () => void this.reload())
  }

  // A new state may name files in places that were not watched; what changed there meanwhile is read once more.
  #widen(): void {
    const dirs = this.#follow()
    if (dirs.length === 0 || this.#files === undefined) return
    this.#home ??= this.#watchHome()
    this.#files.add(this.#withoutHome(dirs))
    this.#schedule()
  }

  // The directories to watch beside those that are: of every file, or the nearest that exists.
  #follow(): string[] {
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

  #tell(reload: ConfigReload): void {
    try {
      this.#options.onReload(reload)
    } catch (error) {
      this.#options.onFault(`The new configuration could not be taken over: ${describe(error)}.`)
    }
  }
}

// Without positions: a comment more is no other configuration.
function identityOf(config: Config): string {
  return JSON.stringify({
    ...config,
    commands: config.commands.map((command) => [command.name, serializeContent(command)]),
    scripts: config.scripts.map(({ file, sha256 }) => [file, sha256]),
  })
}

function isSameTrouble(a: Loaded, b: Loaded): boolean {
  const trouble = ({ problems, stale, absent }: Loaded) => JSON.stringify([problems, stale, absent])
  return trouble(a) === trouble(b)
}
