// Replaces a file whole or not at all, keeping its mode, and lets one writer at a time do so.

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArcError, describe, show } from '../../engine/errors.ts'
import { isMissing } from '../read-file.ts'

/** The file itself where a path is a link, also when what it leads to is not there yet. */
export function resolveTarget(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if (!isMissing(error)) throw error
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (isLink) return resolve(dirname(file), readlinkSync(file))
    return file
  }
}

/** Writes a file whole: a draft beside it, on the disk, then in its place. `isStill` is asked last before that. */
export function replaceFile(file: string, text: string, isStill: () => boolean = () => true): boolean {
  const before = statSync(file, { throwIfNoEntry: false })
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  try {
    writeDraft(draft, text, before)
    if (!isStill()) return false
    renameSync(draft, file)
    syncFolder(dirname(file))
    return true
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Creates a file whole; false when there is one already, which stays as it is. */
export function createFile(file: string, text: string): boolean {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  try {
    makeFolder(dirname(file))
    writeDraft(draft, text, undefined)
    // Unlike renaming, linking never takes the place of what is there.
    linkSync(draft, file)
    syncFolder(dirname(file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cannotWrite(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDraft(draft: string, text: string, before: Stats | undefined): void {
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    if (before !== undefined) keepRights(descriptor, before)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function keepRights(descriptor: number, { mode, uid, gid }: Stats): void {
  if (uid !== process.getuid?.() || gid !== process.getgid?.()) {
    try {
      fchownSync(descriptor, uid, gid)
    } catch {
      // Only root can change the owner; for other users the result belongs to the writer.
    }
  }
  fchmodSync(descriptor, mode & 0o7777)
}

// So that the new name survives a power cut; where a folder cannot be opened it is as safe as it can be.
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Not on this platform.
  }
}

const WAIT_MS = 15_000
const LOOK_AGAIN_MS = 8
// A change takes milliseconds: who holds a lock for longer has stopped, and checks it again before writing.
const STALE_MS = 5_000

/** A lock that is held. */
export interface HeldLock {
  /** False once somebody took it over, because this process stood still for too long. */
  isHeld(): boolean
}

/** Does work while no other process of ours changes the file. The folder must exist. */
export async function withLock<T>(file: string, work: (lock: HeldLock) => T): Promise<T> {
  const lock = join(dirname(file), `.${basename(file)}.lock`)
  const token = `${process.pid} ${randomUUID()}`
  const deadline = performance.now() + WAIT_MS
  while (!tryLock(lock, token)) {
    removeStale(lock)
    if (performance.now() > deadline) {
      throw new ArcError('ARC_CONFIG_BUSY', `${file} is being changed by another process, which holds ${lock}.`)
    }
    // Not all at the same moment.
    await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()))
  }
  const isHeld = () => readLock(lock) === token
  try {
    return work({ isHeld })
  } finally {
    if (isHeld()) rmSync(lock, { force: true })
  }
}

function tryLock(lock: string, token: string): boolean {
  try {
    const descriptor = openSync(lock, 'wx', 0o600)
    writeSync(descriptor, token)
    closeSync(descriptor)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cannotWrite(dirname(lock), error)
  }
}

// Set aside by renaming, so that of several who see it only one removes it.
function removeStale(lock: string): void {
  const stats = statSync(lock, { throwIfNoEntry: false })
  if (stats === undefined) return
  const seen = readLock(lock)
  const isOld = Math.abs(Date.now() - stats.mtimeMs) > STALE_MS
  if (!isOld && (seen === undefined || seen === '' || isRunning(Number(seen.split(' ')[0])))) return
  if (readLock(lock) !== seen) return
  const aside = `${lock}.${randomUUID()}`
  try {
    renameSync(lock, aside)
    rmSync(aside, { force: true })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function readLock(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Makes a folder for its owner only, with those above it. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw cannotWrite(folder, error)
  }
}

/** The error for a place that cannot be written to. */
export function cannotWrite(place: string, error: unknown): ArcError {
  if (error instanceof ArcError) return error
  return new ArcError('ARC_CONFIG_UNWRITABLE', `${show(place)} cannot be written to: ${describe(error)}.`)
}
