// Backslash escapes as echo -e, printf and $'…' read them.

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

const NUMERIC = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3}))/

/** A text with its escapes replaced. */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text
  let result = ''
  let at = 0
  while (at < text.length) {
    const next = text.indexOf('\\', at)
    if (next < 0 || next === text.length - 1) break
    const [decoded, length] = decodeOne(text, next + 1)
    result += text.slice(at, next) + decoded
    at = next + 1 + length
  }
  return result + text.slice(at)
}

function decodeOne(text: string, at: number): readonly [string, number] {
  const simple = SIMPLE[text.charAt(at)]
  if (simple !== undefined) return [simple, 1]
  const match = NUMERIC.exec(text.slice(at, at + 10))
  if (!match) return [`\\${text.charAt(at)}`, 1]
  const [whole, hex, short, long, octal] = match
  const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '0', 16) : Number.parseInt(octal, 8)
  return [code <= 0x10ffff ? String.fromCodePoint(code) : '', whole.length]
}
