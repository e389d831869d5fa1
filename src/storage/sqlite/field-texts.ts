// The fields of an object in canonical JSON, each with the text of its value as it is there. Values are not parsed: parsing
// and writing them again takes longer, and some versions of JSON.parse mistake keys with escapes for others.

/** Names and texts of values, in the order of the object. */
export interface FieldTexts {
  readonly names: readonly string[]
  readonly values: readonly string[]
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BACKSLASH = 92
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]
const SCALAR = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/y

/** The fields of an object that is the whole text. Throws if a name has an escape, or if a value is not a single one. */
export function readFieldTexts(text: string): FieldTexts {
  const names: string[] = []
  const values: string[] = []
  if (text === '{}') return { names, values }
  expect(text, 0, OPEN_OBJECT)
  let at = 1
  for (;;) {
    expect(text, at, QUOTE)
    const nameEnd = text.indexOf('"', at + 1)
    names.push(text.slice(at + 1, nameEnd))
    expect(text, nameEnd + 1, COLON)
    const end = skipValue(text, nameEnd + 2)
    values.push(text.slice(nameEnd + 2, end))
    if (end === text.length - 1) break
    expect(text, end, COMMA)
    at = end + 1
  }
  expect(text, text.length - 1, CLOSE_OBJECT)
  return { names, values }
}

function expect(text: string, at: number, code: number): void {
  if (text.charCodeAt(at) !== code) throw new TypeError('not an object in canonical JSON')
}

function skipValue(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return skipText(text, at)
  if (code === OPEN_OBJECT || code === OPEN_LIST) return skipNested(text, at)
  SCALAR.lastIndex = at
  if (!SCALAR.test(text)) throw new TypeError('not a value in canonical JSON')
  return SCALAR.lastIndex
}

function skipText(text: string, at: number): number {
  let end = at
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) throw new TypeError('a text without an end')
  } while (isEscaped(text, end))
  return end + 1
}

// By an odd number of backslashes.
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

function skipNested(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = skipText(text, at)
      continue
    }
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--
    at++
    if (depth === 0) return at
  }
  throw new TypeError('an object or a list without an end')
}
