// Files of anchors: lines are only appended. When a file is long, most of its older lines are removed.

import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Anchor, formatAnchor, readAnchors } from '../../trace/anchors.ts'

// Some thousands of lines.
const MAX_BYTES = 1_000_000
const TAIL_BYTES = 2_048
const NEWEST_LINES = 500

/** All anchors of a file, oldest first; none where there is no file. */
export function readAnchorFile(file: string): Anchor[] {
  try {
    return readAnchors(readFileSync(file, 'utf8'))
  } catch {
    // Not there, or not ours to read.
    return []
  }
}

/** The newest anchor of a file, read from its end. */
export function lastAnchor(file: string): Anchor | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const { size } = fstatSync(descriptor)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(descriptor, tail, 0, tail.length, size - tail.length)
    return readAnchors(tail.toString('utf8')).at(-1)
  } catch {
    // Not there yet, or not ours to read.
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Adds an anchor to a file, making it and its folder where needed. */
export function addAnchor(file: string, anchor: Anchor): void {
  const line = `${formatAnchor(anchor)}\n`
  try {
    appendFileSync(file, line, { mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    appendFileSync(file, line, { mode: 0o600 })
  }
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) thin(file)
}

// The newest lines stay, and every mismatch; every second older line is removed, so that their distance grows with age.
function thin(file: string): void {
  const anchors = readAnchorFile(file)
  const newest = anchors.length - NEWEST_LINES
  const kept = anchors.filter((anchor, at) => {
    const isTurn = anchor.database !== anchors[at + 1]?.database || anchor.mismatch !== undefined
    return at >= newest || at === 0 || isTurn || at % 2 === 0
  })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, kept.map((anchor) => `${formatAnchor(anchor)}\n`).join(''), { mode: 0o600 })
  renameSync(fresh, file)
}
