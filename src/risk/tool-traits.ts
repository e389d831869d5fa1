// Traits of a tool by its name: its verbs, whether it runs commands or only reads, and its language.
// A server chooses the names of its tools, so the traits only decide how arguments are parsed.

import type { Snippet } from './shell/execution.ts'

/** A language that arguments can be written in. */
export type Language = Snippet['language'] | 'shell'

/** The traits of a tool. */
export interface ToolTraits {
  /** All words of the name, the server's included. */
  readonly words: ReadonlySet<string>
  /** The words of the tool alone, without its server. */
  readonly verbs: readonly string[]
  /** It runs commands or code. */
  readonly isRunner: boolean
  /** It is a shell or a terminal. */
  readonly isShell: boolean
  /** It is PowerShell or cmd. */
  readonly isWindows: boolean
  /** It only reads. */
  readonly isReader: boolean
  /** It shows, checks or stores code and does not run it. */
  readonly isForDocuments: boolean
  /** It talks to a database in SQL. */
  readonly isDatabase: boolean
  readonly language: Language | undefined
}

export const DELETE_WORDS = wordSet(
  'delete remove destroy drop purge truncate wipe erase terminate uninstall revoke unpublish clear reset kill rm rmdir ' +
    'unlink trash',
)
export const DEPLOY_WORDS = wordSet('deploy publish release promote send post merge transfer pay charge refund')
/** Messages to people, which neither deploy nor pay. */
export const MESSAGE_WORDS = wordSet('message messages comment comments reply reaction chat dm note')
export const CHANGE_WORDS = wordSet(
  'create update set write edit put patch insert add move rename upload push close archive execute run invoke start stop ' +
    'restart save append overwrite replace modify copy store extract unzip mkdir touch sync restore apply',
)
/** Words that only mean that something runs. */
export const RUN_WORDS = wordSet('execute run invoke start')
/** Sending a file reads it. */
export const SEND_WORDS = wordSet('upload send attach post push copy share publish')
export const MOVE_WORDS = wordSet('move rename mv')

const RUNNER_WORDS = wordSet(
  'exec execute executes executor run runs runner shell bash sh zsh fish terminal console tty pty tmux command commands ' +
    'cmd powershell pwsh ssh subprocess process spawn system eval evaluate cli repl sandbox interpreter cron crontab launcher batch',
)
const SHELL_WORDS = wordSet('shell bash sh zsh fish terminal console tty pty tmux ssh cmd powershell pwsh')
const WINDOWS_WORDS = wordSet('powershell pwsh ps1 cmd windows')
const READER_WORDS = wordSet(
  'read get list search find fetch view show describe lookup resolve browse count status query grep glob ls cat head ' +
    'info inspect navigate snapshot screenshot',
)
const DOCUMENT_WORDS = wordSet(
  'doc docs documentation document documents snippet snippets format formatter prettify lint explain review highlight ' +
    'markdown library libraries wiki page pages gist diagram mermaid render parse analyze analyse validate tokenize ' +
    'translate convert summarize search find lookup resolve scan audit example examples comment issue',
)
const DATABASE_WORDS = wordSet(
  'sql postgres postgresql pg psql mysql mariadb sqlite sqlite3 duckdb snowflake bigquery redshift clickhouse mssql ' +
    'oracle supabase neon cockroach cockroachdb trino presto athena spanner database databases db dbhub',
)

/** Languages by the words that name them, in tools, arguments and `language` arguments. */
const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['shell', 'shell bash sh zsh ksh dash fish terminal console posix'],
  ['python', 'python python2 python3 py py3 ipython jupyter pandas'],
  [
    'javascript',
    'javascript js node nodejs deno bun typescript ts tsx jsx mjs browser puppeteer playwright chrome devtools',
  ],
  ['ruby', 'ruby rb'],
  ['perl', 'perl pl'],
  ['php', 'php'],
  ['sql', 'sql plsql tsql psql'],
  ['other', 'powershell pwsh ps1 applescript osascript lua r julia groovy'],
]
const LANGUAGE_BY_NAME = new Map(
  LANGUAGES.flatMap(([language, names]) => names.split(' ').map((name) => [name, language])),
)

const cache = new Map<string, ToolTraits>()
const MAX_CACHED = 1_000

/** The traits of this tool. */
export function readToolTraits(tool: string): ToolTraits {
  const known = cache.get(tool)
  if (known !== undefined) return known
  const traits = readTraits(tool)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(tool, traits)
  return traits
}

function readTraits(tool: string): ToolTraits {
  const words = new Set(splitWords(tool))
  const verbs = splitWords(stripServer(tool))
  const has = (set: ReadonlySet<string>): boolean => [...words].some((word) => set.has(word))
  // A tool named `python` runs Python.
  const isRunner = has(RUNNER_WORDS) || (verbs.length === 1 && LANGUAGE_BY_NAME.has(verbs[0] ?? ''))
  const isChange = verbs.some((word) => CHANGE_WORDS.has(word) || DELETE_WORDS.has(word) || DEPLOY_WORDS.has(word))
  return {
    words,
    verbs,
    isRunner,
    isShell: has(SHELL_WORDS),
    isWindows: has(WINDOWS_WORDS) || (words.has('power') && words.has('shell')),
    isReader: !isRunner && !isChange && verbs.some((word) => READER_WORDS.has(word)),
    isForDocuments: !isRunner && has(DOCUMENT_WORDS),
    isDatabase: has(DATABASE_WORDS),
    language: [...words].map((word) => LANGUAGE_BY_NAME.get(word)).find((language) => language !== undefined),
  }
}

/** The language of one of these words. */
export function findLanguage(words: readonly string[]): Language | undefined {
  for (const word of words) {
    const language = LANGUAGE_BY_NAME.get(word) ?? LANGUAGE_BY_NAME.get(word.replace(/\d{1,6}$/, ''))
    if (language !== undefined) return language
  }
  return undefined
}

/** The words of a name: `deleteUser`, `delete_user`, `delete-user`. */
export function splitWords(name: string): string[] {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3 $2$4')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The name of an argument: its words, and these joined by `_`. */
export interface ArgumentName {
  readonly words: readonly string[]
  readonly name: string
}

const names = new Map<string, ArgumentName>()

/** The normalized name of an argument: `filePath`, `file-path` and `file_path` are the same. */
export function argumentName(key: string): ArgumentName {
  const known = names.get(key)
  if (known !== undefined) return known
  const words = splitWords(key.length > MAX_NAME ? key.slice(0, MAX_NAME) : key)
  const made = { words, name: words.join('_') }
  if (names.size >= MAX_CACHED) names.clear()
  names.set(key, made)
  return made
}

const MAX_NAME = 200

// `mcp__server__tool` without its server. In `mcp_server_tool` the end of the server name is unknown.
function stripServer(tool: string): string {
  const name = tool.trim()
  if (!/^mcp_/i.test(name)) return name
  return /^mcp__/i.test(name) ? name.slice(name.lastIndexOf('__') + 2) : name.slice(4)
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}
