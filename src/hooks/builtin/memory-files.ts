// Compares one pair of memory files and updates the older from the newer. Nothing is lost: content that may be unique is
// saved as a conflict copy before it is overwritten.

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, open, readFile, realpath, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findLink, type Pair } from './memory-pairs.ts'

/** The state of a pair. */
export type PairState =
  | { readonly kind: 'same'; readonly digest: string }
  | { readonly kind: 'absent' }
  /** `isClean`: the target has no content that the source never had. */
  | { readonly kind: 'drift'; readonly source: Side; readonly target: Side; readonly isClean: boolean }
  | { readonly kind: 'deleted'; readonly gone: string; readonly left: string }
  | { readonly kind: 'undecided'; readonly why: string }
  | { readonly kind: 'problem'; readonly why: string }

/** One file of a pair; without `content` it does not exist. */
interface Side {
  readonly path: string
  readonly content?: Content
}

interface Content {
  readonly digest: string
  readonly bytes: Buffer
  readonly mtimeNs: bigint
  readonly mode: number
}

/** Compares a pair. `lastDigest` is the digest when both were last equal. */
export async function compare(pair: Pair, lastDigest: string | undefined, maxBytes: number): Promise<PairState> {
  const from = await readSide(pair.from, pair.roots?.from, maxBytes)
  const to = await readSide(pair.to, pair.roots?.to, maxBytes)
  if ('why' in from) return { kind: 'problem', why: from.why }
  if ('why' in to) return { kind: 'problem', why: to.why }
  const [a, b] = [from.content, to.content]
  if (a === undefined && b === undefined) return { kind: 'absent' }
  if (a === undefined || b === undefined) {
    const [source, target] = a === undefined ? [to, from] : [from, to]
    if (lastDigest !== undefined) return { kind: 'deleted', gone: target.path, left: source.path }
    return { kind: 'drift', source, target, isClean: true }
  }
  if (a.digest === b.digest) return { kind: 'same', digest: a.digest }
  if (a.digest === lastDigest) return { kind: 'drift', source: to, target: from, isClean: true }
  if (b.digest === lastDigest) return { kind: 'drift', source: from, target: to, isClean: true }
  if (a.mtimeNs === b.mtimeNs) return { kind: 'undecided', why: 'both have changed, and neither is newer' }
  const [source, target] = a.mtimeNs > b.mtimeNs ? [from, to] : [to, from]
  return { kind: 'drift', source, target, isClean: false }
}

/**
 * Copies the source over the target, atomically. Returns the path of the conflict copy, if one was saved; throws when
 * the copy fails or the target changed meanwhile.
 */
export async function sync(
  { source, target, isClean }: Extract<PairState, { kind: 'drift' }>,
  names: { readonly stamp: string; readonly id: string },
): Promise<string | undefined> {
  const { content } = source
  if (content === undefined) return undefined
  await mkdir(dirname(target.path), { recursive: true })
  const part = `${target.path}.${names.id}.arc-part`
  try {
    const file = await open(part, 'wx', target.content?.mode ?? content.mode)
    try {
      await file.writeFile(content.bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    const seconds = Number(content.mtimeNs) / 1e9
    await utimes(part, seconds, seconds)
    await assertUnchanged(target)
    const aside = isClean ? undefined : await saveConflictCopy(target, names.stamp)
    await rename(part, target.path)
    return aside
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

// Never overwrites: an existing copy of the same second and content is the same copy.
async function saveConflictCopy({ path, content }: Side, stamp: string): Promise<string | undefined> {
  if (content === undefined) return undefined
  const aside = `${path}.conflict-${stamp}-${content.digest.slice(0, 8)}`
  await copyFile(path, aside, constants.COPYFILE_EXCL).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return aside
}

// A change since the comparison must not be overwritten.
async function assertUnchanged({ path, content }: Side): Promise<void> {
  const now = await stat(path, { bigint: true }).catch(() => undefined)
  if (now?.mtimeNs === content?.mtimeNs) return
  throw new Error('it changed while it was compared')
}

type Unread = { readonly why: string }

async function readSide(path: string, root: string | undefined, maxBytes: number): Promise<Side | Unread> {
  try {
    const linked = root === undefined ? undefined : await findLink(path, root)
    if (linked !== undefined) return { why: `${linked} is a symbolic link` }
    const link = await lstat(path).catch(orMissing)
    if (link === undefined) return { path }
    if (link.isSymbolicLink() && root !== undefined) return { why: `${path} is a symbolic link` }
    // A link that the user mapped by name is intended: its target is read and written, and the link stays.
    const real = link.isSymbolicLink() ? await realpath(path) : path
    const { mode, mtimeNs, size, isFile } = await readStats(real)
    if (!isFile) return { why: `${path} is not a file` }
    if (size > maxBytes) return { why: `${path} is larger than ${maxBytes} bytes` }
    const bytes = await readFile(real)
    const digest = createHash('sha256').update(bytes).digest('hex')
    return { path: real, content: { digest, bytes, mtimeNs, mode } }
  } catch (error) {
    return { why: describeFileError(path, error) }
  }
}

async function readStats(path: string) {
  const found = await stat(path, { bigint: true })
  const { mtimeNs, size } = found
  return { mtimeNs, size: Number(size), mode: Number(found.mode) & 0o777, isFile: found.isFile() }
}

function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

/** The message for a failed file operation. */
export function describeFileError(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return `${path}: no permission`
  if (code === 'ENOENT') return `${path}: a link to nothing`
  if (code === 'ENOTDIR') return `${path}: a part of its path is not a folder`
  if (code === 'ENOSPC') return `${path}: the disk is full`
  if (code === 'EROFS') return `${path}: the disk is read-only`
  return `${path}: ${message ?? String(error)}`
}
