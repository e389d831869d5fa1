// Finds the pairs of memory files: a mapping names two files, or a pattern and the folder of the counterparts. Names from
// the disk never lead out of the two folders.

import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { compileGlob, isGlob } from '../../engine/glob.ts'

/** Two files that should be equal. */
export interface Pair {
  readonly from: string
  readonly to: string
  /** For a pair that a pattern found: no link may lead out of these folders. */
  readonly roots?: Mapping
}

/** A configured mapping. */
export interface Mapping {
  readonly from: string
  readonly to: string
}

const MAX_DEPTH = 16
const MAX_ENTRIES = 20_000

/** Why a mapping is invalid; undefined when it is valid. */
export function whyInvalid({ from }: Mapping): string | undefined {
  if (!isGlob(from)) return undefined
  if (from.split('/').includes('..')) return 'a pattern must not contain ".."'
  try {
    compileGlob(from)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The pairs of a mapping; for a pattern, the files that exist on either side. Problems are added to the list. */
export async function findPairs(mapping: Mapping, workspace: string, problems: string[]): Promise<readonly Pair[]> {
  const to = absolute(mapping.to, workspace)
  if (!isGlob(mapping.from)) return [toPair(absolute(mapping.from, workspace), to, mapping.to.endsWith('/'))]
  const { folder, pattern } = splitPattern(mapping.from)
  const from = absolute(folder, workspace)
  if (isInside(from, to) || isInside(to, from)) {
    problems.push(`${mapping.from} and ${mapping.to}: one folder contains the other`)
    return []
  }
  const matches = compileGlob(pattern)
  const names = new Set([...(await walk(from, problems)), ...(await walk(to, problems))].filter(matches))
  return [...names].sort().map((name) => ({ from: join(from, name), to: join(to, name), roots: { from, to } }))
}

function toPair(from: string, to: string, isFolder: boolean): Pair {
  return { from, to: isFolder ? join(to, basename(from)) : to }
}

/** The first folder between a root and a file that is a symbolic link, if any: its target may be anywhere. */
export async function findLink(path: string, root: string): Promise<string | undefined> {
  const parts = relative(root, path).split(sep).slice(0, -1)
  for (const at of parts.keys()) {
    const folder = join(root, ...parts.slice(0, at + 1))
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isSymbolicLink() === true) return folder
  }
  return undefined
}

// The names of conflict copies; they are not memory files.
const CONFLICT_COPY = /\.conflict-\d{8}T\d{6}Z-[0-9a-f]{8}$/
const PARTIAL_FILE = /\.arc-part$/

// The folder before the first part that is a pattern, and the rest.
function splitPattern(from: string): { readonly folder: string; readonly pattern: string } {
  const parts = from.split('/')
  const first = parts.findIndex(isGlob)
  const folder = parts.slice(0, first).join('/')
  return { folder: folder === '' ? (from.startsWith('/') ? '/' : '.') : folder, pattern: parts.slice(first).join('/') }
}

// Every file under a folder, relative to it. Links to folders are not followed: they may lead anywhere or form a loop.
async function walk(root: string, problems: string[]): Promise<readonly string[]> {
  const found: string[] = []
  const open: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  let seen = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of await readEntries(join(root, next.path), problems)) {
      if (++seen > MAX_ENTRIES) {
        problems.push(`${root} has more than ${MAX_ENTRIES} files: not all were compared`)
        return found
      }
      const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`
      if (entry.isDirectory()) {
        if (next.depth < MAX_DEPTH) open.push({ path, depth: next.depth + 1 })
      } else if (!CONFLICT_COPY.test(entry.name) && !PARTIAL_FILE.test(entry.name)) found.push(path)
    }
  }
  return found
}

async function readEntries(folder: string, problems: string[]): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A missing folder has no files.
    if (code !== 'ENOENT') problems.push(`${folder} could not be read: ${code ?? String(error)}`)
    return []
  }
}

function absolute(path: string, workspace: string): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path
  return resolve(workspace, expanded)
}

// Whether a path is the folder itself or inside it.
function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
