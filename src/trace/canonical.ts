// Canonical JSON as RFC 8785 defines it: one text for one value, so that a hash of it means the value.
// Takes plain JSON values only; what JSON cannot carry is refused, never guessed at.

/**
 * The canonical text of a JSON value: fields in order of their UTF-16 units, no spaces, numbers as ECMAScript prints them.
 * A field that is undefined counts as absent.
 * @example
 * canonicalize({ b: 1, a: [1e21, 'é'] })   // {"a":[1e+21,"é"],"b":1}
 */
export function canonicalize(value: unknown): string {
  return typeof value === 'object' && value !== null && isInOrder(value, 0)
    ? canonicalizeOrdered(value)
    : textOfAny(value)
}

/** The same for one that is known to hold its fields in order, and nothing that JSON cannot carry. */
export function canonicalizeOrdered(value: object): string {
  const text = JSON.stringify(value)
  // An escaped surrogate is a lone one, to be refused.
  return text.includes('\\ud') ? textOfAny(value) : text
}

function textOfAny(value: unknown): string {
  if (typeof value === 'string') return writeText(value)
  if (typeof value === 'number') return writeNumber(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return writeList(value)
  if (typeof value === 'object') return writeObject(value as Readonly<Record<string, unknown>>)
  throw new TypeError(`canonical JSON cannot carry a value of type ${typeof value}`)
}

const MAX_DEPTH = 64

// Where all fields are in order and nothing needs a second look, plain JSON is canonical already, and quicker to make.
function isInOrder(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH || 'toJSON' in value) return false
  if (Array.isArray(value)) {
    for (const item of value) if (item === undefined || !isCertain(item, depth)) return false
    return true
  }
  let last = ''
  for (const key of Object.keys(value)) {
    if (key < last || !isCertain((value as Readonly<Record<string, unknown>>)[key], depth)) return false
    last = key
  }
  return true
}

function isCertain(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === undefined || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'object' && isInOrder(value, depth + 1)
}

const LONE_SURROGATE = /\p{Surrogate}/u
// Texts that JSON writes without escapes, apart from surrogates. Most texts are of this kind, and the test is fast.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes.
const SPECIAL = /[\u0000-\u001f"\\\ud800-\udfff]/

function writeText(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (LONE_SURROGATE.test(text)) throw new TypeError('canonical JSON cannot carry half of a surrogate pair')
  return JSON.stringify(text)
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot carry the number ${value}`)
  // String(-0) is "0", as the RFC wants it.
  return String(value)
}

function writeList(list: readonly unknown[]): string {
  let text = '['
  for (let i = 0; i < list.length; i++) text += i === 0 ? textOfAny(list[i]) : `,${textOfAny(list[i])}`
  return `${text}]`
}

function writeObject(object: Readonly<Record<string, unknown>>): string {
  let text = ''
  for (const key of Object.keys(object).sort(byUnits)) {
    const value = object[key]
    if (value === undefined) continue
    text += `${text === '' ? '' : ','}${writeText(key)}:${textOfAny(value)}`
  }
  return `{${text}}`
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
