// Finds the repository around a file and reads its references. Only reads files: no program is started, so that no hook,
// filter or pager of the project can run.

import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** A repository with a working tree. */
export interface Repository {
  /** The root of the working tree. */
  readonly root: string
  /** The folder with the index. */
  readonly gitDir: string
  /** The folder with the references; another one in linked working trees. */
  readonly commonDir: string
}

const MAX_LEVELS = 40
const MAX_POINTER = 4_096

/** The repository around a folder; null if there is none, undefined if it is unknown. */
export function findRepository(folder: string): Repository | null | undefined {
  let root = folder
  for (let level = 0; level < MAX_LEVELS; level++) {
    const dot = join(root, '.git')
    const found = lstatSync(dot, { throwIfNoEntry: false })
    if (found?.isDirectory()) return { root, gitDir: dot, commonDir: dot }
    if (found !== undefined) return found.isFile() ? readLinkedTree(root, dot) : undefined
    if (root === dirname(root)) return null
    root = dirname(root)
  }
  return undefined
}

// `.git` is a file in linked working trees and submodules.
function readLinkedTree(root: string, dot: string): Repository | undefined {
  const target = /^gitdir: (.+?)\s*$/.exec(readSmall(dot, MAX_POINTER)?.toString('utf8') ?? '')?.[1]
  if (target === undefined) return undefined
  const gitDir = resolve(root, target)
  const common = readSmall(join(gitDir, 'commondir'), MAX_POINTER)?.toString('utf8').trim()
  return { root, gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) }
}

const MAX_PACKED = 4_000_000
const HEADS = new Set(['HEAD', '@', '-', 'FETCH_HEAD', 'ORIG_HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD'])

/** Whether the repository has a branch, tag or remote branch of this name; undefined for what may be a commit. */
export function refExists({ commonDir }: Repository, written: string): boolean | undefined {
  const name = written.replace(/(?:[~^:]|@\{).*$/s, '')
  if (HEADS.has(name)) return true
  if (name === '' || name.startsWith('-') || name.includes('..') || name.includes('\0')) return undefined
  if (lstatSync(join(commonDir, 'reftable'), { throwIfNoEntry: false }) !== undefined) return undefined
  const remotes = listNames(join(commonDir, 'refs', 'remotes'))
  const paths = [
    ...['refs/heads', 'refs/tags', 'refs/remotes', 'refs'].map((folder) => `${folder}/${name}`),
    ...remotes.map((remote) => `refs/remotes/${remote}/${name}`),
    name,
  ]
  if (paths.some((path) => path.startsWith('refs/') && isFile(join(commonDir, path)))) return true
  const isPacked = isPackedRef(commonDir, name)
  if (isPacked !== false) return isPacked
  return /^[0-9a-f]{4,64}$/i.test(name) ? undefined : false
}

function isPackedRef(commonDir: string, name: string): boolean | undefined {
  const file = join(commonDir, 'packed-refs')
  if (!isFile(file)) return false
  const packed = readSmall(file, MAX_PACKED)?.toString('latin1')
  if (packed === undefined) return undefined
  const encoded = Buffer.from(name).toString('latin1')
  for (let at = packed.indexOf(`/${encoded}\n`); at >= 0; at = packed.indexOf(`/${encoded}\n`, at + 1)) {
    const ref = packed.slice(packed.lastIndexOf(' ', at) + 1, at)
    if (/^refs(?:\/heads|\/tags|\/remotes(?:\/[^/]+)?)?$/.test(ref)) return true
  }
  return packed.includes(` ${encoded}\n`)
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, 20)
  } catch {
    // No remote.
    return []
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** The bytes of a regular file up to a size; undefined for every other file. */
export function readSmall(path: string, maxBytes: number): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    const { size, ...stat } = fstatSync(descriptor)
    if ((stat.mode & constants.S_IFMT) !== constants.S_IFREG || size > maxBytes) return undefined
    return readDescriptor(descriptor, size)
  } catch {
    // Missing or not readable: unknown.
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Reads `size` bytes; fewer if the file became shorter. */
export function readDescriptor(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const read = readSync(descriptor, bytes, length, size - length, length)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}
