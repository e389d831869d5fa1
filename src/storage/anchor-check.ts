// Compares the record of a home with every anchor of it: those of the home, of the copy outside, of other files and of the
// system log. Names the first that does not fit.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ArcError, describe } from '../engine/errors.ts'
import { type Anchor, findMismatch, type Mismatch, readAnchors, type TraceFacts } from '../trace/anchors.ts'
import { SYSTEM_LOG_TAG } from '../trace/system-log.ts'
import { anchorFiles, homeId } from './anchor-paths.ts'
import { readAnchorFile } from './sqlite/anchor-files.ts'
import { TraceFactsReader } from './sqlite/trace-facts.ts'

/** The result of the comparison. */
export interface AnchorCheck {
  /** How many anchors were compared. */
  readonly checked: number
  readonly mismatch?: Mismatch | undefined
  /** Databases that were damaged and moved out of the way. */
  readonly setAside: readonly string[]
}

/** Anchors and where they were found. */
export interface AnchorSource {
  readonly name: string
  readonly anchors: readonly Anchor[]
}

const JOURNAL_MS = 3_000
const JOURNAL = '/usr/bin/journalctl'
// A home and its first database are made within this time.
const SAME_TIME_MS = 60_000

/** Compares a home with its anchors, and with those given. */
export function checkAnchors(home: string, more: readonly AnchorSource[] = []): AnchorCheck {
  // Anchors first: the database only grows meanwhile.
  const own = anchorFiles(home).map((name) => ({ name, anchors: readAnchorFile(name) }))
  const id = homeId(home)
  const all = [...own, ...more].flatMap(({ name, anchors }) =>
    anchors.filter((anchor) => anchor.home === undefined || anchor.home === id).map((anchor) => ({ name, anchor })),
  )
  all.sort((a, b) => Date.parse(a.anchor.time) - Date.parse(b.anchor.time))
  const file = join(home, 'arc.db')
  const setAside = setAsideIn(home)
  const result = (mismatch: Mismatch | undefined): AnchorCheck => ({
    checked: all.length,
    ...(mismatch !== undefined && { mismatch }),
    setAside,
  })
  if (!existsSync(file)) return result(all.length === 0 ? undefined : gone(all))
  const reader = new TraceFactsReader(file)
  try {
    const found = reader.read((facts) => findFirstMismatch(all, facts) ?? youngerThan(home, facts, setAsideIn(home)))
    return { ...result(found), setAside: setAsideIn(home) }
  } finally {
    reader.close()
  }
}

/** The anchors of a file that somebody names. */
export function anchorsIn(file: string): AnchorSource {
  try {
    return { name: file, anchors: readAnchors(readFileSync(file, 'utf8')) }
  } catch (error) {
    throw new ArcError('ARC_OPTION_INVALID', `The anchors in ${file} cannot be read: ${describe(error)}`)
  }
}

/** The anchors that the journal of the system holds; none where it cannot be read. */
export function journalAnchors(): AnchorSource {
  const name = 'system log'
  if (!existsSync(JOURNAL)) return { name, anchors: [] }
  const args = ['-t', SYSTEM_LOG_TAG, '-o', 'cat', '--no-pager', '-q', '-n', '10000']
  const { stdout } = spawnSync(JOURNAL, args, { timeout: JOURNAL_MS, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  return { name, anchors: readAnchors(stdout ?? '') }
}

type Sourced = { readonly name: string; readonly anchor: Anchor }

function findFirstMismatch(all: readonly Sourced[], facts: TraceFacts): Mismatch | undefined {
  for (const { name, anchor } of all) {
    const mismatch = findMismatch(anchor, facts, name)
    if (mismatch !== undefined) return mismatch
  }
  const found = { database: facts.database, seq: facts.head.seq, hash: facts.head.hash }
  const noted = all.find(({ anchor }) => anchor.mismatch !== undefined)
  if (noted !== undefined) {
    const message = `The anchors themselves were removed before ${noted.anchor.time}.`
    return { kind: noted.anchor.mismatch ?? 'unanchored', message, found }
  }
  if (all.length > 0 || !facts.isAnchored) return undefined
  return {
    kind: 'unanchored',
    message: 'Anchors of this database were written before, and all of them are gone.',
    found,
  }
}

function gone(all: readonly Sourced[]): Mismatch | undefined {
  const last = all.at(-1)
  if (last === undefined) return undefined
  const { anchor, name } = last
  const message = `The database was removed: record ${anchor.seq} was noted at ${anchor.time}, and there is none now.`
  return { kind: 'removed', message, expected: { ...anchor, source: name }, found: { seq: 0 } }
}

// What a daemon left in the home before there was this database.
function youngerThan(
  home: string,
  { created, database, head }: TraceFacts,
  setAside: readonly string[],
): Mismatch | undefined {
  const found = { database, seq: head.seq, hash: head.hash }
  if (setAside.length > 0) {
    return { kind: 'removed', message: `A damaged database was set aside: ${setAside.join(', ')}.`, found }
  }
  const stats = statSync(join(home, 'run', 'token'), { throwIfNoEntry: false })
  if (stats === undefined || created === 0) return undefined
  const since = Math.min(stats.mtimeMs, stats.birthtimeMs || stats.mtimeMs)
  if (created - since < SAME_TIME_MS) return undefined
  const times = `it was made at ${new Date(created).toISOString()}, the home was in use at ${new Date(since).toISOString()}`
  return { kind: 'younger', message: `The database is younger than its home: ${times}.`, found }
}

function setAsideIn(home: string): string[] {
  try {
    const names = readdirSync(home).filter((name) => name.startsWith('arc.db.corrupt-') && !/-(?:wal|shm)$/.test(name))
    return names.sort().map((name) => join(home, name))
  } catch {
    // There is no home yet.
    return []
  }
}
