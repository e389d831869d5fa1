// Finds secrets by the name they stand under and by the shape they have. Every pattern is linear: each either starts at
// a fixed text or cannot start inside its own run, and what repeats is bounded or ends at a character it cannot hold.

/** What stands in the place of a secret. */
export const REDACTED = '[redacted]'

const SECRET_WORDS = new Set(
  'password passwd passphrase passcode pwd secret secrets token apikey authorization cookie credential credentials'.split(
    ' ',
  ),
)
const SECRET_PAIRS = new Set(
  'api access private secret signing encryption auth account master ssh deploy shared'.split(' '),
)
const known = new Map<string, boolean>()
const MAX_KNOWN = 2_000

/**
 * Does a value under this name have to be hidden? Looks at the words of the name: `apiKey`, `GITHUB_TOKEN` and
 * `set-cookie` are names of secrets, `max_tokens`, `author` and `keyboard` are not.
 */
export function isSecretName(name: string): boolean {
  if (name.length > 200) return false
  let is = known.get(name)
  if (is === undefined) {
    is = hasSecretWord(name)
    if (known.size < MAX_KNOWN) known.set(name, is)
  }
  return is
}

function hasSecretWord(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  const last = words.at(-1)
  if (last === undefined) return false
  if (SECRET_WORDS.has(last)) return true
  if (last === 'key' || last === 'keys') return SECRET_PAIRS.has(words.at(-2) ?? '')
  return (last === 'hash' || last === 'value') && SECRET_WORDS.has(words.at(-2) ?? '')
}

interface Shape {
  readonly pattern: RegExp
  /** What to put in its place; nothing means that it is no secret after all. */
  readonly replace: (match: string, ...groups: (string | undefined)[]) => string | undefined
}

const whole = (): string => REDACTED
const NOT_INSIDE = '(?<![A-Za-z0-9_-])'
const TOKENS = [
  'sk-[A-Za-z0-9_-]{20,}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}',
  'whsec_[A-Za-z0-9+/=]{16,}',
  'gh[pousr]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{30,}',
  'gl(?:pat|dt|rt)-[A-Za-z0-9_-]{16,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{20,}',
  '(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])',
  'AIza[0-9A-Za-z_-]{35}',
  'ya29\\.[0-9A-Za-z_-]{20,}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{40,}',
  'hf_[A-Za-z0-9]{30,}',
  '(?:gsk|xai|r8|pplx|fw|nvapi|dop_v1|doo_v1|shpat|shpss|lin_api|figd|ntn|sbp|dckr_pat|ATATT3x)[_-]?[A-Za-z0-9_-]{32,}',
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  'AGE-SECRET-KEY-1[0-9A-Z]{20,}',
  'eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?',
]
const NAMES =
  'password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|auth[_-]?key|credentials?'

const SHAPES: readonly Shape[] = [
  {
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g,
    replace: whole,
  },
  { pattern: new RegExp(`${NOT_INSIDE}(?:${TOKENS.join('|')})`, 'g'), replace: whole },
  // The user name stays: it tells who, and is no secret.
  { pattern: /(:\/\/[^\s:@/?#"']{0,256}:)[^\s@/"']{1,512}@/g, replace: (_match, before) => `${before}${REDACTED}@` },
  {
    pattern:
      /(authorization\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?(?:[A-Za-z]{1,20}\s{1,4})?)(?!\[redacted)[^\s"'\\,;]{6,}/gi,
    replace: (_match, before) => `${before}${REDACTED}`,
  },
  {
    pattern: /(cookie:\s{0,4})[^\s"'=;]{1,128}=[^\r\n"']{1,4096}/gi,
    replace: (_match, before) => `${before}${REDACTED}`,
  },
  {
    pattern: /\b(bearer|basic|token)(\s{1,4})([A-Za-z0-9._~+/=-]{12,})/gi,
    replace: (_match, scheme, space, value) => (looksRandom(value) ? `${scheme}${space}${REDACTED}` : undefined),
  },
  {
    pattern: new RegExp(`(${NAMES})(\\\\{0,4}["']?\\s{0,4}[:=]\\s{0,4})(\\\\{0,4}["'])([^"'\\\\\\n]{4,4096})`, 'gi'),
    replace: (_match, name, sign, quote) => `${name}${sign}${quote}${REDACTED}`,
  },
  {
    pattern: new RegExp(
      `(${NAMES})(["']?[:=]|\\s{0,4}[:=]\\s{1,4})([^\\s"'\`,;&|<>(){}\\[\\]$\\\\]{4,})(?![(\\[{.])`,
      'gi',
    ),
    replace: (_match, name, sign, value) => (isGiven(sign, value) ? `${name}${sign}${REDACTED}` : undefined),
  },
  {
    pattern: /(--?(?:password|passwd|token|secret|api-key|apikey|access-key)\s{1,4})([^\s"'-][^\s"']{3,})/gi,
    replace: (_match, flag, value) =>
      looksRandom(value) || /^--?p/i.test(flag ?? '') ? `${flag}${REDACTED}` : undefined,
  },
]

// Text without any of these holds no shape above; most texts do not.
const HINT =
  /PRIVATE KEY|:\/\/[^\s]{0,300}@|bearer|basic|authorization|cookie|sk-|[a-z0-9]_|xox|xapp|AKIA|ASIA|AIza|ya29|glpat|gl[dr]t-|pypi-|xai-|pplx-|fw-|nvapi|ATATT|SG\.|AGE-|eyJ|pass|pwd|secret|token|key|credential/i

/** Hides what looks like a secret in a text. Takes time in proportion to its length. */
export function hideSecrets(text: string): string {
  if (text.length < 8 || !HINT.test(text)) return text
  let hidden = text
  for (const { pattern, replace } of SHAPES) {
    hidden = hidden.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.filter((part): part is string => typeof part === 'string')
      return replace(match, ...groups) ?? match
    })
  }
  return hidden
}

// `a=value` and JSON give a value; `a = value` and `a: value` may be a program or a sentence, so it must look like one.
function isGiven(sign: string | undefined, value: string | undefined): boolean {
  if (value === undefined || value.startsWith(REDACTED.slice(1, -1))) return false
  return sign === '=' ? !/^[a-z]+(?:\.[a-z]+)+$/i.test(value) : looksRandom(value)
}

/** A value with figures among letters, not a word, a number or a path of words. */
function looksRandom(value: string | undefined): boolean {
  return value !== undefined && /\d/.test(value) && /[A-Za-z]/.test(value)
}
