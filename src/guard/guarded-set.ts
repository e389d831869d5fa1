// The guarded paths of one ARC home, by real path: the home, the installed package, its Node, the launcher, and the settings
// of the agents. A path is looked up as written, and again with all links resolved.

import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type {
  Guard,
  Guarded,
  GuardedComparison,
  GuardedKind,
  GuardedRoot,
  OwnProcess,
} from '../engine/guarded-paths.ts'
import { isRecord } from '../engine/plain-data.ts'
import { installsFile, readInstalls } from './installs.ts'

/** The inputs of the set. */
export interface GuardedSetOptions {
  /** `$ARC_HOME`. */
  readonly home: string
  /** The settings of the agents; `isThere` checks whether a path exists. */
  readonly hostSettings: (isThere: (path: string) => boolean) => readonly GuardedRoot[]
  /** Environment variables with the paths of guarded folders. */
  readonly variables: ReadonlyMap<string, string>
  readonly comparison: GuardedComparison
  /** The state folder outside of the home. */
  readonly stateDir?: string | undefined
  /** The folder of the running package; undefined when it is unknown. */
  readonly packageDir?: string | undefined
  /** The program that runs ARC. */
  readonly node: string
  readonly now?: (() => number) | undefined
}

/** The paths are rebuilt after this time, or when the list of installs has changed. */
const REBUILD_MS = 30_000
/** The list of installs and the daemon are read again after this time. */
const LOOK_AGAIN_MS = 1_000
/** A folder's real path is cached for this time. */
const FOLDER_TTL_MS = 250
const MAX_FOLDERS = 512

interface Built {
  readonly roots: readonly GuardedRoot[]
  readonly builtAt: number
  readonly installsChanged: number
  readonly process: OwnProcess | undefined
  readonly lookedAt: number
}

/** The guarded paths of a home. Nothing is read before the first lookup. */
export class GuardedSet implements Guard {
  readonly followsLinks = true
  readonly variables: ReadonlyMap<string, string>
  readonly #options: GuardedSetOptions
  readonly #now: () => number
  readonly #folders = new Map<string, { readonly real: string; readonly until: number }>()
  #built: Built | undefined
  #inFolders: { readonly roots: readonly GuardedRoot[]; readonly files: ReadonlyMap<string, string> } | undefined

  constructor(options: GuardedSetOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.variables = options.variables
  }

  guards(path: string, isPattern = false): Guarded | undefined {
    const { roots } = this.#current()
    const written = withoutProc(foldCase(path))
    if (isPattern) return this.#options.comparison.ofPattern(written, roots) ?? this.#patternBelow(written, roots)
    const { ofPath } = this.#options.comparison
    const named = ofPath(written, roots)
    if (named?.isInside === true || !written.startsWith('/')) return named
    const real = this.#real(written)
    const led = real === written ? undefined : ofPath(real, roots)
    return led?.isInside === true || named === undefined ? led : named
  }

  get roots(): readonly GuardedRoot[] {
    return this.#current().roots
  }

  get process(): OwnProcess | undefined {
    return this.#current().process
  }

  // The part of a pattern before its first wildcard may be a link.
  #patternBelow(pattern: string, roots: readonly GuardedRoot[]): Guarded | undefined {
    const parts = pattern.split('/')
    const first = parts.findIndex((part) => /[*?[]/.test(part))
    const fixed = parts.slice(0, first).join('/')
    const real = fixed === '' ? fixed : this.#real(fixed)
    return real === fixed
      ? undefined
      : this.#options.comparison.ofPattern([real, ...parts.slice(first)].join('/'), roots)
  }

  // Resolves the folder, then the last name: one file system access for most paths.
  #real(path: string): string {
    const folder = this.realFolder(dirname(path))
    const whole = join(folder, basename(path))
    try {
      const entry = lstatSync(whole, { throwIfNoEntry: false })
      if (entry?.isSymbolicLink() !== true) return this.#linked(entry) ?? whole
      const real = followed(whole)
      return this.#linked(statSync(real, { throwIfNoEntry: false })) ?? real
    } catch {
      // The path cannot be read, for example below a file: it is used as written.
      return whole
    }
  }

  // A file with several hard links may be a guarded file.
  #linked(entry: Stats | undefined): string | undefined {
    if (entry === undefined || entry.nlink < 2 || !entry.isFile()) return undefined
    const { roots } = this.#current()
    const own = roots.find(({ path }) => isSame(path, entry))?.path
    if (own !== undefined) return own
    if (this.#inFolders?.roots !== roots) this.#inFolders = { roots, files: listFiles(roots) }
    return this.#inFolders.files.get(`${entry.dev}:${entry.ino}`)
  }

  realFolder(folder: string): string {
    const now = this.#now()
    const known = this.#folders.get(folder)
    if (known !== undefined && known.until > now) return known.real
    if (this.#folders.size >= MAX_FOLDERS) this.#folders.clear()
    const real = followed(folder)
    this.#folders.set(folder, { real, until: now + FOLDER_TTL_MS })
    return real
  }

  #current(): Built {
    const now = this.#now()
    const before = this.#built
    if (before !== undefined && now - before.lookedAt < LOOK_AGAIN_MS) return before
    const { home } = this.#options
    const installsChanged = readChangeTime(installsFile(home))
    const isFresh =
      before !== undefined && before.installsChanged === installsChanged && now - before.builtAt < REBUILD_MS
    const { roots, builtAt } = isFresh ? before : { roots: collectRoots(this.#options), builtAt: now }
    this.#built = { roots, builtAt, installsChanged, process: readDaemon(home), lookedAt: now }
    return this.#built
  }
}

function collectRoots({ home, hostSettings, packageDir, node, stateDir }: GuardedSetOptions): GuardedRoot[] {
  const roots: GuardedRoot[] = []
  const add = (root: GuardedRoot): void => {
    const real = followed(root.path)
    roots.push(folded(root))
    if (real === root.path) return
    const folder = root.folder === undefined ? undefined : followed(root.folder)
    roots.push(folded({ ...root, path: real, folder }))
  }
  const fixed = (kind: GuardedKind, path: string): void => add({ kind, path: resolve(path), isPresent: true })
  fixed('launcher', join(home, 'bin', 'arc'))
  fixed('home', home)
  if (stateDir !== undefined) fixed('home', stateDir)
  if (packageDir !== undefined) for (const path of splitPath(packageDir)) fixed('package', path)
  fixed('node', node)
  for (const root of hostSettings(isThere)) add(root)
  for (const install of readInstalls(home)) {
    const isProject = install.scope === 'project'
    for (const path of install.files) {
      const folder = dirname(path) === install.dir ? undefined : dirname(path)
      const notAbove = isProject ? install.dir : undefined
      add({ kind: 'host-settings', path: resolve(path), folder, isPresent: true, notAbove })
    }
  }
  return roots
}

// An installed package is guarded as a whole. In a checkout, only the running files are guarded.
function splitPath(packageDir: string): string[] {
  if (/[\\/]node_modules[\\/]/.test(packageDir)) return [packageDir]
  return ['dist', 'bin', 'package.json', 'node_modules'].map((name) => join(packageDir, name))
}

function folded(root: GuardedRoot): GuardedRoot {
  const { path, folder, notAbove } = root
  if (process.platform !== 'darwin') return root
  return { ...root, path: foldCase(path), folder: folder && foldCase(folder), notAbove: notAbove && foldCase(notAbove) }
}

// Linux paths are case-sensitive; macOS and Windows paths are not.
function foldCase(path: string): string {
  return process.platform === 'darwin' ? path.toLowerCase() : path
}

// `/proc/self/root/x` is `/x`.
function withoutProc(path: string): string {
  if (!path.startsWith('/proc/')) return path
  return path.replace(/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$)/, '') || '/'
}

/** A path with all links resolved, as far as it exists. */
function followed(path: string): string {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = resolveReal(at)
    if (real !== undefined) return join(real, ...missing)
    if (dirname(at) === at) return path
    missing.unshift(basename(at))
  }
}

// A dangling link counts: a write through it creates the target.
function resolveReal(path: string): string | undefined {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined) return undefined
    if (!entry.isSymbolicLink() || isThere(path)) return realpathSync.native(path)
    const target = resolve(dirname(path), readlinkSync(path))
    return join(realpathSync.native(dirname(target)), basename(target))
  } catch {
    // Below a file, or in an inaccessible folder.
    return undefined
  }
}

function isSame(path: string, { dev, ino }: Stats): boolean {
  const own = readStats(path)
  return own !== undefined && own.ino === ino && own.dev === dev
}

function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // Unreadable, so nothing is known about it.
    return undefined
  }
}

/** The number of files in guarded folders that are compared with a hard-linked file. */
const MAX_FILES = 600

// The files in the guarded folders, by device and inode.
function listFiles(roots: readonly GuardedRoot[]): Map<string, string> {
  const files = new Map<string, string>()
  const folders = roots.filter(({ kind }) => kind !== 'node').map(({ path }) => path)
  for (let at = 0; at < folders.length && at < MAX_FILES && files.size < MAX_FILES; at++) {
    const folder = folders[at] as string
    for (const name of listNames(folder)) {
      const path = join(folder, name)
      const entry = readStats(path)
      if (entry?.isDirectory() === true) {
        if (name !== 'node_modules') folders.push(path)
      } else if (entry !== undefined && files.size < MAX_FILES) files.set(`${entry.dev}:${entry.ino}`, path)
    }
  }
  return files
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // A file, or missing.
    return []
  }
}

function isThere(path: string): boolean {
  return readChangeTime(path) >= 0
}

function readChangeTime(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1
  } catch {
    // Unreadable, so nothing is known about it.
    return -1
  }
}

// The daemon of the pid file. The pid of an ended daemon may belong to another program.
function readDaemon(home: string): OwnProcess | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(join(home, 'run', 'arc.pid'), 'utf8'))
    if (!isRecord(note) || typeof note.pid !== 'number') return undefined
    return describeProcess(note.pid)
  } catch {
    // No daemon, or a daemon that is starting.
    return undefined
  }
}

function describeProcess(pid: number): OwnProcess | undefined {
  if (process.platform !== 'linux') return { pid, name: 'node', commandLine: 'node arc serve' }
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    if (!commandLine.includes('serve')) return undefined
    return { pid, name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(), commandLine }
  } catch {
    // The process has ended.
    return undefined
  }
}
