// Finds shell commands, code and SQL in the arguments of a tool call, by the names and forms of the
// arguments. Messages, titles and file contents are data. Depth and size are limited.

import { isRecord } from '../engine/plain-data.ts'
import type { ToolClass } from '../engine/tools.ts'
import { joinWords, readProgramParts, withInput } from './command-text.ts'
import { isGraphMutation, isSqlStatement } from './sql-text.ts'
import { argumentName, findLanguage, type Language, splitWords, type ToolTraits } from './tool-traits.ts'

/** A text in the arguments that would run. */
export interface Reading {
  readonly as: 'shell' | 'code' | 'sql' | 'graphql'
  readonly text: string
  /** The language of code, if it is named. */
  readonly language?: Language | undefined
  /** The kind is a guess: only findings of tier 4 and 5 count. */
  readonly isGuess: boolean
  /** The working folder from a neighbouring argument. */
  readonly cwd?: string | undefined
}

/** The texts found, and the parts that could not be read. */
export interface Readings {
  readonly found: readonly Reading[]
  /** Why a possible command could not be read. */
  readonly unreadable: readonly string[]
}

const MAX_DEPTH = 32
const MAX_VALUES = 20_000
const MAX_FOUND = 200
const MAX_JSON = 1_000_000
const MAX_CODE = 65_000

type Fields = Readonly<Record<string, unknown>>

/** Reads all arguments of a call. */
export function readArguments(traits: ToolTraits, kind: ToolClass | undefined, args: unknown): Readings {
  const isKnown = kind !== undefined && kind !== 'mcp' && kind !== 'shell'
  const reader: Reader = { traits, kind, isKnown, found: [], unreadable: [], values: 0 }
  readValue(reader, args, { key: '', words: [], meaning: undefined, depth: 0, siblings: {}, cwd: undefined })
  return reader
}

interface Reader {
  readonly traits: ToolTraits
  readonly kind: ToolClass | undefined
  /** A tool of a known class that is not a shell: only arguments that are certainly commands count. */
  readonly isKnown: boolean
  readonly found: Reading[]
  readonly unreadable: string[]
  values: number
}

interface ArgumentPosition {
  /** The name of the argument, as words joined by `_`. */
  readonly key: string
  readonly words: readonly string[]
  readonly meaning: Meaning | undefined
  readonly depth: number
  readonly siblings: Fields
  readonly cwd: string | undefined
}

const COMMAND_WORDS = new Set(
  'command commands cmd cmds cmdline commandline script scripts argv oneliner entrypoint'.split(' '),
)
const SHELL_NAMES = new Set('shell bash sh zsh powershell pwsh exec execute'.split(' '))
const SQL_WORDS = new Set('sql ddl dml'.split(' '))
// Properties of a command that are not commands: `command_id`, `script_path`.
const PROPERTIES = new Set(
  (
    'id ids name names type kind status state count total timeout ms seconds limit mode version label title description ' +
    'reason result output error index url uri path file dir cwd env format encoding hash tag tags'
  ).split(' '),
)
/** Names of the text in an object: `{command: {value: "…"}}`. */
const HOLDS_TEXT = /^(?:value|text|contents?|raw|string|str|line|body|data)$/
const WORDS = /^(?:.+_)?(?:args|arguments|argv|flags)$/
const ARGUMENTS = /^(?:.+_)?(?:args|arguments|params|parameters|input|options)$/
const CODE =
  /(?:^|_)(?:code|source|snippet|function|fn|expression|expr|javascript|js|typescript|python|py|ruby|perl|php|lua|lambda|eval)(?:_(?:text|string|body|base64|b64|encoded))?$/
const QUERY = /(?:^|_)(?:query|queries|statements?|mutation|q)$/
const DATA =
  /(?:^|_)(?:contents?|body|messages?|text|description|prompt|title|summary|comments?|notes?|subject|markdown|html|caption|label|name|reason|instructions?|question|answer|thoughts?|context|explanation|string|str|replacement|patch|diff|css|svg|xml|yaml|csv|logs?|output|result|topic|goal|task|plan|id)$/
/** Names of text that is typed into a shell or terminal. */
const TYPED = /(?:^|_)(?:input|text|contents?|keys|data|stdin|lines?)$/
const KEYBOARDS = ['computer', 'desktop', 'keyboard', 'xdotool', 'keystrokes']
const ENCODED = /(?:^|_)(?:base64|b64|encoded)(?:_|$)/
const FOLDER = /^(?:cwd|work_?dir|working_dir(?:ectory)?|directory|current_directory)$/

/** Names of commands in a list of steps or a plan: `{steps: [{run: "…"}]}`. */
const ACTION =
  /(?:^|_)(?:runs?|do|does|actions?|steps?|invoke|calls?|operations?|ops?|perform|launch|jobs?|hooks?|handler|process|program|recipe|setup|teardown|on_\w+|trigger|start|stop|healthcheck)$/

type Meaning = 'command' | 'sql' | 'code' | 'query' | 'data' | 'action'

// Classifies an argument by its name.
function classifyArgument(words: readonly string[], key: string, { words: tool }: ToolTraits): Meaning | undefined {
  const last = words.at(-1) ?? ''
  if (!PROPERTIES.has(last)) {
    if (words.some((word) => SQL_WORDS.has(word))) return 'sql'
    if (SHELL_NAMES.has(last) || words.some((word) => COMMAND_WORDS.has(word))) return 'command'
    if (/^cells?$/.test(last) && (tool.has('jupyter') || tool.has('notebook'))) return 'code'
  }
  if (CODE.test(key)) return 'code'
  if (QUERY.test(key)) return 'query'
  if (ACTION.test(key)) return 'action'
  return DATA.test(key) ? 'data' : undefined
}

function readValue(reader: Reader, value: unknown, position: ArgumentPosition): void {
  if (++reader.values > MAX_VALUES || reader.found.length > MAX_FOUND)
    noteUnreadable(reader, 'there are too many arguments')
  else if (position.depth > MAX_DEPTH) noteUnreadable(reader, 'the arguments are nested too deeply')
  else if (typeof value === 'string') readText(reader, value, position)
  else if (Array.isArray(value)) readList(reader, value, position)
  else if (isRecord(value)) readFields(reader, value, position)
  else if (typeof value === 'number' && position.meaning === 'command')
    noteUnreadable(reader, `"${position.key}" is a number`)
}

function noteUnreadable(reader: Reader, why: string): void {
  if (reader.traits.isReader || reader.isKnown || reader.unreadable.includes(why)) return
  reader.unreadable.push(why)
}

function readFields(reader: Reader, fields: Fields, position: ArgumentPosition): void {
  // A list that was sent as an object: `{"0": "rm", "1": "-rf"}`.
  if (Object.hasOwn(fields, '0') && Object.keys(fields).every((key, at) => key === String(at))) {
    readList(reader, Object.values(fields), position)
    return
  }
  const folder = Object.keys(fields).find((key) => FOLDER.test(argumentName(key).name))
  const given = folder === undefined ? undefined : fields[folder]
  const cwd = typeof given === 'string' ? given : position.cwd
  readProgram(reader, fields, cwd)
  for (const key of Object.keys(fields)) {
    const own = argumentName(key)
    const isHeld =
      position.meaning !== undefined &&
      HOLDS_TEXT.test(own.name) &&
      !(position.meaning === 'action' && DATA.test(own.name))
    const { words, name } = isHeld ? { words: position.words, name: position.key } : own
    const meaning = classifyArgument(words, name, reader.traits)
    readValue(reader, fields[key], { key: name, words, meaning, depth: position.depth + 1, siblings: fields, cwd })
  }
}

// `{command: "rm", args: ["-rf", "~"]}` is one command, and so is `{command: "sh", stdin: "…"}`.
function readProgram(reader: Reader, fields: Fields, cwd: string | undefined): void {
  if (reader.isKnown) return
  const { program, words, input, env } = readProgramParts(fields)
  if (program === undefined || (words === undefined && input === undefined && env === '')) return
  const text = `${env}${program}${words === undefined ? '' : ` ${words}`}`
  add(reader, { as: 'shell', text: input === undefined ? text : withInput(text, input), isGuess: true, cwd })
}

function add(reader: Reader, reading: Reading): void {
  if (reading.text.trim() !== '') reader.found.push(reading)
}

function readList(reader: Reader, list: readonly unknown[], position: ArgumentPosition): void {
  const { key, meaning } = position
  const isWords = list.some((item) => typeof item === 'string') && list.every(isScalar)
  const isCommand = meaning === 'command'
  if (isWords && (isCommand || (!reader.isKnown && (WORDS.test(key) || isLoose(reader, position))))) {
    readWordList(reader, list.map(String), position)
    return
  }
  if (isCommand && list.length > 0 && list.every((item) => isScalar(item) || item === null))
    noteUnreadable(reader, `"${key}" holds no text`)
  for (const item of list) readValue(reader, item, { ...position, depth: position.depth + 1 })
}

// The words of one command, or a command per item: both, where the list can mean both.
function readWordList(reader: Reader, words: readonly string[], { key, cwd, meaning }: ArgumentPosition): void {
  const isGuess = meaning !== 'command'
  const isLines = /s$/.test(key) && !WORDS.test(key)
  if (isLines || hasInnerBlank(words[0])) add(reader, { as: 'shell', text: words.join('\n'), isGuess, cwd })
  else if (isListOfCommands(words)) add(reader, { as: 'shell', text: words.join('\n'), isGuess: true, cwd })
  const text = joinWords(words)
  add(reader, { as: 'shell', text, isGuess: isGuess || isLines, cwd })
  if (isGuess) addForProgram(reader, text, cwd)
}

function hasInnerBlank(word: string | undefined): boolean {
  return /\S\s+\S/.test(word ?? '')
}

// Programs with a search pattern or a text as argument.
const TAKES_TEXT = /^(?:echo|printf|[efz]?grep|rg|ag|ack|git|gh|sed|awk|jq|find|node|python3?)$/

// `["ls", "rm -rf ~"]`: each item looks like a command. `["grep", "-r", "rm -rf ~", "."]` is one command.
function isListOfCommands(words: readonly string[]): boolean {
  if (!words.some(hasInnerBlank) || TAKES_TEXT.test(words[0] ?? '')) return false
  return words.every((word) => /^[\w./~-]*\w(?:\s|$)/.test(word) && !word.startsWith('-'))
}

function isScalar(item: unknown): boolean {
  return typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean'
}

// In the arguments of a runner, every text that is not clearly data may be a command.
function isLoose({ traits, kind }: Reader, { key, meaning }: ArgumentPosition): boolean {
  if (meaning === 'code' || meaning === 'sql' || meaning === 'query') return false
  if (meaning === 'action' && !traits.isReader && !traits.isForDocuments) return true
  const isTyped = traits.isShell || kind === 'shell' || (traits.isRunner && traits.language !== undefined)
  if ((isTyped || KEYBOARDS.some((word) => traits.words.has(word))) && TYPED.test(key)) return true
  // Other arguments of a database tool are values for its statement.
  if (traits.isDatabase) return false
  return (traits.isRunner || kind === 'shell') && meaning !== 'data' && !FOLDER.test(key)
}

function readText(reader: Reader, written: string, position: ArgumentPosition): void {
  const { key, meaning, cwd } = position
  if (readJson(reader, written, position)) return
  const text = meaning === 'command' || meaning === 'code' ? decoded(reader, written, position) : written
  if (text === undefined) return
  if (meaning === 'command') readCommand(reader, text, position)
  else if (meaning === 'sql') add(reader, { as: 'sql', text, isGuess: false })
  else if (reader.isKnown) return
  else if (meaning === 'code') readCode(reader, text, position)
  else if (meaning === 'query') readQuery(reader, text)
  else if (WORDS.test(key)) {
    add(reader, { as: 'shell', text, isGuess: true, cwd })
    addForProgram(reader, text, cwd)
  } else if (isLoose(reader, position)) readLoose(reader, text, position)
}

// Arguments in a JSON text are read like their parsed value.
function readJson(reader: Reader, text: string, position: ArgumentPosition): boolean {
  const start = text.trimStart()[0]
  if ((start !== '{' && start !== '[') || position.meaning === 'data') return false
  if (text.length > MAX_JSON) return false
  try {
    const value: unknown = JSON.parse(text)
    readValue(reader, value, { ...position, depth: position.depth + 1 })
    return true
  } catch {
    // Not JSON. If it should be arguments, a lenient parser may still find a command in it.
    if (ARGUMENTS.test(position.key) && /command|cmd|script|exec|shell|bash|sql|code/i.test(text))
      noteUnreadable(reader, `"${position.key}" is no JSON`)
    return false
  }
}

// Decodes base64 if the name or a neighbouring `encoding` says so.
function decoded(reader: Reader, text: string, { key, siblings }: ArgumentPosition): string | undefined {
  const { encoding } = siblings
  if (!ENCODED.test(key) && !(typeof encoding === 'string' && /^(?:base64|b64)/i.test(encoding))) return text
  const bytes = Buffer.from(text, 'base64')
  const plain = bytes.includes(0) ? bytes.toString('utf16le') : bytes.toString('utf8')
  if (/^[\w+/=\s-]+$/.test(text) && !plain.includes('\ufffd')) return plain
  noteUnreadable(reader, `"${key}" cannot be decoded`)
  return undefined
}

function readCommand(reader: Reader, text: string, position: ArgumentPosition): void {
  const { kind, isKnown } = reader
  // The patch of an editing tool is not shell text.
  if (kind === 'write' && text.startsWith('*** Begin Patch')) return
  if (isAnyScript(reader, position)) {
    readCode(reader, text, position)
    return
  }
  add(reader, { as: 'shell', text, isGuess: false, cwd: position.cwd })
  if (reader.traits.isWindows) add(reader, { as: 'code', text, language: 'other', isGuess: true, cwd: position.cwd })
  if (!isKnown && kind !== 'shell') addForProgram(reader, text, position.cwd)
}

// A `script` is code of the named language. Without a language, and if the tool is not a shell, it may be any language.
function isAnyScript({ traits, kind, isKnown }: Reader, position: ArgumentPosition): boolean {
  if (!/(?:^|_)scripts?$/.test(position.key)) return false
  const language = findLanguage(position.words) ?? languageBeside(position) ?? traits.language
  return language === undefined ? !isKnown && !traits.isShell && kind !== 'shell' : language !== 'shell'
}

// `mcp__git__run {args: "push --force"}`: the program is in the name of the tool.
const PROGRAMS = new Map(
  'git gh glab docker podman kubectl helm terraform tofu aws gcloud az npm pnpm yarn vercel heroku fly'
    .split(' ')
    .map((name) => [name, name]),
)
  .set('redis', 'redis-cli')
  .set('valkey', 'valkey-cli')
  .set('kubernetes', 'kubectl')
  .set('k8s', 'kubectl')
  .set('github', 'gh')

function addForProgram(reader: Reader, text: string, cwd: string | undefined): void {
  for (const word of reader.traits.words) {
    const program = PROGRAMS.get(word)
    if (program === undefined || text.trimStart().startsWith(`${program} `)) continue
    add(reader, { as: 'shell', text: `${program} ${text}`, isGuess: true, cwd })
  }
}

function readCode(reader: Reader, text: string, position: ArgumentPosition): void {
  const { traits } = reader
  if (traits.isForDocuments || traits.isReader) return
  const language = findLanguage(position.words) ?? languageBeside(position) ?? traits.language
  if (text.length > MAX_CODE && traits.isRunner) noteUnreadable(reader, `"${position.key}" is too long`)
  if (language === 'shell') add(reader, { as: 'shell', text, isGuess: false, cwd: position.cwd })
  else if (language === 'sql') add(reader, { as: 'sql', text, isGuess: false })
  else add(reader, { as: 'code', text, language, isGuess: !traits.isRunner, cwd: position.cwd })
}

const LANGUAGE_KEYS = ['language', 'lang', 'runtime', 'kernel', 'interpreter', 'syntax', 'Language']

function languageBeside({ siblings }: ArgumentPosition): Language | undefined {
  for (const key of LANGUAGE_KEYS) {
    const value = siblings[key]
    if (typeof value === 'string') return findLanguage(splitWords(value))
  }
  return undefined
}

// A query is SQL if it is a whole SQL statement. A search for SQL words is not.
function readQuery(reader: Reader, text: string): void {
  const { isForDocuments, isDatabase, verbs } = reader.traits
  const isSearch = isForDocuments || verbs.includes('list') || verbs.includes('browse')
  if (isGraphMutation(text)) add(reader, { as: 'graphql', text, isGuess: false })
  else if (isDatabase || (!isSearch && isSqlStatement(text))) add(reader, { as: 'sql', text, isGuess: false })
}

function readLoose(reader: Reader, text: string, position: ArgumentPosition): void {
  add(reader, { as: 'shell', text, isGuess: true, cwd: position.cwd })
  if (isSqlStatement(text)) add(reader, { as: 'sql', text, isGuess: true })
  const { language } = reader.traits
  if (language !== undefined && language !== 'shell' && language !== 'sql')
    add(reader, { as: 'code', text, language, isGuess: true, cwd: position.cwd })
}
