// Compares a path with the guarded paths: equal, inside or containing. Compares text only: src/guard/guarded-set.ts resolves
// links.

import type { Guarded, GuardedComparison, GuardedRoot } from '../../engine/guarded-paths.ts'
import { isWithin } from '../path-class.ts'

/** Comparison by text. */
export const TEXT_COMPARISON: GuardedComparison = { ofPath: comparePath, ofPattern: comparePattern }

/** The relation of a path to the roots. Inside a root takes precedence over containing a root. */
export function comparePath(path: string, roots: readonly GuardedRoot[]): Guarded | undefined {
  let containing: Guarded | undefined
  for (const root of roots) {
    if (isWithin(path, root.path)) return inside(path, root)
    if (containing?.isNear !== true && isAbove(path, root)) containing = around(path, root)
  }
  return containing
}

/** The same for a shell pattern such as `~/.cl*` + `/settings.json`. */
export function comparePattern(pattern: string, roots: readonly GuardedRoot[]): Guarded | undefined {
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

// The number of parts of the root's path that the pattern matches, or `inside` if it matches the root or a path in it.
function coveredParts(pattern: readonly string[], own: readonly string[]): number | 'inside' | undefined {
  for (let at = 0; at < pattern.length; at++) {
    if (at >= own.length) return 'inside'
    const part = pattern[at] as string
    // `**` matches any number of folders: the rest may match any later part.
    if (part === '**')
      return pattern.slice(at + 1).every((rest) => own.some((name) => partFits(rest.toLowerCase(), name.toLowerCase())))
        ? 'inside'
        : undefined
    if (!partFits(part, own[at] as string)) return undefined
  }
  return pattern.length >= own.length ? 'inside' : pattern.length
}

function partFits(pattern: string, name: string): boolean {
  if (pattern === name) return true
  if (!/[*?[]/.test(pattern)) return false
  // Wildcards do not match the leading dot of a hidden name.
  if (name.startsWith('.') && !pattern.startsWith('.') && !pattern.startsWith('[')) return false
  return wildcardFits(pattern, name)
}

/** Whether a name matches a pattern with `*`, `?` and `[…]`. */
export function wildcardFits(pattern: string, name: string): boolean {
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
      // A character set counts as any character: a false match only needs an approval.
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

// Everything in run/ except the pid file and the log; the database with its WAL files; keys.
function isSecretOfHome(path: string, home: string): boolean {
  const rest = path.slice(home.length + 1)
  // Reading a whole folder reads the secrets in it.
  if (rest === '' || rest === 'run') return true
  if (rest.startsWith('run/')) return rest !== 'run/arc.pid' && rest !== 'run/daemon.log'
  return rest.startsWith('arc.db') || rest.endsWith('.key') || rest.includes('token') || rest.startsWith('keys/')
}
