// What the calls of a session did with files, as far as ARC saw them: stored in the state, because hosts start a process per
// call. Bounded: the oldest files are forgotten first.

import { lstatSync } from 'node:fs'
import type { Clock } from '../../engine/clock.ts'
import type { FileEffect } from '../../risk/file-effects.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'
import { realTarget, type SessionFacts } from './disk-facts.ts'

interface Written {
  /** Nothing would have been lost before the first change: the file was unchanged or did not exist. */
  readonly wasClean: boolean
  /** When the last call that changes it began. */
  readonly at: number
}

interface SessionFiles {
  readonly since: number
  readonly written: Readonly<Record<string, Written>>
  readonly copied: readonly string[]
  /** The session stashed changes of all files. */
  readonly hasStashed: boolean
  /** The session put files under version control. */
  readonly hasAdded: boolean
}

const MAX_FILES = 200
/** How long after the begin of a call its change of a file may happen: a host may ask its user first. */
const WRITE_MS = 60_000

/** The facts of a session. */
export function openSessionFacts(state: StateStore, session: string | undefined): SessionFacts {
  const files = session === undefined ? undefined : readFiles(state, session)
  return {
    changedInSession: (path) => {
      if (files === undefined) return false
      if (Object.hasOwn(files.written, path)) return true
      // After `git add`, a file that was written in a way that ARC did not see looks like one of the project.
      return files.hasAdded && lstatSync(path).ctimeMs >= files.since
    },
    isOwnEdit: (path) => {
      const written = files !== undefined && Object.hasOwn(files.written, path) ? files.written[path] : undefined
      if (written?.wasClean !== true) return false
      return lstatSync(path).mtimeMs <= written.at + WRITE_MS
    },
    isCopied: (path) => files !== undefined && (files.hasStashed || files.copied.includes(path)),
  }
}

/** One call that was not stopped. */
export interface NotedCall {
  readonly session: string
  readonly effects: readonly FileEffect[]
  /** The shell text of the call; undefined for other tools. */
  readonly command: string | undefined
  /** Whether the file has nothing to lose. */
  readonly wasClean: (path: string) => boolean
}

const STASHES = /\bgit\b[^;&|\n]*\bstash\b(?!\s+(?:pop|apply|drop|list|show|clear|branch))/
const ADDS = /\bgit\b[^;&|\n]*\b(?:add|commit|stage|update-index|am|mv)\b/

/** Stores what a call does with files. */
export function noteCall(state: StateStore, clock: Clock, call: NotedCall): void {
  const { session, effects, command = '' } = call
  const local = effects.filter(
    ({ location, isResolved, isPattern }) => location === 'local' && isResolved && !isPattern,
  )
  const written = local
    .filter(({ kind }) => kind === 'overwrite' || kind === 'append')
    .map(({ path }) => realTarget(path))
  const copied = local.filter(({ kind }) => kind === 'copy').map(({ path }) => realTarget(path))
  const hasStashed = STASHES.test(command)
  const hasAdded = ADDS.test(command)
  const isFirst = readFiles(state, session) === undefined
  if (!isFirst && written.length + copied.length === 0 && !hasStashed && !hasAdded) return
  const at = clock.wall()
  update<SessionFiles>(
    state,
    keyOf(session),
    (before = EMPTY(at)) => ({
      since: before.since,
      written: addWritten(before.written, written.slice(0, MAX_FILES), at, call.wasClean),
      copied: [...new Set([...before.copied, ...copied])].slice(-MAX_FILES),
      hasStashed: before.hasStashed || hasStashed,
      hasAdded: before.hasAdded || hasAdded,
    }),
    SESSION_TTL_MS,
  )
}

const EMPTY = (since: number): SessionFiles => ({ since, written: {}, copied: [], hasStashed: false, hasAdded: false })

function addWritten(
  before: SessionFiles['written'],
  paths: readonly string[],
  at: number,
  wasClean: (path: string) => boolean,
): SessionFiles['written'] {
  const entries = new Map(Object.entries(before))
  for (const path of paths) {
    const known = entries.get(path)
    entries.delete(path)
    entries.set(path, { wasClean: known?.wasClean ?? wasClean(path), at })
  }
  return Object.fromEntries([...entries].slice(-MAX_FILES))
}

function readFiles(state: StateStore, session: string): SessionFiles | undefined {
  return state.get(keyOf(session))?.value as SessionFiles | undefined
}

function keyOf(session: string): string {
  return turnKey('files', session, undefined)
}
