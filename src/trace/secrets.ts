// Finds secrets in texts: by their own shape, by the name they are given under, and by the program they are given to.
// Every pattern is linear: each either starts at a fixed text or cannot start inside its own run, and what repeats is
// bounded or ends at a character that it cannot hold.

import { hideAssigned } from './secret-assignments.ts'
import { hideArguments } from './secret-commands.ts'
import { hasRandomRun, looksRandom } from './secret-names.ts'
import { RANDOM_TOKENS, SECRET_ADDRESSES, TOKENS } from './secret-tokens.ts'

/** What is shown in the place of a secret. */
export const REDACTED = '[redacted]'

const NOT_INSIDE = '(?<![A-Za-z0-9_-])'
const TOKEN = new RegExp(`${NOT_INSIDE}(?:${TOKENS.join('|')})`, 'g')
const RANDOM_TOKEN = new RegExp(`${NOT_INSIDE}(?:${RANDOM_TOKENS.join('|')})`, 'g')
// Only what a key consists of: no command can hide behind a line that looks like the beginning of one.
const BREAK = '(?:\\s|\\\\[nr])'
const HEADER = '(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\\n\\\\]{0,100}'
const KEY_LINES = `(?:${BREAK}+(?:${HEADER}|[A-Za-z0-9+/=]{16,512}|[A-Za-z0-9+/=]{1,15}(?=${BREAK}{1,4}-----END)))*`
const PRIVATE_KEY = new RegExp(
  `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----${KEY_LINES}(?:${BREAK}*-----END [A-Z0-9 ]{0,40}-----)?`,
  'g',
)
const PUTTY_KEY = /(Private-Lines: \d{1,3})(?:\r?\n[A-Za-z0-9+/=]{1,128}(?=\r?\n|$))+/g
// The user name is no secret.
const IN_ADDRESS = /(:\/\/[^\s:@/?#"']{0,256}:)[^\s@/"'`()]{1,512}@/g
const AUTHORIZATION =
  /(authorization\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?(?:[A-Za-z]{1,20}\s{1,4})?)(?!\[redacted)[^\s"'\\,;$`|&()<>]{6,}/gi
const COOKIE =
  /(cookie:\s{0,4})[^\s"'=;]{1,128}=[^\s"';|&$()<>`]{1,4096}(?:;\s?[\w.%-]{1,128}=[^\s"';|&$()<>`]{1,4096})*/gi
const SCHEME = /\b(bearer|basic|token)(\s{1,4})([A-Za-z0-9._~+/=-]{12,})/gi

// A text without any of these holds no secret that is found by its shape.
const HINT = /[A-Za-z0-9]{14}|[-_.~:/][A-Za-z0-9]{6}|PRIVATE KEY|Private-Lines|@|bearer|basic|authorization|cookie/i

export interface HideOptions {
  /** Hide single words only: in a text that a person decides by, nothing may be hidden that could be a command. */
  readonly isCautious?: boolean
}

/** Hides what looks like a secret in a text. Takes time in proportion to its length. */
export function hideSecrets(text: string, { isCautious = false }: HideOptions = {}): string {
  if (text.length < 8) return text
  const byShape = HINT.test(text) ? hideShapes(text) : text
  const byName = /[=:]|-[A-Za-z-]{3}|<\/|password|set/i.test(byShape)
    ? hideAssigned(byShape, REDACTED, isCautious)
    : byShape
  return hideArguments(byName, REDACTED)
}

function hideShapes(text: string): string {
  let hidden = text
  if (hidden.includes('PRIVATE KEY')) hidden = hidden.replace(PRIVATE_KEY, REDACTED)
  if (hidden.includes('Private-Lines')) hidden = hidden.replace(PUTTY_KEY, `$1\n${REDACTED}`)
  if (hidden.includes('/')) for (const address of SECRET_ADDRESSES) hidden = hidden.replace(address, `$1${REDACTED}`)
  hidden = hidden.replace(TOKEN, REDACTED)
  hidden = hidden.replace(RANDOM_TOKEN, (match) => (hasRandomRun(match) ? REDACTED : match))
  if (hidden.includes('@')) hidden = hidden.replace(IN_ADDRESS, `$1${REDACTED}@`)
  hidden = hidden.replace(AUTHORIZATION, `$1${REDACTED}`)
  hidden = hidden.replace(COOKIE, `$1${REDACTED}`)
  return hidden.replace(SCHEME, (match, scheme: string, space: string, value: string) =>
    looksRandom(value) ? `${scheme}${space}${REDACTED}` : match,
  )
}
