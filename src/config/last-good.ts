// The last good texts of each layer, so that a bad file changes nothing, also for the next process.

import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'
import { readBoundedFile } from './read-file.ts'

/** The files of one layer, with their texts: the file itself, what it extends, and its scripts. */
type Bundle = Readonly<Record<string, string>>

/** Stores the last good bundle of each layer. */
export interface LastGood {
  get(layer: string): Bundle | undefined
  /** May throw when it cannot be written to disk. */
  set(layer: string, bundle: Bundle): void
  /** After the user removed the layer on purpose. */
  forget(layer: string): void
}

/**
 * Stores the last good texts in memory and, given a directory, on disk.
 * @example
 * const lastGood = openLastGood(join(home, 'last-good'))
 */
export function openLastGood(dir?: string): LastGood {
  const memory = new Map<string, Bundle>()
  const bundleFile = (place: string, layer: string) =>
    join(place, `${createHash('sha256').update(layer).digest('hex').slice(0, 32)}.json`)
  return {
    get(layer) {
      const bundle = memory.get(layer) ?? (dir === undefined ? undefined : read(bundleFile(dir, layer), layer))
      if (bundle !== undefined) memory.set(layer, bundle)
      return bundle
    },
    set(layer, bundle) {
      const isKnown = JSON.stringify(this.get(layer)) === JSON.stringify(bundle)
      memory.set(layer, bundle)
      if (dir === undefined || isKnown) return
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      write(bundleFile(dir, layer), JSON.stringify({ layer, bundle }))
    },
    forget(layer) {
      memory.delete(layer)
      if (dir !== undefined) rmSync(bundleFile(dir, layer), { force: true })
    },
  }
}

// Atomic: another process may read at any moment.
function write(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

// The size of the longest chain of the largest files, escaped.
const MAX_BYTES = 64 * 1024 * 1024

function read(file: string, layer: string): Bundle | undefined {
  const { text } = readBoundedFile(file, MAX_BYTES)
  if (text === undefined) return undefined
  try {
    const kept: unknown = JSON.parse(text)
    if (!isRecord(kept) || kept.layer !== layer || !isRecord(kept.bundle)) return undefined
    const isText = Object.values(kept.bundle).every((value) => typeof value === 'string')
    return isText ? (kept.bundle as Bundle) : undefined
  } catch {
    // A damaged copy is ignored; the next good state replaces it.
    return undefined
  }
}
