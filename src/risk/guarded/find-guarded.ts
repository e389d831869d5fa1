// Looks up a path as written in a command or in code, with `~`, variables, patterns and unknown parts.

import type { Guard, Guarded, GuardedKind, GuardedRoot } from '../../engine/guarded-paths.ts'
import { expandPathStart, resolveDots } from '../path-class.ts'
import type { Facts } from '../rule.ts'
import type { Word } from '../shell/execution.ts'

/** A guarded path that matches. */
export interface GuardedMatch {
  readonly guarded: Guarded
  /** The full path, for the reason. */
  readonly path: string
  /** A part of the path is a pattern or unknown. */
  readonly isGuess: boolean
}

/** The guarded path that a path matches; undefined if there is none. */
export function findGuarded(file: Word, cwd: string | undefined, facts: Facts, guard: Guard): GuardedMatch | undefined {
  const { text, isGlob, isKnown } = file
  if (!mayBeGuarded(text, cwd, guard)) return undefined
  const start = expandPathStart(text, cwd, facts, guard.variables)
  if (start === undefined) return findByTail(text, guard)
  if (!start.startsWith('/') && cwd === undefined) return findByTail(start, guard)
  const whole = resolveDots(start.startsWith('/') ? start : `${cwd}/${start}`)
  if (isGlob) return makeMatch(guard.guards(whole, true), whole, true)
  // A loop or the program may expand a quoted pattern.
  const isPattern = /[*?[]/.test(whole)
  if (isKnown || isPattern || !/[$`]/.test(whole))
    return (
      makeMatch(guard.guards(whole), whole, false) ??
      (isPattern ? makeMatch(guard.guards(whole, true), whole, true) : undefined)
    )
  return findByKnownPart(whole, guard)
}

// Without links, a relative path can only be guarded if the working folder is near a guarded path.
function mayBeGuarded(text: string, cwd: string | undefined, guard: Guard): boolean {
  const first = text.charCodeAt(0)
  if (first === 47 || first === 126 || first === 36 || first === 96) return true
  if (text === '' || first === 45) return false
  if (guard.followsLinks || text.includes('..')) return true
  return cwd === undefined || isClose(cwd, guard)
}

let close: { readonly guard: Guard; readonly cwd: string; readonly isClose: boolean } | undefined

/** Whether a relative path in this folder can be guarded. */
export function isClose(cwd: string, guard: Guard): boolean {
  if (close?.guard === guard && close.cwd === cwd) return close.isClose
  const isNow = guard.roots.some(({ path }) => path.startsWith(cwd) || cwd.startsWith(path))
  close = { guard, cwd, isClose: isNow }
  return isNow
}

function makeMatch(guarded: Guarded | undefined, path: string, isGuess: boolean): GuardedMatch | undefined {
  return guarded === undefined ? undefined : { guarded, path, isGuess }
}

// Only the start of the path is known: `~/.claude/$file` may be any file in the folder.
function findByKnownPart(path: string, guard: Guard): GuardedMatch | undefined {
  const known = path.slice(0, path.search(/[$`]/))
  const folder = resolveDots(known.slice(0, known.lastIndexOf('/')) || '/')
  const guarded = guard.guards(folder)
  if (guarded === undefined || !(guarded.isInside || guarded.isNear)) return undefined
  return { guarded: { ...guarded, isInside: true, isNear: false }, path, isGuess: true }
}

// Only the end of the path is known: it may be the end of a guarded path.
function findByTail(text: string, guard: Guard): GuardedMatch | undefined {
  if (!text.includes('/')) return undefined
  const parts = text.split('/')
  const root = guard.roots.find((one) => hasTail(parts, one))
  if (root !== undefined) return makeGuess(root.kind, root.path, text)
  return parts.slice(1).includes('arc-supervisor') ? makeGuess('package', 'arc-supervisor', text) : undefined
}

function hasTail(parts: readonly string[], { kind, path, folder }: GuardedRoot): boolean {
  const own = path.split('/')
  const name = own.at(-1) ?? ''
  if (kind === 'home') return name.startsWith('.') && parts.includes(name)
  if (kind !== 'host-settings' || folder === undefined) return false
  const tail = own.slice(folder.split('/').length - 1)
  return tail.every((part, index) => parts.at(index - tail.length) === part)
}

function makeGuess(kind: GuardedKind, root: string, path: string): GuardedMatch {
  return { guarded: { kind, root, path, isInside: true, isNear: false, isSecret: false }, path, isGuess: true }
}
