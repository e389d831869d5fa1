// Makes anything fit to be kept: plain JSON without secrets, of bounded size. Runs once, at the single writer, so that
// no reader of the trace has to think of it. Total: hostile values give a short text, never an exception.

import { hash } from 'node:crypto'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { canHide } from './secret-assignments.ts'
import { isFolderUnder, isPath, isSecretName, looksRandom, rateSecretName } from './secret-names.ts'
import { hideSecrets, REDACTED } from './secrets.ts'

/** What the redaction knows and how much it lets through. */
export interface RedactOptions {
  /** Where sensitive values are known from; their values are hidden wherever they appear. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Keep everything as it is. For debugging; off by default. */
  readonly raw?: boolean | undefined
  /** Hide single words only: for texts that a person decides by, where no command may be hidden. */
  readonly isCautious?: boolean | undefined
  /** A text longer than this is kept as digest and preview. */
  readonly maxText?: number | undefined
  /** The same for a whole value: its data or metadata as JSON. */
  readonly maxValue?: number | undefined
}

/** What is kept of a large payload: enough to recognise it by. */
export interface Digest {
  readonly $digest: string
  readonly length: number
  readonly preview: string
}

const MAX_TEXT = 8_192
const MAX_VALUE = 65_536
const MAX_DEPTH = 64
const MAX_HIDE_DEPTH = 500
const NONE: ReadonlySet<string> = new Set()
const MAX_VALUES = 20_000
const PREVIEW = 1_024
const MIN_ENV_VALUE = 8
const MAX_NAME = 256
const MAX_NAMES = 1_000
const ANY_SURROGATE = /[\ud800-\udfff]/
const LONE_SURROGATES = /\p{Surrogate}/gu

/**
 * Makes a redactor.
 * @example
 * new Redactor({ env: process.env }).value({ apiKey: 'x', note: 'ok' })   // { apiKey: '[redacted]', note: 'ok' }
 */
export class Redactor {
  readonly #values: readonly string[]
  readonly #raw: boolean
  readonly #isCautious: boolean
  readonly #maxText: number
  readonly #maxValue: number
  // Names come again and again: of hooks, fields, sessions.
  readonly #names = new Map<string, string>()

  constructor(options: RedactOptions = {}) {
    const { env = {}, raw = false, isCautious = false, maxText = MAX_TEXT, maxValue = MAX_VALUE } = options
    this.#raw = raw
    this.#isCautious = isCautious
    this.#maxText = maxText
    this.#maxValue = maxValue
    this.#values = raw ? [] : sensitiveValues(env)
  }

  /** A value as plain JSON, without secrets and of bounded size. */
  value(given: unknown): unknown {
    if (given === undefined) return undefined
    const walk = new Walk(this, this.#raw)
    const value = walk.copy(given, 0)
    return walk.length <= this.#maxValue ? value : this.#digestOf(value)
  }

  /** A text without secrets; a long one is cut. */
  text(given: string): string
  text(given: string | undefined): string | undefined
  text(given: string | undefined): string | undefined {
    if (given === undefined) return undefined
    return given.length <= this.#maxText ? this.clean(given) : `${this.#previewOf(given)}…`
  }

  /** The same for a text that is likely to come again. */
  name(given: string): string
  name(given: string | undefined): string | undefined
  name(given: string | undefined): string | undefined {
    if (given === undefined || given.length > MAX_NAME) return this.text(given)
    const known = this.#names.get(given)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_NAMES) this.#names.clear()
    const clean = this.text(given)
    this.#names.set(given, clean)
    return clean
  }

  /** A text without secrets, or what is kept of one that is too long. */
  textOrDigest(text: string): string | Digest {
    if (text.length <= this.#maxText) return this.clean(text)
    return { $digest: `sha256:${sha256(text)}`, length: text.length, preview: this.#previewOf(text) }
  }

  /** Hides the secrets in a text, whatever its length. */
  clean(text: string): string {
    return wellFormed(this.#raw ? text : this.#conceal(text))
  }

  #conceal(text: string): string {
    let clean = text
    for (const secret of this.#values) if (clean.includes(secret)) clean = hideValue(clean, secret)
    return hideSecrets(clean, { isCautious: this.#isCautious })
  }

  /** The path of a project: never a secret. Anything else is cleaned. */
  path(given: string | undefined): string | undefined {
    if (given === undefined || !isAbsolute(given) || given.length > this.#maxText) return this.text(given)
    return wellFormed(given)
  }

  /**
   * The same value without its secrets, whole: for what is used again and must not be cut. Plain JSON only. Fields
   * named in `exactFields` stay as they are.
   * @example
   * new Redactor().hide({ password: 'x', note: 'ok' })   // { password: '[redacted]', note: 'ok' }
   */
  hide<T>(given: T, exactFields: ReadonlySet<string> = NONE): T {
    return this.#raw ? given : (this.#hidden(given, exactFields, 0) as T)
  }

  #hidden(given: unknown, exact: ReadonlySet<string>, depth: number): unknown {
    if (typeof given === 'string') return this.#conceal(given)
    if (typeof given !== 'object' || given === null) return given
    if (depth > MAX_HIDE_DEPTH) return REDACTED
    if (Array.isArray(given)) return given.map((item) => this.#hidden(item, exact, depth + 1))
    const copy: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(given)) {
      if (key === '__proto__' || inner === undefined) continue
      const isHidden = isSecretField(key, inner) && this.#canHide(inner)
      if (exact.has(key)) copy[key] = inner
      else copy[this.name(key)] = isHidden ? REDACTED : this.#hidden(inner, exact, depth + 1)
    }
    return copy
  }

  #canHide(value: unknown): boolean {
    return !this.#isCautious || (typeof value === 'string' && canHide(value, true))
  }

  #digestOf(value: unknown): Digest {
    const text = JSON.stringify(value)
    return { $digest: `sha256:${sha256(text)}`, length: text.length, preview: wellFormed(text.slice(0, PREVIEW)) }
  }

  // More than is shown is cleaned, so that no secret is cut in two before it is seen. Where cleaning left so little
  // that the cut is shown after all, the last word goes.
  #previewOf(text: string): string {
    const clean = this.clean(text.slice(0, PREVIEW * 4))
    if (clean.length > PREVIEW * 1.5) return wellFormed(clean.slice(0, PREVIEW))
    return clean.slice(0, clean.search(/\S*$/)).slice(0, PREVIEW)
  }
}

// One walk over one value: copies what JSON can carry, names what it cannot, and stops at its limits.
class Walk {
  readonly #redactor: Redactor
  readonly #raw: boolean
  readonly #path: object[] = []
  #values = 0
  /** About how long the JSON of the copy is. */
  length = 0

  constructor(redactor: Redactor, raw: boolean) {
    this.#redactor = redactor
    this.#raw = raw
  }

  copy(value: unknown, depth: number): unknown {
    if (++this.#values > MAX_VALUES) return '[more than is kept]'
    if (typeof value === 'string') return this.#text(value)
    this.length += 8
    if (typeof value === 'object' && value !== null) return this.#object(value, depth)
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`
    return value
  }

  #text(text: string): unknown {
    const kept = this.#redactor.textOrDigest(text)
    this.length += typeof kept === 'string' ? kept.length : kept.preview.length + 120
    return kept
  }

  #object(value: object, depth: number): unknown {
    if (depth >= MAX_DEPTH) return '[deeper than is kept]'
    if (this.#path.includes(value)) return '[circular]'
    this.#path.push(value)
    try {
      if (Array.isArray(value)) return this.#list(value, depth)
      return special(value, (text) => this.#text(text)) ?? this.#fields(value, depth)
    } catch {
      return '[unreadable]'
    } finally {
      this.#path.pop()
    }
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = []
    for (let i = 0; i < list.length && this.#values <= MAX_VALUES; i++) copy.push(this.copy(list[i], depth + 1) ?? null)
    return copy
  }

  #fields(value: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const key of inOrder(Object.keys(value))) {
      if (this.#values > MAX_VALUES) break
      const inner: unknown = (value as Record<string, unknown>)[key]
      if (inner === undefined || key === '__proto__') continue
      const isHidden = !this.#raw && isSecretField(key, inner)
      const name = key.length > MAX_NAME ? wellFormed(key.slice(0, MAX_NAME)) : this.#redactor.name(key)
      this.length += name.length
      copy[name] = isHidden ? REDACTED : this.copy(inner, depth + 1)
    }
    return copy
  }
}

// Must the value of this field be hidden? A path under a secret's name is no secret.
function isSecretField(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null) return false
  const certainty = rateSecretName(name)
  if (certainty === 'no') return false
  if (typeof value === 'string' && (isFolderUnder(name, value) || isPath(value))) return false
  if (certainty === 'sure') return true
  return typeof value === 'string' && value.length >= MIN_ENV_VALUE && looksRandom(value)
}

// In canonical order, so that they need no sorting later.
function inOrder(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort()
  return keys
}

// What has no fields to speak of but means something. Undefined for everything else.
function special(value: object, text: (text: string) => unknown): unknown {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return undefined
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { name: text(String(value.name)), message: text(String(value.message)) }
  if (value instanceof Map) return `[Map of ${value.size}]`
  if (value instanceof Set) return `[Set of ${value.size}]`
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    return { $digest: `sha256:${hash('sha256', bytes, 'hex')}`, length: bytes.length, preview: '' }
  }
  return undefined
}

// Longest first: one value may be the beginning of another.
function sensitiveValues(env: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.length < MIN_ENV_VALUE || !isSecretName(name)) continue
    // No path is a secret, and what is part of the paths of this process cannot be one either.
    if (!isFolderUnder(name, value) && !isPath(value) && !isPartOfPath(value)) values.add(value)
  }
  return [...values].sort((a, b) => b.length - a.length)
}

// A plain word is hidden if it is a whole word, not if it is part of a path or of another word.
function hideValue(text: string, secret: string): string {
  if (/\d/.test(secret) || !/^[\w.-]+$/.test(secret)) return text.replaceAll(secret, REDACTED)
  return text.split(secret).reduce((before, after) => {
    const isInside = /[\w/-]$/.test(before) || /^[\w/-]/.test(after)
    return before + (isInside ? secret : REDACTED) + after
  })
}

// A plain word that names a folder: hiding it everywhere would make paths unreadable.
function isPartOfPath(value: string): boolean {
  return !/\d/.test(value) && [process.cwd(), homedir()].some((path) => path.includes(value))
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

function wellFormed(text: string): string {
  return ANY_SURROGATE.test(text) ? text.replace(LONE_SURROGATES, '\ufffd') : text
}
