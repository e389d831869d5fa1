// Reads the index of a repository (versions 2 to 4): which files are tracked, and with which size, times and content.
// An index that is too large or of an unknown form is unknown, never empty.

import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type Repository, readSmall } from './repository.ts'

/** One tracked file as the index has it. */
export interface IndexEntry {
  readonly path: string
  readonly mode: number
  readonly size: number
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  /** The hash of its content, as hexadecimal digits. */
  readonly hash: string
  /** Not merged, or only announced: it has no one content. */
  readonly isOpen: boolean
}

/** Larger indexes are not read within the time of a question. */
const MAX_INDEX = 4_000_000
const MAX_CONFIG = 65_536
const STAT_BYTES = 40
const HEADER_BYTES = 12
const MODES = new Set([0o100644, 0o100755, 0o120000, 0o160000])

export class GitIndex {
  /** When the index was written: files that changed at that time or later may differ without a sign. */
  readonly writtenNs: bigint
  private readonly bytes: Buffer
  private readonly version: number
  private readonly count: number
  private readonly hashBytes: number

  constructor(bytes: Buffer, hashBytes: number, writtenNs: bigint) {
    this.bytes = bytes
    this.version = bytes.readUInt32BE(4)
    this.count = bytes.readUInt32BE(8)
    this.hashBytes = hashBytes
    this.writtenNs = writtenNs
  }

  /** The entry of a path below the root; undefined if it is not tracked. */
  find(path: string): IndexEntry | undefined {
    const name = Buffer.from(path)
    for (const entry of this.entriesFrom(Buffer.concat([name, Buffer.of(0)]), name)) return entry
    return undefined
  }

  /** The entries below a folder, in order; all entries for ''. */
  *below(folder: string): Generator<IndexEntry> {
    const prefix = Buffer.from(folder === '' ? '' : `${folder}/`)
    yield* this.entriesFrom(prefix, prefix)
  }

  // The entries are sorted and names are stored in full up to version 3, so a search for the bytes finds the first entry.
  private *entriesFrom(needle: Buffer, prefix: Buffer): Generator<IndexEntry> {
    if (this.version === 4) {
      yield* this.scan(prefix, needle.length > prefix.length)
      return
    }
    let start = prefix.length === 0 ? HEADER_BYTES : this.search(needle)
    for (let index = 0; start !== undefined && index < this.count; index++) {
      const found = this.read(start)
      if (found === undefined || !found.name.subarray(0, prefix.length).equals(prefix)) return
      yield found.entry
      if (needle.length > prefix.length) return
      start = found.next
    }
  }

  private search(needle: Buffer): number | undefined {
    for (let at = this.bytes.indexOf(needle, HEADER_BYTES); at >= 0; at = this.bytes.indexOf(needle, at + 1)) {
      for (const flagBytes of this.version >= 3 ? [2, 4] : [2]) {
        const start = at - STAT_BYTES - this.hashBytes - flagBytes
        if (start < HEADER_BYTES || (start - HEADER_BYTES) % 8 !== 0) continue
        const found = this.read(start)
        if (found?.nameStart === at && MODES.has(found.entry.mode)) return start
      }
    }
    return undefined
  }

  private read(start: number): { entry: IndexEntry; name: Buffer; nameStart: number; next: number } | undefined {
    const { bytes } = this
    const nameStart = this.nameStart(start)
    const end = nameStart === undefined ? -1 : bytes.indexOf(0, nameStart)
    if (nameStart === undefined || end < 0) return undefined
    const length = bytes.readUInt16BE(start + STAT_BYTES + this.hashBytes) & 0xfff
    if (length < 0xfff && length !== end - nameStart) return undefined
    const name = bytes.subarray(nameStart, end)
    const next = start + Math.ceil((end - start + 1) / 8) * 8
    return { entry: this.entryAt(start, name.toString('utf8')), name, nameStart, next }
  }

  private nameStart(start: number): number | undefined {
    const flags = start + STAT_BYTES + this.hashBytes
    if (flags + 4 > this.bytes.length - this.hashBytes) return undefined
    return flags + (this.bytes.readUInt16BE(flags) & 0x4000 ? 4 : 2)
  }

  private entryAt(start: number, path: string): IndexEntry {
    const { bytes } = this
    const word = (at: number) => bytes.readUInt32BE(start + at)
    const flagsAt = start + STAT_BYTES + this.hashBytes
    const flags = bytes.readUInt16BE(flagsAt)
    const isAnnounced = (flags & 0x4000) !== 0 && (bytes.readUInt16BE(flagsAt + 2) & 0x2000) !== 0
    return {
      path,
      ctimeNs: BigInt(word(0)) * 1_000_000_000n + BigInt(word(4)),
      mtimeNs: BigInt(word(8)) * 1_000_000_000n + BigInt(word(12)),
      mode: word(24),
      size: word(36),
      hash: bytes.toString('hex', start + STAT_BYTES, flagsAt),
      isOpen: (flags & 0x3000) !== 0 || isAnnounced,
    }
  }

  // Version 4 stores of each name what differs from the name before.
  private *scan(prefix: Buffer, isWhole: boolean): Generator<IndexEntry> {
    let start = HEADER_BYTES
    let name = Buffer.alloc(0)
    for (let index = 0; index < this.count; index++) {
      const at = this.nameStart(start)
      if (at === undefined) return
      const { value: dropped, next: from } = readVariable(this.bytes, at)
      const end = this.bytes.indexOf(0, from)
      if (end < 0 || dropped > name.length) return
      name = Buffer.concat([name.subarray(0, name.length - dropped), this.bytes.subarray(from, end)])
      const isMeant = isWhole ? name.equals(prefix) : name.subarray(0, prefix.length).equals(prefix)
      if (isMeant) yield this.entryAt(start, name.toString('utf8'))
      else if (name.compare(prefix) > 0) return
      start = end + 1
    }
  }
}

function readVariable(bytes: Buffer, from: number): { value: number; next: number } {
  let at = from
  let byte = bytes[at++] ?? 0
  let value = byte & 0x7f
  while (byte & 0x80 && at < bytes.length) {
    byte = bytes[at++] ?? 0
    value = ((value + 1) << 7) | (byte & 0x7f)
  }
  return { value, next: at }
}

/** The key of the state of a file. */
export function formatFileState({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
}

const MAX_CACHED = 4
const cache = new Map<string, { readonly state: string; readonly index: GitIndex | undefined }>()

/** The index of a repository; undefined if it cannot be read within the limits. */
export function readIndex({ gitDir, commonDir }: Repository): GitIndex | undefined {
  const path = join(gitDir, 'index')
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const state = formatFileState(stat)
  const cached = cache.get(path)
  if (cached?.state === state) return cached.index
  const index = parseIndex(readSmall(path, MAX_INDEX), commonDir, stat.mtimeNs)
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? '')
  cache.set(path, { state, index })
  return index
}

// A split index has its entries in another file, a sparse one has folders as entries.
const SPLIT = Buffer.from('link\0\0\0', 'latin1')
const SPARSE = Buffer.from('sdir\0\0\0', 'latin1')

function parseIndex(bytes: Buffer | undefined, commonDir: string, writtenNs: bigint): GitIndex | undefined {
  if (bytes === undefined || bytes.length < HEADER_BYTES + 20 || bytes.toString('latin1', 0, 4) !== 'DIRC')
    return undefined
  const version = bytes.readUInt32BE(4)
  if (version < 2 || version > 4 || bytes.includes(SPLIT) || bytes.includes(SPARSE)) return undefined
  const config = readSmall(join(commonDir, 'config'), MAX_CONFIG)?.toString('utf8')
  if (config === undefined) return undefined
  return new GitIndex(bytes, /objectformat\s*=\s*sha256/i.test(config) ? 32 : 20, writtenNs)
}
