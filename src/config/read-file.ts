// Reads a file that somebody may be editing, replacing or attacking: bounded, never blocking on a pipe, never throwing.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { describe } from '../engine/errors.ts'
import { type Problem, problem } from './problem.ts'

// The largest configuration or script that is read: one made to be slow must not hold up a tool call.
const MAX_FILE_BYTES = 256 * 1024

/** A file's text, what is wrong with it, or neither when there is no such file. */
export interface FileText {
  readonly text?: string
  readonly problem?: Problem
}

/** Reads one file by its path. */
export type ReadFile = (file: string) => FileText

/** Reads a text file of at most 256 KiB; a larger one is refused without reading it. */
export const readTextFile: ReadFile = (file) => readBoundedFile(file, MAX_FILE_BYTES)

/** Reads a text file up to a number of bytes; a larger file is refused without reading it. */
export function readBoundedFile(file: string, maxBytes: number): FileText {
  try {
    // Before opening: opening a pipe or a device can block or have effects.
    const refusal = refuse(file, statSync(file), maxBytes)
    if (refusal !== undefined) return { problem: refusal }
    return readOpened(file, maxBytes)
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return {}
    return { problem: problem('unreadable', file, `The file cannot be read: ${describe(error)}.`) }
  }
}

/** Does this error say that there is no such file? */
export function isMissing(error: unknown): boolean {
  const code = readErrorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function readErrorCode(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

function readOpened(file: string, maxBytes: number): FileText {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    const refusal = refuse(file, stats, maxBytes)
    if (refusal !== undefined) return { problem: refusal }
    // One byte more than there should be: the file may grow while it is read.
    const buffer = Buffer.allocUnsafe(stats.size + 1)
    let length = 0
    while (length < buffer.length) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null)
      if (read === 0) break
      length += read
    }
    if (length !== stats.size) return { problem: problem('unreadable', file, 'The file changes while it is read.') }
    return decode(file, buffer.subarray(0, length))
  } finally {
    closeSync(descriptor)
  }
}

function refuse(file: string, stats: Stats, maxBytes: number): Problem | undefined {
  if (stats.isDirectory()) return problem('unreadable', file, 'Expected a file here, but this is a directory.')
  if (!stats.isFile()) return problem('unreadable', file, 'Expected a file here, but this is a pipe, socket or device.')
  if (stats.size <= maxBytes) return undefined
  const [most, given] = [maxBytes, stats.size].map((bytes) => `${Math.ceil(bytes / 1024)} KiB`)
  return problem('too-large', file, `Expected a file of at most ${most}, but this one has ${given}; it was not read.`)
}

function decode(file: string, bytes: Uint8Array): FileText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { problem: problem('unreadable', file, 'Expected text in UTF-8, but the file holds other bytes.') }
  }
}

/** A file as it is in a stored bundle. */
export function readFromBundle(bundle: Readonly<Record<string, string>>, file: string): FileText {
  const text = Object.hasOwn(bundle, file) ? bundle[file] : undefined
  return text === undefined ? {} : { text }
}

/** Reads each file once. */
export function cacheReads(read: ReadFile): ReadFile {
  const known = new Map<string, FileText>()
  return (file) => {
    const found = known.get(file) ?? read(file)
    known.set(file, found)
    return found
  }
}
