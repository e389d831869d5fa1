// A TOML file to which ARC adds its hooks as one block at the end, between two comments. Some agents write the file anew
// and drop comments: then the tables with ARC's line are ARC's part.

import { findTextPosition } from '../../json-text/json-text.ts'
import type { HostName } from '../facts/list.ts'
import { commandInLine, isHookLine } from './command-line.ts'
import type { InstallFile, InstallOptions, TextProblem } from './install-file.ts'
import { readToml, type TomlName } from './toml-text.ts'

/** How one agent writes hooks in TOML. */
export interface TomlFormat {
  readonly host: HostName
  /** The lines of ARC's tables. */
  tables(options: InstallOptions): readonly string[]
  /** The events of ARC's tables; for an agent with events that are registered on demand. */
  eventsIn?(tables: string): readonly string[]
  /** Whether hooks are written as one value, to which nothing can be added. */
  isInline(name: TomlName): boolean
  /** What the user can do about that. */
  readonly inlineAdvice: string
  /** The agent may write the file anew, without comments. Needs tables that contain no others. */
  readonly dropsComments?: true
}

interface Range {
  readonly start: number
  readonly end: number
}

/** The file at this path, in this format. */
export function tomlBlockFile(path: string, format: TomlFormat): InstallFile {
  return {
    path,
    has: (text) => findParts(text, format).length > 0,
    add: (text, options) => addBlock(text ?? '', format, options),
    remove: (text) => cut(text, findParts(text, format)) || undefined,
    commandIn: (text) => findCommands(text, format)[0],
    eventsIn: (text) => findEvents(text, format),
  }
}

function addBlock(text: string, format: TomlFormat, given: InstallOptions): string | TextProblem {
  const options = { ...given, onDemand: [...findEvents(text, format), ...(given.onDemand ?? [])] }
  const parts = findParts(text, format)
  const rest = cut(text, parts)
  const names = readToml(rest)
  if ('message' in names) return names
  const inline = names.find(format.isInline)
  if (inline !== undefined) {
    const message = `Hooks are written here as one value, to which nothing can be added. ${format.inlineAdvice}`
    return { ...findTextPosition(rest, inline.offset), message }
  }
  if (isInForce(text, parts, format, options)) return text
  // In its old place: what the agent wrote behind it stays behind it.
  const at = parts[0]?.start ?? rest.length
  return rest.slice(0, at) + blockFor(rest.slice(0, at), format, options) + rest.slice(at)
}

// Tables that the agent wrote anew say the same in other words.
function isInForce(text: string, parts: readonly Range[], format: TomlFormat, options: InstallOptions): boolean {
  if (parts.length === 0 || findBlock(text, format) !== undefined) return false
  const written = parts.flatMap(({ start, end }) => readEntries(text.slice(start, end)))
  return JSON.stringify(written) === JSON.stringify(readEntries(format.tables(options).join('\n')))
}

// Each table as its sorted lines, without spaces.
function readEntries(text: string): string[] {
  const tables = text.split(/^(?=\[)/m).filter((table) => table.startsWith('['))
  const lines = (table: string): string[] => table.split(/\r?\n/).filter((line) => line.trim() !== '')
  return tables.map((table) => lines(table).map(withoutSpaces).sort().join('\n'))
}

function withoutSpaces(line: string): string {
  return line.replace(/^\s*([\w.-]+)\s*=\s*/, '$1=').trim()
}

const opening = (host: HostName): string =>
  `# >>> arc: written by arc install ${host}; arc uninstall ${host} removes this block`
const WITHOUT_NEWLINE = ' (the text before it had no newline at its end)'
const CLOSE = '# <<< arc'

function blockFor(before: string, format: TomlFormat, options: InstallOptions): string {
  const eol = before.includes('\r\n') ? '\r\n' : '\n'
  const isWhole = before === '' || before.endsWith('\n')
  const first = `${opening(format.host)}${isWhole ? '' : WITHOUT_NEWLINE}`
  return `${isWhole ? '' : eol}${[first, ...format.tables(options), CLOSE].join(eol)}${eol}`
}

function findParts(text: string, format: TomlFormat): readonly Range[] {
  const block = findBlock(text, format)
  if (block !== undefined) return [block]
  return format.dropsComments === true ? findTables(text, format) : []
}

function findBlock(text: string, format: TomlFormat): Range | undefined {
  const found = /(\r?\n)?^# >>> arc: [^\n]*\n[\s\S]*?^# <<< arc\r?(?:\n|$)/m.exec(text)
  if (found === null || linesIn(found[0], format).length === 0) return undefined
  const newline = found[1] ?? ''
  const start = found.index + (found[0].includes(`${opening(format.host)}${WITHOUT_NEWLINE}`) ? 0 : newline.length)
  return { start, end: found.index + found[0].length }
}

// The lists of tables with ARC's line, each up to the next header.
function findTables(text: string, format: TomlFormat): readonly Range[] {
  const names = readToml(text)
  if ('message' in names) return []
  const headers = names.filter(({ kind }) => kind !== 'key')
  return headers.flatMap(({ kind, offset }, at) => {
    const end = headers[at + 1]?.offset ?? text.length
    const isOurs = kind === 'list' && linesIn(text.slice(offset, end), format).length > 0
    return isOurs ? [{ start: offset, end }] : []
  })
}

function linesIn(text: string, { host }: TomlFormat): string[] {
  const values = [...text.matchAll(/^\s*command\s*=\s*(".*"|'.*')\s*$/gm)].map(([, value = '']) => parseText(value))
  return values.filter((value): value is string => typeof value === 'string' && isHookLine(value, host))
}

function findCommands(text: string, format: TomlFormat): string[] {
  const lines = findParts(text, format).flatMap(({ start, end }) => linesIn(text.slice(start, end), format))
  return lines.flatMap((line) => commandInLine(line, format.host) ?? [])
}

function findEvents(text: string, format: TomlFormat): readonly string[] {
  return findParts(text, format).flatMap(({ start, end }) => format.eventsIn?.(text.slice(start, end)) ?? [])
}

function cut(text: string, parts: readonly Range[]): string {
  return [...parts].reverse().reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text)
}

function parseText(text: string): unknown {
  if (text.startsWith("'")) return text.slice(1, -1)
  try {
    return JSON.parse(text)
  } catch {
    // Edited by hand into something else: then it is not ours.
    return undefined
  }
}
