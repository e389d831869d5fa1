// Applies a plan. Each file is written next to its target and renamed, so that no reader gets half a file; a link stays a
// link. A plan that cannot be finished is undone.

import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ArcError, describe } from '../../engine/errors.ts'
import type { InstallTarget } from './install-file.ts'
import type { FileChange } from './plan.ts'

/** Reads the texts of files; undefined for one that does not exist. */
export function readTexts(paths: Iterable<string>): Map<string, string | undefined> {
  return new Map(Array.from(paths, (path) => [path, readText(path)]))
}

/** Makes the changes, all or none, and removes folders that they leave empty inside the place. */
export function applyChanges(changes: readonly FileChange[], place: Pick<InstallTarget, 'dir'>): void {
  for (const { path, before } of changes) refuseIfChanged(path, before)
  const done: FileChange[] = []
  try {
    for (const change of changes) {
      write(change)
      done.push(change)
    }
  } catch (error) {
    for (const { path, before, after } of done.reverse()) write({ path, before: after, after: before })
    throw new ArcError('ARC_INSTALL_FAILED', `Nothing was changed: ${describe(error)}.`)
  }
  for (const { path, after } of changes) if (after === undefined) removeEmptyFolders(dirname(path), place.dir)
}

// The plan was made from a text: on any other it could destroy somebody's work.
function refuseIfChanged(path: string, before: string | undefined): void {
  if (readText(path) === before) return
  throw new ArcError('ARC_INSTALL_FAILED', `Nothing was changed: ${path} was changed by somebody else just now.`)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw new ArcError('ARC_INSTALL_FAILED', `Expected to read ${path}, but: ${describe(error)}.`)
  }
}

function write({ path, after, mode }: FileChange): void {
  if (after === undefined) {
    rmSync(path, { force: true })
    return
  }
  mkdirSync(dirname(path), { recursive: true })
  const target = realPath(path)
  const temporary = join(dirname(target), `.arc-${randomUUID()}.tmp`)
  try {
    writeFileSync(temporary, after, { mode: readMode(target) ?? backedUpMode(target) ?? mode ?? 0o644, flush: true })
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

// Through links, so that a configuration kept in a folder of dotfiles stays there.
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isMissing(error)) return path
    throw error
  }
}

function readMode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode
}

// A backup is as private as what it was made from.
function backedUpMode(path: string): number | undefined {
  return path.endsWith('.arc-backup') ? readMode(path.slice(0, -'.arc-backup'.length)) : undefined
}

function removeEmptyFolders(folder: string, root: string): void {
  const inside = relative(root, folder)
  if (inside === '' || inside.startsWith('..')) return
  try {
    rmdirSync(folder)
  } catch (error) {
    // Not empty: somebody else's things are in it.
    if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST') || isMissing(error)) return
    throw error
  }
  removeEmptyFolders(dirname(folder), root)
}

function isMissing(error: unknown): boolean {
  return isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
