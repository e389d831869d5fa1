// Secrets that are given under a name in a text: `NAME=value`, `"name": "value"`, `name: value`, `--name value`. The name
// decides whether to look, the value whether it is one. Each place of the text is read a bounded number of times.

import { isFolderUnder, isPath, looksRandom, rateSecretName } from './secret-names.ts'

// Cannot start inside a name, so a long run of letters is read once.
const NAMED =
  /(?<![A-Za-z0-9_.-])-{0,2}([A-Za-z_][A-Za-z0-9_.-]{0,127})(\\{0,4}["'`]?\]?[ \t]{0,4}(?:=>|:=|[=:])[ \t]{0,4})/g
const BLOCK = /[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,64}/y
const QUOTED = /(\\{0,4})(["'])/y
const FLAG =
  /(?<![A-Za-z0-9_-])(--?([A-Za-z][\w-]{2,60})[ \t]{1,8})(?:(["'])([^"'\n]{3,511})|([^\s"'`;|&$()<>-][^\s"'`;|&()<>]{2,511}))/g
const TAGGED = /(<([A-Za-z][\w.:-]{2,60})>)([^<>\s][^<>]{2,1023})(?=<\/)/g
// The value is the next word: `aws configure set NAME VALUE`, `npm config set //registry/:NAME VALUE`.
const SET =
  /(\bset[ \t]{1,8}(?:--?[\w-]{1,40}[ \t]{1,8}){0,4}[\w./:@-]{0,160}?([\w-]{3,80})[ \t]{1,8})(["']?)([^\s"'=-][^\s"']{5,1023})/g
const NETRC = /(\b(?:login|account|machine|user)\s{1,8}\S{1,128}\s{1,64}password\s{1,8})(\S{2,256})/g

/** Replaces values that are given as secrets. */
export function hideAssigned(text: string, hidden: string, isCautious: boolean): string {
  let clean = hideNamed(text, hidden, isCautious)
  if (clean.includes('-')) {
    clean = clean.replace(FLAG, (match, flag: string, name: string, quote = '', quoted?: string, bare?: string) => {
      const value = quoted ?? bare ?? ''
      return isFlagValue(name, value) && canHide(value, isCautious) ? `${flag}${quote}${hidden}` : match
    })
  }
  if (clean.includes('</')) {
    clean = clean.replace(TAGGED, (match, tag: string, name: string, value: string) =>
      rateSecretName(name) === 'sure' && !isNoSecret(name, value) && canHide(value, isCautious)
        ? `${tag}${hidden}`
        : match,
    )
  }
  if (clean.includes('set')) {
    clean = clean.replace(SET, (match, before: string, name: string, quote: string, value: string) =>
      rateSecretName(name) === 'sure' && looksRandom(value) && !isNoSecret(name, value)
        ? `${before}${quote}${hidden}`
        : match,
    )
  }
  return clean.includes('password') ? clean.replace(NETRC, (_match, before: string) => `${before}${hidden}`) : clean
}

function hideNamed(text: string, hidden: string, isCautious: boolean): string {
  let out = ''
  let done = 0
  NAMED.lastIndex = 0
  for (let found = NAMED.exec(text); found !== null; found = NAMED.exec(text)) {
    const [, name = '', sign = ''] = found
    const certainty = rateSecretName(lastPart(name))
    // What follows may be a name again, as in `--from-literal=password=…`.
    if (certainty === 'no') continue
    const value = readValue(text, NAMED.lastIndex, sign)
    if (value === undefined) continue
    // The beginning tells: a long value is not read again for each name in it.
    const beginning = value.value.length > LOOKED_AT ? value.value.slice(0, LOOKED_AT) : value.value
    if (!isSecret({ ...value, name: lastPart(name), sign, certainty, value: beginning })) continue
    if (!canHide(value.value, isCautious)) continue
    out += text.slice(done, value.from) + hidden
    done = value.to
    NAMED.lastIndex = value.to
  }
  readText = ''
  return done === 0 ? text : out + text.slice(done)
}

// `config.db.password` is named by its last part.
function lastPart(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 ? name : name.slice(dot + 1)
}

const WORD = /^[\w+/=.~!@#%^*?:,-]+$/

/** May it be hidden? What a shell would run never is; in a text that a person decides by, only a single word is. */
export function canHide(value: string, isCautious: boolean): boolean {
  return isCautious ? WORD.test(value) : !value.includes('$(') && !value.includes('`')
}

interface Value {
  readonly value: string
  readonly from: number
  readonly to: number
  readonly isQuoted: boolean
}

const MAX_VALUE = 4_096
const LOOKED_AT = 256
const ENDS = /[\s"'`;&|<>(){}[\]\\]/g
const QUOTE_END = { '"': /[^\\]"|\n|^"/g, "'": /[^\\]'|\n|^'/g }

function readValue(text: string, at: number, sign: string): Value | undefined {
  BLOCK.lastIndex = at
  const start = sign.includes(':') && BLOCK.test(text) ? BLOCK.lastIndex : at
  QUOTED.lastIndex = start
  const quoted = QUOTED.exec(text)
  if (quoted === null) return readBare(text, start)
  const [, escapes = '', quote = '"'] = quoted
  const from = QUOTED.lastIndex
  const part = text.slice(from, from + MAX_VALUE)
  const end = escapes === '' ? endOfQuoted(part, quote as '"') : endOfEscaped(part, escapes + quote)
  return { value: part.slice(0, end), from, to: from + end, isQuoted: true }
}

function endOfQuoted(part: string, quote: keyof typeof QUOTE_END): number {
  const end = QUOTE_END[quote]
  end.lastIndex = 0
  const found = end.exec(part)
  if (found === null) return part.length
  return found[0].length === 2 ? found.index + 1 : found.index
}

// JSON within JSON: ends where the same escaped quote comes again.
function endOfEscaped(part: string, close: string): number {
  const ends = [part.indexOf(close), part.indexOf('\n')].filter((end) => end !== -1)
  return ends.length === 0 ? part.length : Math.min(...ends)
}

// The run of characters that was read last: a run with many names in it is read once.
let readText = ''
let readFrom = 0
let readTo = 0

function readBare(text: string, from: number): Value | undefined {
  if (text !== readText || from < readFrom || from >= readTo) {
    ENDS.lastIndex = from
    readText = text
    readFrom = from
    readTo = ENDS.exec(text)?.index ?? text.length
  }
  // A call or an index is a program, not a value.
  if (/[({[]/.test(text.charAt(readTo))) return undefined
  let to = Math.min(readTo, from + MAX_VALUE)
  // In `f(password=x, y)` and at the end of a sentence.
  while (to > from && /[,.:]/.test(text.charAt(to - 1))) to--
  return to === from ? undefined : { value: text.slice(from, to), from, to, isQuoted: false }
}

interface Given extends Value {
  readonly name: string
  readonly sign: string
  readonly certainty: 'sure' | 'likely'
}

const PASSWORD = /pass|pwd|pw$/i
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:[.,:=?!][\w$.,:=?!]*)?$/

function isSecret({ name, sign, certainty, value, isQuoted }: Given): boolean {
  if (value.length < 3 || isNoSecret(name, value)) return false
  if (certainty === 'likely') return value.length >= 8 && looksEncoded(value)
  const isPassword = PASSWORD.test(name)
  if (isQuoted) return isPassword || !/^[a-z]{1,16}$/.test(value) || !/token$/i.test(name)
  const isTight = sign.endsWith('=') && !/\s/.test(sign)
  if (!isTight)
    return (value.length >= 4 && looksEncoded(value) && !isCode(value)) || (isPassword && /^\d{4,}$/.test(value))
  // A variable of the environment.
  if (name === name.toUpperCase()) return true
  if (looksRandom(value) && !isCode(value)) return true
  if (!IDENTIFIER.test(value)) return !/^[\W\d]{0,3}$/.test(value)
  return (
    isPassword &&
    /^[A-Za-z0-9]{4,}$/.test(value) &&
    !/pass|pwd|secret|token|self|args|opts|options|config|value/i.test(value)
  )
}

function isFlagValue(name: string, value: string): boolean {
  if (rateSecretName(name) !== 'sure' || isNoSecret(name, value)) return false
  return PASSWORD.test(name) || looksRandom(value)
}

// Members of objects, as minified programs have them: `token=e.t1,secret=n`.
function isCode(value: string): boolean {
  return (
    /^[A-Za-z_$][\w$]{0,2}(?:[.,=?!:]|$)/.test(value) ||
    /^(?:this|self|req|request|config|options|process|os|env|args|ctx|props|state)\./.test(value)
  )
}

// Figures among letters, or base64 by its padding.
function looksEncoded(value: string): boolean {
  return looksRandom(value) || (/={1,2}$/.test(value) && /[a-z][A-Z]/.test(value)) || isBasicPair(value)
}

function isBasicPair(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) || value.length % 4 !== 0) return false
  return /^[\x20-\x7e]{1,128}:[\x20-\x7e]{1,256}$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

const REFERENCE =
  /^(?:\$[A-Za-z_{(]|%[A-Za-z_]+%|\{\{|<[^>]*>?$|\$\{\{|@[A-Za-z]+\(|process\.env|os\.(?:environ|getenv)|env\.|secrets\.|var\.|data\.|vault:|ref\+|op:\/\/|arn:|sha(?:256|512)-)/
const WORDS =
  /^(?:null|nil|none|true|false|undefined|required|optional|string|number|boolean|object|any|unknown|never|void|bytes|str|int|text|bearer|basic|example|changeme|redacted|hidden|empty|missing|invalid|expired|default|enabled|disabled)$/i

function isNoSecret(name: string, value: string): boolean {
  if (value.startsWith('[redacted')) return true
  if (isFolderUnder(name, value) || REFERENCE.test(value) || WORDS.test(value)) return true
  return /^(.)\1*$/.test(value) || isPath(value)
}
