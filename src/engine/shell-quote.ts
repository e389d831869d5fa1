// Quoting for POSIX shells: the one place that knows how a single quote is written inside single quotes.

const ESCAPED_QUOTE = `'\\''`
const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** A text as one word in single quotes. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", ESCAPED_QUOTE)}'`
}

/** A word that the shell reads as it is, quoted only where it has to be. */
export function quoteWordForShell(word: string): string {
  return PLAIN_WORD.test(word) ? word : quoteForShell(word)
}

/** The inverse of `quoteForShell`; undefined for a text that is not one word in single quotes. */
export function unquoteFromShell(text: string): string | undefined {
  if (!/^'.*'$/s.test(text) || text.length < 2) return undefined
  return text.slice(1, -1).replaceAll(ESCAPED_QUOTE, "'")
}
