// Shell commands inside code of other languages: os.system('…'), execSync("…"), `…`.
// It searches for calls by pattern and does not parse: a text that looks like such a call counts.

import { Buffer } from 'node:buffer'
import type { Snippet } from '../execution.ts'

/** A command that code starts: one text for a shell, or several words. */
export interface EmbeddedCommand {
  readonly words: readonly string[]
  /** Where the first text begins in the code. */
  readonly at: number
  /** Whether the text is in the code verbatim. */
  readonly isVerbatim: boolean
}

const MAX_STARTS = 32
const MAX_WORDS = 32
const MAX_CODE_CHARS = 65_536

const CALLS =
  /(?<![\w$/-])(?:system|popen[234]?|Popen|exec[lv]?p?e?|execSync|execFile|execFileSync|execa|execaSync|execaCommand|execaCommandSync|spawn|spawnSync|spawn[lv]p?e?|posix_spawnp?|run|call|check_call|check_output|getoutput|getstatusoutput|create_subprocess_shell|create_subprocess_exec|shell_exec|passthru|proc_open|pcntl_exec|syscall|execute|capture[23]e?|pipeline|sh|shell|command|cmd)\s*(?=\()/g
const BARE_CALLS = /(?<![\w$.])(?:system|exec|qx|spawn|sh)\s+(?=["'])/g
const APPLESCRIPT = /do shell script\s+(?=")/g
// awk: print | "command"
const AWK_PIPES = /\|&?\s*(?=")/g

/** The commands that a piece of code starts, in order. */
export function findEmbeddedCommands(code: string, language: Snippet['language']): readonly EmbeddedCommand[] {
  if (code.length > MAX_CODE_CHARS) return []
  if (language === 'sql') return findClientEscapes(code)
  const starts: EmbeddedCommand[] = []
  const collect = (pattern: RegExp) => {
    for (const match of code.matchAll(pattern)) {
      if (starts.length >= MAX_STARTS) return
      const start = readArguments(code, match.index + match[0].length)
      if (start) starts.push(start)
    }
  }
  collect(CALLS)
  if (language === 'perl' || language === 'ruby' || language === 'php') collect(BARE_CALLS)
  if (language === 'other') collect(APPLESCRIPT)
  if (language === 'other') starts.push(...findTclStarts(code))
  if (language === 'awk') collect(AWK_PIPES)
  if (language === 'awk') starts.push(...findGetlines(code))
  if (language === 'perl' || language === 'ruby' || language === 'php') starts.push(...findQuoted(code))
  if (language === 'javascript') starts.push(...findTemplates(code))
  return starts
}

// The string arguments of a call, up to the first argument that is not a string.
function readArguments(code: string, from: number): EmbeddedCommand | undefined {
  const words: string[] = []
  let at = from
  let first = -1
  let isVerbatim = true
  while (at < code.length && words.length < MAX_WORDS) {
    const literal = readLiteral(code, at)
    if (literal) {
      if (first < 0) first = literal.start
      isVerbatim &&= literal.isVerbatim
      words.push(literal.text)
      at = literal.end
      const joined = skipJoined(code, at)
      if (joined > at) {
        words[words.length - 1] += '$unknown'
        isVerbatim = false
        at = joined
      }
      continue
    }
    if (!/[\s,([]/.test(code.charAt(at))) break
    at++
  }
  return words.length > 0 && words[0] !== '' ? { words, at: first, isVerbatim } : undefined
}

// `'rm -rf ' + path` and `"rm " . $x`: the rest of the argument is unknown.
function skipJoined(code: string, from: number): number {
  const match = /^\s*(?:\+|\.(?!\w+\()|%(?!\w))\s*[^,)\]]{1,200}/.exec(code.slice(from, from + 220))
  return match ? from + match[0].length : from
}

interface Literal {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly isVerbatim: boolean
}

// A string literal in any usual notation. Interpolated parts become an unknown shell variable.
function readLiteral(code: string, at: number): Literal | undefined {
  const prefix = /^(?:[rRbBuUfF]{1,2}(?=["'])|@(?="))/.exec(code.slice(at, at + 3))?.[0] ?? ''
  const open = at + prefix.length
  const quote = code.charAt(open)
  if (quote !== '"' && quote !== "'" && quote !== '`') return undefined
  const delimiter = code.startsWith(quote.repeat(3), open) ? quote.repeat(3) : quote
  const start = open + delimiter.length
  const end = findEnd(code, start, delimiter)
  if (end < 0) return undefined
  const written = code.slice(start, end)
  const isRaw = /r/i.test(prefix)
  const plain = isRaw ? written : decodeString(written)
  const text = /f/i.test(prefix) ? plain.replace(/\{[^{}]*\}/g, '$unknown') : plain.replace(/#\{[^{}]*\}/g, '$unknown')
  return { text, start, end: end + delimiter.length, isVerbatim: text === written }
}

function findEnd(code: string, from: number, delimiter: string): number {
  for (let at = from; at < code.length; at++) {
    if (code.charAt(at) === '\\') at++
    else if (code.startsWith(delimiter, at)) return at
  }
  return -1
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' }

function decodeString(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g, (_whole, hex, wide, character) =>
    character === undefined ? String.fromCharCode(Number.parseInt(hex ?? wide, 16)) : (ESCAPED[character] ?? character),
  )
}

// `.shell command` of sqlite3, `\\! command` of psql and mysql.
function findClientEscapes(code: string): readonly EmbeddedCommand[] {
  const starts: EmbeddedCommand[] = []
  for (const match of code.matchAll(/(?:^\s*\.(?:shell|system)[ \t]+|\\!\s*|^\s*system[ \t]+)([^\n]+)/gm)) {
    const at = match.index + match[0].length - (match[1]?.length ?? 0)
    if (match[1] && starts.length < MAX_STARTS) starts.push({ words: [match[1]], at, isVerbatim: true })
  }
  return starts
}

/** The files that a script of a database client includes: `.read`, `\\i`, `source`. */
export function findIncludedScripts(code: string): readonly string[] {
  const pattern = /^[ \t]*(?:\.read|\\ir?|\\\.|source)[ \t]+(["']?)([^\s"';]+)\1/gim
  return [...code.slice(0, MAX_CODE_CHARS).matchAll(pattern)].map(([, , path = '']) => path).slice(0, 8)
}

const DECODERS =
  /(?:b64decode|atob|base64_decode|decode64|decodebytes|Buffer\.from)\s*\(\s*[bu]?["'`]([A-Za-z0-9+/=\s]{4,})["'`]/g
const SHELL_CALL =
  /(?:system|popen|Popen|run|call|check_call|check_output|getoutput|execSync|shell_exec|passthru|spawn)\(\s*[\w.:]*$/

/** Texts that code decodes and uses; `isShell` when the decoded text is passed to a shell. */
export function findDecodedTexts(code: string): readonly { readonly text: string; readonly isShell: boolean }[] {
  if (code.length > MAX_CODE_CHARS) return []
  const found: { text: string; isShell: boolean }[] = []
  for (const match of code.matchAll(DECODERS)) {
    if (found.length >= 4) break
    const text = Buffer.from(match[1] ?? '', 'base64').toString('utf8')
    // Bytes that are not valid text are data.
    if (!text.includes('\ufffd'))
      found.push({ text, isShell: SHELL_CALL.test(code.slice(Math.max(0, match.index - 60), match.index)) })
  }
  return found
}

function findGetlines(code: string): readonly EmbeddedCommand[] {
  const starts: EmbeddedCommand[] = []
  for (const match of code.matchAll(/"((?:[^"\\]|\\.)*)"\s*\|&?\s*getline/g)) {
    if (starts.length < MAX_STARTS && match[1])
      starts.push({ words: [decodeString(match[1])], at: match.index + 1, isVerbatim: !match[1].includes('\\') })
  }
  return starts
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' }

// `command`, qx{command} and %x(command)
function findQuoted(code: string): readonly EmbeddedCommand[] {
  const starts: EmbeddedCommand[] = []
  for (const match of code.matchAll(/`|(?<![\w$@%])(?:qx|%x)\s*([^\w\s])/g)) {
    const last = starts.at(-1)
    if (starts.length >= MAX_STARTS || (last && match.index <= last.at + (last.words[0]?.length ?? 0))) continue
    const from = match.index + match[0].length
    const close = match[1] === undefined ? '`' : (CLOSING[match[1]] ?? match[1])
    const end = code.indexOf(close, from)
    if (end > from)
      starts.push({ words: [code.slice(from, end).replace(/#\{[^{}]*\}/g, '$unknown')], at: from, isVerbatim: true })
  }
  return starts
}

// Tcl and expect: `spawn rm -rf x`, `exec rm -rf x`, and text that is sent to a spawned shell.
function findTclStarts(code: string): readonly EmbeddedCommand[] {
  const starts: EmbeddedCommand[] = []
  const pattern =
    /(?:^|[;\n[{])\s*(?:(?:spawn|exec|system)\s+(?:-\w+\s+)*([^\n;\]}]+)|send\s+(?:--\s+)?["{]([^"}]*)["}])/g
  for (const match of code.matchAll(pattern)) {
    const text = match[1] ?? match[2]?.replace(/\\[rn]$/, '')
    if (text && starts.length < MAX_STARTS) starts.push({ words: [text], at: match.index, isVerbatim: false })
  }
  return starts
}

// Bun and zx: $`command`
function findTemplates(code: string): readonly EmbeddedCommand[] {
  const starts: EmbeddedCommand[] = []
  for (const match of code.matchAll(/\$`([^`]*)`/g)) {
    if (starts.length < MAX_STARTS && match[1])
      starts.push({ words: [match[1]], at: match.index + 2, isVerbatim: true })
  }
  return starts
}
