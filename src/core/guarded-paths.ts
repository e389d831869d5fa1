// The paths that belong to the supervision, and the question whether another path is one of them, is inside one of them or
// contains one of them. Compares text only: src/guard/guarded-set.ts adds what links on the disk mean.

/** What a guarded path is. */
export type GuardedKind = 'home' | 'package' | 'node' | 'launcher' | 'host-settings'

/** One guarded file, or folder with everything in it. */
export interface GuardedRoot {
  readonly kind: GuardedKind
  /** Absolute, without `.` and `..`. */
  readonly path: string
  /** The folder that exists for it, such as `~/.claude`: whoever replaces this folder replaces the guarded path. */
  readonly folder?: string | undefined
  /** It is there, so that every folder above it contains it. False for places that may not be used at all. */
  readonly isPresent: boolean
  /** Folders from this one upwards do not count: the project that has an agent's settings in it is worked in. */
  readonly notAbove?: string | undefined
}

/** How a path relates to a guarded one. */
export interface Guarded {
  readonly kind: GuardedKind
  /** The guarded path. */
  readonly root: string
  /** The path that was compared, after links. */
  readonly path: string
  /** The path is the guarded one or inside it; otherwise it contains it. */
  readonly isInside: boolean
  /** It contains the guarded path and exists for it, as `~/.claude` does. */
  readonly isNear: boolean
  /** A file that lets its reader act as a person: the token, the socket, the database. */
  readonly isSecret: boolean
}

/** A process of ARC that is running. */
export interface OwnProcess {
  readonly pid: number
  /** The name that pkill compares. */
  readonly name: string
  readonly commandLine: string
}

/** What the rules ask about the supervision. */
export interface Guard {
  /** What the path has to do with the supervision. `isPattern`: it holds wildcards of the shell. */
  guards(path: string, isPattern?: boolean): Guarded | undefined
  /** May a name lead somewhere else through a link on the disk? */
  readonly followsLinks: boolean
  readonly roots: readonly GuardedRoot[]
  /** Variables of the environment that lead to guarded folders. */
  readonly variables: ReadonlyMap<string, string>
  /** The daemon, when one is running. */
  readonly process?: OwnProcess | undefined
}

/** The relation of a path to the roots; being inside one counts more than containing one. */
export function relationTo(path: string, roots: readonly GuardedRoot[]): Guarded | undefined {
  let containing: Guarded | undefined
  for (const root of roots) {
    if (isWithin(path, root.path)) return inside(path, root)
    if (containing?.isNear !== true && isAbove(path, root)) containing = around(path, root)
  }
  return containing
}

/** The same for a pattern of the shell such as `~/.cl*` + `/settings.json`. */
export function patternRelation(pattern: string, roots: readonly GuardedRoot[]): Guarded | undefined {
  const parts = pattern.split('/')
  let containing: Guarded | undefined
  for (const root of roots) {
    const own = root.path.split('/')
    const covered = coveredParts(parts, own)
    if (covered === 'inside') return insidePattern(parts.slice(own.length), root)
    if (covered === undefined) continue
    const path = own.slice(0, covered).join('/') || '/'
    if (containing?.isNear !== true && isAbove(path, root)) containing = around(path, root)
  }
  return containing
}

// How many parts of the root's path the pattern names, or that it names the root or something inside it.
function coveredParts(pattern: readonly string[], own: readonly string[]): number | 'inside' | undefined {
  for (let at = 0; at < pattern.length; at++) {
    if (at >= own.length) return 'inside'
    const part = pattern[at] as string
    // `**` takes any number of folders: what follows it may be any later part.
    if (part === '**')
      return pattern.slice(at + 1).every((rest) => own.some((name) => partFits(rest, name))) ? 'inside' : undefined
    if (!partFits(part, own[at] as string)) return undefined
  }
  return pattern.length >= own.length ? 'inside' : pattern.length
}

function partFits(pattern: string, name: string): boolean {
  if (pattern === name) return true
  if (!/[*?[]/.test(pattern)) return false
  // Wildcards do not take the dot of a hidden name.
  if (name.startsWith('.') && !pattern.startsWith('.') && !pattern.startsWith('[')) return false
  return wildcardFits(pattern, name)
}

function wildcardFits(pattern: string, name: string): boolean {
  let at = 0
  let position = 0
  let star = -1
  let mark = 0
  while (position < name.length) {
    const character = pattern[at]
    const close = character === '[' ? pattern.indexOf(']', at + 2) : -1
    if (character === '*') {
      star = at++
      mark = position
    } else if (close > 0 || character === '?' || character === name[position]) {
      // A set of characters counts as any character: a wrong guess here only asks a question.
      at = close > 0 ? close + 1 : at + 1
      position++
    } else if (star >= 0) {
      at = star + 1
      position = ++mark
    } else return false
  }
  while (pattern[at] === '*') at++
  return at >= pattern.length
}

const SECRETS = ['run/token', 'run/arc.sock', 'arc.db', 'arc.db-wal'].map((path) => path.split('/'))

function insidePattern(rest: readonly string[], root: GuardedRoot): Guarded {
  const fits = (secret: readonly string[]): boolean =>
    rest.length <= secret.length && rest.every((part, at) => partFits(part, secret[at] as string))
  return { ...inside(root.path, root), isSecret: root.kind === 'home' && SECRETS.some(fits) }
}

function inside(path: string, { kind, path: root }: GuardedRoot): Guarded {
  return { kind, root, path, isInside: true, isNear: false, isSecret: kind === 'home' && isSecretOfHome(path, root) }
}

function around(path: string, root: GuardedRoot): Guarded {
  return { kind: root.kind, root: root.path, path, isInside: false, isNear: isNearTo(path, root), isSecret: false }
}

function isNearTo(path: string, { folder }: GuardedRoot): boolean {
  return folder !== undefined && isWithin(path, folder)
}

function isAbove(path: string, root: GuardedRoot): boolean {
  if (path.length >= root.path.length || !isWithin(root.path, path)) return false
  if (isNearTo(path, root)) return true
  return root.isPresent && (root.notAbove === undefined || !isWithin(root.notAbove, path))
}

// Everything in run/ but the number of the process; the database with its side files; keys.
function isSecretOfHome(path: string, home: string): boolean {
  const rest = path.slice(home.length + 1)
  // Reading a whole folder reads the secrets in it.
  if (rest === '' || rest === 'run') return true
  if (rest.startsWith('run/')) return rest !== 'run/arc.pid' && rest !== 'run/daemon.log'
  return rest.startsWith('arc.db') || rest.endsWith('.key') || rest.includes('token') || rest.startsWith('keys/')
}

/** Is this path the folder itself, or in it? */
function isWithin(path: string, folder: string): boolean {
  if (!path.startsWith(folder)) return false
  return path.length === folder.length || folder === '/' || path.charCodeAt(folder.length) === 47
}
