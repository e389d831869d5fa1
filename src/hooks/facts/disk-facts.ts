// Answers about files from the disk, within limits: per call 20 files, 100 looks for a name and 50 ms; per file 64 kB. Beyond
// a limit an answer is unknown. Only regular files are opened, and no program is started.

import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { FactAnswer, FileContent, FileFacts } from '../../risk/facts.ts'
import { formatFileState } from './git-index.ts'
import { readDescriptor } from './repository.ts'
import { findChanges, hasRef, isClean, isTracked } from './tracked-files.ts'

/** What is known about the files of a session. */
export interface SessionFacts {
  changedInSession(path: string): FactAnswer
  isOwnEdit(path: string): FactAnswer
  isCopied(path: string): FactAnswer
}

/** A call whose files are asked about. */
export interface FactsOf {
  readonly workspace: string | undefined
  readonly home: string
  readonly session: SessionFacts
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const MAX_FILES = 20
const MAX_NAMES = 100
const MAX_MS = 50
const MAX_BYTES = 65_536
const MAX_CACHED = 64

const texts = new Map<string, { readonly state: string; readonly text: FileContent }>()

/** The facts for one call. */
export function openDiskFacts({ workspace, home, session, now }: FactsOf): FileFacts {
  const files = new Set<string>()
  let names = 0
  let spentMs = 0
  let startedAt = 0
  const isLate = (): boolean => spentMs + (now() - startedAt) > MAX_MS
  // Only the time of the questions counts, not that of the classification between them.
  const timed = <T>(answer: () => T): T | undefined => {
    startedAt = now()
    if (isLate()) return undefined
    const answered = answerOr(answer)
    spentMs += now() - startedAt
    return answered
  }
  // The questions about one file count once.
  const ask = <T>(path: string, answer: () => T): T | undefined => {
    if (!files.has(path) && files.size >= MAX_FILES) return undefined
    files.add(path)
    return timed(answer)
  }
  const look = <T>(answer: () => T): T | undefined => (++names > MAX_NAMES ? undefined : timed(answer))
  const roots = [workspace, home, tmpdir(), '/tmp', '/var/tmp', '/private/tmp', '/dev/shm'].filter(
    (root) => root !== undefined && root !== '/',
  ) as string[]
  return {
    exists: (path) => look(() => statSync(path, { throwIfNoEntry: false }) !== undefined),
    size: (path) => look(() => statSync(path, { throwIfNoEntry: false })?.size),
    isTracked: (path) => ask(path, () => isTracked(realPath(path))),
    isClean: (path) => ask(path, () => isClean(realPath(path))),
    changedInSession: (path) => ask(path, () => session.changedInSession(realPath(path))),
    isOwnEdit: (path) => ask(path, () => session.isOwnEdit(realPath(path))),
    isCopied: (path) => ask(path, () => session.isCopied(realPath(path))),
    findChanges: (path) => ask(path, () => findChanges(path, isLate)),
    refExists: (folder, name) => look(() => hasRef(folder, name)),
    read: (path) => ask(path, () => readText(path, roots, home)) ?? { why: 'limit' },
  }
}

// A file that is removed or changes while it is read is unknown.
function answerOr<T>(answer: () => T): T | undefined {
  try {
    return answer()
  } catch {
    // Not readable, a circle of links, a name that is too long: unknown.
    return undefined
  }
}

function realPath(path: string): string {
  return realpathSync.native(path)
}

function readText(path: string, roots: readonly string[], home: string): FileContent {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return { why: 'missing' }
  let real: string
  try {
    real = realPath(path)
  } catch {
    // A circle of links, or a folder on the way that may not be entered.
    return { why: 'unreadable' }
  }
  if (!roots.some((root) => isBelow(real, root))) return { why: 'outside' }
  const stat = statSync(real, { bigint: true })
  if (!stat.isFile()) return { why: 'not-a-file' }
  if (stat.size > MAX_BYTES) return { why: 'too-large' }
  if (!isReadableBy(stat, home)) return { why: 'unreadable' }
  const cached = texts.get(real)
  if (cached?.state === formatFileState(stat)) return cached.text
  const text = readFile(real, stat)
  if (texts.size >= MAX_CACHED) texts.delete(texts.keys().next().value ?? '')
  if (text.why === undefined || text.why === 'binary') texts.set(real, { state: formatFileState(stat), text })
  return text
}

function isBelow(path: string, root: string): boolean {
  const real = realRoots.get(root) ?? answerOr(() => realPath(root)) ?? root
  realRoots.set(root, real)
  return path.startsWith(`${real}/`)
}

const realRoots = new Map<string, string>()

// A managed daemon may read more than the agent: it reads only what the agent's account or everyone may read.
function isReadableBy({ mode, uid }: BigIntStats, home: string): boolean {
  const own = process.getuid?.()
  const owner = answerOr(() => statSync(home).uid)
  return own === undefined || owner === undefined || own === owner || Number(uid) === owner || (mode & 0o004n) !== 0n
}

function readFile(real: string, before: BigIntStats): FileContent {
  let descriptor: number | undefined
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW
    descriptor = openSync(real, flags)
    const opened = fstatSync(descriptor, { bigint: true })
    if (!opened.isFile() || formatFileState(opened) !== formatFileState(before)) return { why: 'unreadable' }
    const bytes = readDescriptor(descriptor, Number(opened.size))
    const isSame = formatFileState(fstatSync(descriptor, { bigint: true })) === formatFileState(opened)
    if (!isSame) return { why: 'unreadable' }
    return bytes.includes(0) ? { why: 'binary' } : { text: bytes.toString('utf8') }
  } catch {
    // No permission, or the file was just removed.
    return { why: 'unreadable' }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** The folder of a path as it is on the disk, for paths that do not exist yet. */
export function realTarget(path: string): string {
  return (
    answerOr(() => realPath(path)) ??
    `${answerOr(() => realPath(dirname(path))) ?? dirname(path)}/${path.slice(path.lastIndexOf('/') + 1)}`
  )
}
