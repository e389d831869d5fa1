// Quoting for POSIX shells.

/** A text as one word in single quotes. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
