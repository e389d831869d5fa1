// Canonical JSON as RFC 8785 defines it: one text for one value, so that a hash of it means the value.
// Takes plain JSON values only; what JSON cannot carry is refused, never guessed at.

/**
 * The canonical text of a JSON value: fields in order of their UTF-16 units, no spaces, numbers as ECMAScript prints them.
 * A field that is undefined counts as absent.
 * @example
 * canonicalize({ b: 1, a: [1e21, 'é'] })   // {"a":[1e+21,"é"],"b":1}
 */
export function canonicalize(value: unknown): string {
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number') return numberOf(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return listOf(value)
  if (typeof value === 'object') return objectOf(value as Readonly<Record<string, unknown>>)
  throw new TypeError(`canonical JSON cannot carry a value of type ${typeof value}`)
}

const LONE_SURROGATE = /\p{Surrogate}/u
// What JSON writes as it stands, apart from surrogates. Most texts are of this kind, and testing is quicker than asking.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON escapes.
const SPECIAL = /[\u0000-\u001f"\\\ud800-\udfff]/

function textOf(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (LONE_SURROGATE.test(text)) throw new TypeError('canonical JSON cannot carry half of a surrogate pair')
  return JSON.stringify(text)
}

function numberOf(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`canonical JSON cannot carry the number ${value}`)
  // String(-0) is "0", as the RFC wants it.
  return String(value)
}

function listOf(list: readonly unknown[]): string {
  let text = '['
  for (let i = 0; i < list.length; i++) text += i === 0 ? canonicalize(list[i]) : `,${canonicalize(list[i])}`
  return `${text}]`
}

function objectOf(object: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(object)
  const isInOrder = areSorted(keys)
  if (isInOrder && keys.every((key) => isSimple(object[key]))) {
    const text = JSON.stringify(object)
    // An escaped surrogate is a lone one, to be refused below.
    if (!text.includes('\\ud')) return text
  }
  let text = ''
  for (const key of isInOrder ? keys : keys.sort(byUnits)) {
    const value = object[key]
    if (value === undefined) continue
    text += `${text === '' ? '' : ','}${textOf(key)}:${canonicalize(value)}`
  }
  return `{${text}}`
}

// Sorting costs more than seeing that nothing is to be sorted.
function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return false
  return true
}

// Where all fields are in order and none has an inside, plain JSON is canonical already, and quicker to make.
function isSimple(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'string' || typeof value === 'boolean' || value === undefined || value === null
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
