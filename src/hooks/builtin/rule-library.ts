// The rules for spawned agents: texts from the options, then files. Bounded whatever the files hold, and read again
// only when a file has changed.

import { closeSync, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'

interface Settings {
  readonly rules: readonly string[]
  readonly files: readonly string[]
  readonly maxBytes: number
}

interface Cached {
  readonly stamp: string
  readonly part: Part
}

/** What one file gave: its beginning, and what was wrong. */
interface Part {
  readonly text: string
  readonly problem: string | undefined
}

const MAX_FILES = 200
const RULE_FILE = /\.(md|txt)$/i

export class RuleLibrary {
  readonly #settings: Settings
  readonly #cache = new Map<string, Cached>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  get isEmpty(): boolean {
    return this.#settings.rules.length === 0 && this.#settings.files.length === 0
  }

  /** All rules, one after the other, and what could not be read or had no room. */
  read(workspace: string | undefined): { readonly text: string; readonly problems: readonly string[] } {
    const { rules, files, maxBytes } = this.#settings
    const problems: string[] = []
    const parts = [...rules]
    for (const file of files.flatMap((path) => this.#filesAt(resolve(workspace ?? '.', path), problems))) {
      const { text, problem } = this.#readFile(file)
      if (problem !== undefined) problems.push(problem)
      if (text.trim() !== '') parts.push(text.trim())
    }
    const whole = parts.join('\n\n')
    if (Buffer.byteLength(whole) <= maxBytes) return { text: whole, problems }
    problems.push(`the rules are longer than ${maxBytes} bytes: the rest was omitted`)
    return { text: beginning(Buffer.from(whole), maxBytes), problems }
  }

  // A folder means its rule files, ordered by name.
  #filesAt(path: string, problems: string[]): readonly string[] {
    try {
      if (!statSync(path).isDirectory()) return [path]
      const names = readdirSync(path).filter((name) => RULE_FILE.test(name))
      if (names.length > MAX_FILES) problems.push(`${path} holds more than ${MAX_FILES} files`)
      return names
        .sort()
        .slice(0, MAX_FILES)
        .map((name) => resolve(path, name))
    } catch (error) {
      problems.push(whyUnread(path, error))
      return []
    }
  }

  #readFile(path: string): Part {
    try {
      const stamp = readStamp(statSync(path))
      const known = this.#cache.get(path)
      if (known?.stamp === stamp) return known.part
      const part = readBeginning(path, this.#settings.maxBytes)
      if (this.#cache.size >= MAX_FILES) this.#cache.clear()
      this.#cache.set(path, { stamp, part })
      return part
    } catch (error) {
      return { text: '', problem: whyUnread(path, error) }
    }
  }
}

// No more than has room is ever read, however large the file. What is no file may never end: it is not opened.
function readBeginning(path: string, maxBytes: number): Part {
  if (!statSync(path).isFile()) return { text: '', problem: `${path} is not a file` }
  const descriptor = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(maxBytes + 1, fstatSync(descriptor).size + 1))
    const length = readSync(descriptor, buffer, 0, buffer.length, 0)
    if (length <= maxBytes) return { text: buffer.toString('utf8', 0, length), problem: undefined }
    return { text: beginning(buffer, maxBytes), problem: `${path} is longer than ${maxBytes} bytes` }
  } finally {
    closeSync(descriptor)
  }
}

// Cut after a whole line where there is one: half a rule may say the opposite.
function beginning(buffer: Buffer, maxBytes: number): string {
  const end = buffer.lastIndexOf(0x0a, maxBytes - 1)
  return buffer.toString('utf8', 0, end > 0 ? end : maxBytes).replace(/\uFFFD+$/, '')
}

function readStamp({ mtimeMs, ctimeMs, size, ino }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${size} ${ino}`
}

function whyUnread(path: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `${path} does not exist`
  if (code === 'EACCES') return `${path} may not be read`
  return `${path} could not be read: ${code ?? String(error)}`
}
