// Whether files are tracked and unchanged: the index of their repository compared with the disk.

import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { type GitIndex, type IndexEntry, readIndex } from './git-index.ts'
import { findRepository, type Repository, readSmall, refExists } from './repository.ts'

const MAX_HASHED = 65_536
const MAX_COMPARED = 2_000
const REGULAR = 0o100000
const LINK = 0o120000
const SUBMODULE = 0o160000

/** Whether a file is tracked. */
export function isTracked(path: string): boolean | undefined {
  const found = findIndex(dirname(path))
  if (found === null || found === undefined) return found === null ? false : undefined
  const entry = found.index.find(relative(found.repository.root, path))
  return entry !== undefined && !entry.isOpen
}

/** Whether a tracked file has the content of the index; false for files that are not tracked. */
export function isClean(path: string): boolean | undefined {
  const found = findIndex(dirname(path))
  if (found === null || found === undefined) return found === null ? false : undefined
  const entry = found.index.find(relative(found.repository.root, path))
  return entry === undefined || entry.isOpen ? false : isSame(path, entry, found.index)
}

/** The tracked files at or below a path whose content would be lost; undefined if it is unknown. */
export function findChanges(path: string, isLate: () => boolean): readonly string[] | undefined {
  const found = findIndex(lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path))
  if (found === null || found === undefined) return undefined
  const { index, repository } = found
  const name = relative(repository.root, path)
  if (name.startsWith('..')) return undefined
  const own = name === '' ? undefined : index.find(name)
  const changes: string[] = []
  let compared = 0
  for (const entry of own === undefined ? index.below(name) : [own]) {
    if (++compared > MAX_COMPARED || (compared % 64 === 0 && isLate()) || entry.isOpen) return undefined
    const file = `${repository.root === '/' ? '' : repository.root}/${entry.path}`
    const same = isSame(file, entry, index)
    if (same === undefined) return undefined
    if (!same && exists(file)) changes.push(file)
  }
  return compared === 0 ? undefined : changes
}

/** Whether the repository around a folder has a reference of this name. */
export function hasRef(folder: string, name: string): boolean | undefined {
  const repository = findRepository(folder)
  return repository === null || repository === undefined ? undefined : refExists(repository, name)
}

function findIndex(folder: string): { repository: Repository; index: GitIndex } | null | undefined {
  const repository = findRepository(folder)
  if (repository === null || repository === undefined) return repository
  const index = readIndex(repository)
  return index === undefined ? undefined : { repository, index }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

// The times and the size settle most files, as in git. Where they do not, the content does.
function isSame(path: string, entry: IndexEntry, { writtenNs }: GitIndex): boolean | undefined {
  if (entry.mode === SUBMODULE) return true
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined || kindOf(stat) !== (entry.mode & 0o170000)) return false
  const isRegular = kindOf(stat) === REGULAR
  if (isRegular && (Number(stat.mode) & 0o100) !== (entry.mode & 0o100)) return false
  const hasSameTimes = isSameTime(stat.mtimeNs, entry.mtimeNs) && isSameTime(stat.ctimeNs, entry.ctimeNs)
  const hasSameSize = Number(stat.size & 0xffffffffn) === entry.size
  if (hasSameTimes && hasSameSize && entry.mtimeNs < writtenNs) return true
  if (!hasSameSize && entry.size !== 0) return false
  const content = isRegular ? readSmall(path, MAX_HASHED) : Buffer.from(readlinkSync(path))
  return content === undefined ? undefined : hashOf(content, entry.hash.length) === entry.hash
}

function kindOf({ mode }: BigIntStats): number {
  const kind = Number(mode) & 0o170000
  return kind === LINK ? LINK : kind
}

// Some systems store whole seconds only.
function isSameTime(now: bigint, then: bigint): boolean {
  return now === then || (then % 1_000_000_000n === 0n && now / 1_000_000_000n === then / 1_000_000_000n)
}

function hashOf(content: Buffer, digits: number): string {
  return createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex')
}
