// String literals of Python and JavaScript as the texts that they mean.

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\n': '' }

/** The text of a literal with its quotes and prefixes. Raw strings have no escapes. */
export function decodeString(literal: string): string {
  const prefix = /^[a-zA-Z]{0,2}/.exec(literal)?.[0] ?? ''
  const quoted = literal.slice(prefix.length)
  const mark = /^(?:"""|'''|["'`])/.exec(quoted)?.[0] ?? ''
  const body = quoted.slice(mark.length, mark !== '' && quoted.endsWith(mark) ? -mark.length : undefined)
  if (/r/i.test(prefix) || !body.includes('\\')) return body
  return body.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([\s\S]))/g,
    (_whole, hex?: string, wide?: string, braced?: string, character?: string) =>
      character === undefined ? codePoint(hex ?? wide ?? braced ?? '0') : (ESCAPED[character] ?? character),
  )
}

function codePoint(hex: string): string {
  const code = Number.parseInt(hex, 16)
  return code > 0x10ffff ? '' : String.fromCodePoint(code)
}
