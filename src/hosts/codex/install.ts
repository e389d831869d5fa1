// Where Codex keeps hooks: hooks.json, or tables in config.toml for those who have theirs there. Both at one level make
// Codex warn, so ARC goes where the user's hooks are.

import { join } from 'node:path'
import { findTextPosition } from '../../json-text/json-text.ts'
import { hookLine, isHookLine } from '../install/command-line.ts'
import { type HooksFormat, hookGroup, hooksFile } from '../install/hooks-file.ts'
import type { HostInstall, InstallFile, InstallOptions, InstallTarget, TextProblem } from '../install/install-file.ts'
import { listWantedEvents } from '../install/registered-events.ts'
import { readToml, type TomlName } from '../install/toml-text.ts'
import { CODEX_EVENTS } from './events.ts'
import { codexFacts } from './facts.ts'

const FORMAT: HooksFormat = {
  facts: codexFacts,
  events: CODEX_EVENTS,
  entry: (line, name) => hookGroup(line, timeoutField(name)),
  empty: '{\n  "hooks": {}\n}\n',
}

// The default at the end of a session is one second.
function timeoutField(name: string): { timeout?: number } {
  return name === 'SessionEnd' ? { timeout: (CODEX_EVENTS[name]?.limitMs ?? 0) / 1_000 } : {}
}

/** The folder of Codex's configuration. */
function codexHome({ scope, dir, env }: InstallTarget): string {
  return scope === 'project' ? join(dir, '.codex') : env.CODEX_HOME || join(dir, '.codex')
}

/** Codex's hooks.json. */
export function codexHooks(place: InstallTarget): string {
  return join(codexHome(place), 'hooks.json')
}

/** Codex's config.toml, which also holds what was trusted. */
export function codexConfig(place: InstallTarget): string {
  return join(codexHome(place), 'config.toml')
}

/** How Codex is installed. */
export const codexInstall: HostInstall = {
  files: (place) => [hooksFile(codexHooks(place), FORMAT), tomlFile(codexConfig(place))],
  choose(place, texts) {
    const [json, toml] = [hooksFile(codexHooks(place), FORMAT), tomlFile(codexConfig(place))]
    const config = texts.get(toml.path)
    if (config === undefined || texts.get(json.path) !== undefined) return [json]
    const names = readToml(config)
    if ('message' in names) return { path: toml.path, ...names }
    return names.some(isHookDefinition) ? [toml] : [json]
  },
  next: () =>
    'Codex skips new hooks without a word until you have reviewed them: start codex, open /hooks and trust the lines of arc. The lines never change, so once is enough. Check with: arc doctor',
}

const OPEN = '# >>> arc: written by arc install codex; arc uninstall codex removes this block'
const OPEN_WITHOUT_NEWLINE = `${OPEN} (the text before it had no newline at its end)`
const CLOSE = '# <<< arc'

/** Does this name define a hook? What was trusted is kept under hooks.state. */
function isHookDefinition({ path }: TomlName): boolean {
  return path[0] === 'hooks' && path[1] !== 'state' && path.length > 1
}

function tomlFile(path: string): InstallFile {
  return {
    path,
    has: (text) => findBlock(text) !== undefined,
    add: addBlock,
    remove: (text) => removeBlock(text),
    eventsIn,
  }
}

function addBlock(text: string | undefined, options: InstallOptions): string | TextProblem {
  const rest = removeBlock(text ?? '')
  const names = readToml(rest)
  if ('message' in names) return names
  const inline = names.find(isInlineHook)
  if (inline !== undefined) {
    const message =
      'Hooks are written here as one value, to which nothing can be added. Write them as [[hooks.Event]] tables, or move them to hooks.json.'
    return { ...findTextPosition(rest, inline.offset), message }
  }
  const block = findBlock(text ?? '')
  // In its old place: what Codex wrote behind it stays behind it.
  const at = block?.start ?? rest.length
  const onDemand = [...eventsIn(text ?? ''), ...(options.onDemand ?? [])]
  return rest.slice(0, at) + blockFor(rest.slice(0, at), { ...options, onDemand }) + rest.slice(at)
}

function eventsIn(text: string): readonly string[] {
  const block = findBlock(text)
  const own = block === undefined ? '' : text.slice(block.start, block.end)
  return Array.from(own.matchAll(/^\[\[hooks\.(\w+)\]\]/gm), ([, name = '']) => name)
}

// `hooks = { … }`, `hooks.PreToolUse = [ … ]` or the key PreToolUse in the table [hooks].
function isInlineHook({ path, kind }: TomlName): boolean {
  return kind === 'key' && path[0] === 'hooks' && (path.length === 1 || (path.length === 2 && path[1] !== 'state'))
}

function blockFor(before: string, { command, onDemand = [] }: InstallOptions): string {
  const eol = before.includes('\r\n') ? '\r\n' : '\n'
  const line = JSON.stringify(hookLine(command, codexFacts.name))
  const tables = listWantedEvents(CODEX_EVENTS, onDemand).flatMap((name) => hookTable(name, line))
  const isWhole = before === '' || before.endsWith('\n')
  return `${isWhole ? '' : eol}${[isWhole ? OPEN : OPEN_WITHOUT_NEWLINE, ...tables, CLOSE].join(eol)}${eol}`
}

function hookTable(name: string, line: string): string[] {
  const { timeout } = timeoutField(name)
  const limit = timeout === undefined ? [] : [`timeout = ${timeout}`]
  return [`[[hooks.${name}]]`, `[[hooks.${name}.hooks]]`, 'type = "command"', `command = ${line}`, ...limit]
}

function removeBlock(text: string): string {
  const block = findBlock(text)
  return block === undefined ? text : text.slice(0, block.start) + text.slice(block.end)
}

function findBlock(text: string): { start: number; end: number } | undefined {
  const found = /(\r?\n)?^# >>> arc: [^\n]*\n[\s\S]*?^# <<< arc\r?(?:\n|$)/m.exec(text)
  if (found === null || !isOurs(found[0])) return undefined
  const newline = found[1] ?? ''
  const start = found.index + (found[0].includes(OPEN_WITHOUT_NEWLINE) ? 0 : newline.length)
  return { start, end: found.index + found[0].length }
}

function isOurs(block: string): boolean {
  const [, line] = /^command = (".*")\r?$/m.exec(block) ?? []
  return line !== undefined && isHookLine(parseText(line), codexFacts.name)
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Edited by hand into something else: then it is not ours.
    return undefined
  }
}
