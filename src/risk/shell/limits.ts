// Limits of one analysis. All limits count work and none reads a clock, so the same text always gives the same result.
// Text beyond a limit is unknown, never safe.

/** Characters of one script that are parsed. The parser needs at most about half a microsecond per character. */
export const MAX_SCRIPT_CHARS = 65_536
/** Characters parsed in total. Nested scripts count once per level, because the parser reads them again. */
export const MAX_PARSED_CHARS = 131_072
export const MAX_STEPS = 6_000
/** Steps in all files that a text runs. */
export const MAX_FILE_STEPS = 3_000
/** Nesting of scripts and groups. */
export const MAX_SHELL_DEPTH = 32
/** Commands recorded as the source of an input. */
export const MAX_FROM = 32
/** Longer values are not computed: `${x//a/aaaa}` grows exponentially. */
export const MAX_VALUE_CHARS = 65_536
/** Unknown values up to this length are shown as written. */
export const MAX_WRITTEN_CHARS = 1_024
export const MAX_BRACE_WORDS = 64
/** Unknown parts that are reported. */
export const MAX_UNKNOWN = 64
const MAX_UNKNOWN_TEXT = 200

/** Shortens a part of the analysed text for display. */
export function clipUnknownText(text: string): string {
  return text.length > MAX_UNKNOWN_TEXT ? `${text.slice(0, MAX_UNKNOWN_TEXT)}…` : text
}
