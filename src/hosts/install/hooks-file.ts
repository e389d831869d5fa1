// A JSON file with `hooks: { <Event>: [ … ] }`, as most hosts have one: ARC adds one entry an event and knows its own. Some
// hosts have the events under a name that everyone chooses for their own hooks.

import { getNodeValue, type Node } from 'jsonc-parser'
import { isRecord } from '../../engine/plain-data.ts'
import { editJson, type JsonText, render } from '../../json-text/json-text.ts'
import type { AgentFacts } from '../facts/agent-facts.ts'
import type { HostName } from '../facts/list.ts'
import type { HostEvents } from '../host.ts'
import { commandInLine, hookLine, isHookLine } from './command-line.ts'
import type { InstallFile, InstallOptions } from './install-file.ts'
import { listWantedEvents } from './registered-events.ts'

/** How a host writes its hooks down. */
export interface HooksFormat {
  readonly facts: AgentFacts<HostName>
  readonly events: HostEvents
  /** The entry of one event. */
  entry(line: string, event: string, options: InstallOptions): object
  /** The text of a new file, without hooks. */
  readonly empty: string
  /** The key with the events; `hooks` when not given. */
  readonly root?: string
}

const rootOf = ({ root = 'hooks' }: HooksFormat): string => root

/** `{ hooks: [{ type: "command", … }] }`: the group that Claude, Codex, Gemini and Qwen have in common. */
export function hookGroup(line: string, extra: object = {}): object {
  return { hooks: [{ type: 'command', command: line, ...extra }] }
}

/** The file at this path, in this format. */
export function hooksFile(path: string, format: HooksFormat): InstallFile {
  return {
    path,
    has: (text) => find(text, format).length > 0,
    add: (text, options) => addHooks(text, format, options),
    remove: (text) => removeHooks(text, format),
    commandIn: (text) => find(text, format)[0]?.command,
    eventsIn: (text) => find(text, format).map(({ event }) => event),
  }
}

function addHooks(
  text: string | undefined,
  format: HooksFormat,
  options: InstallOptions,
): ReturnType<InstallFile['add']> {
  const start = text === undefined || text.trim() === '' ? format.empty : text
  return editJson(start, (json) => {
    const onDemand = [...find(start, format).map(({ event }) => event), ...(options.onDemand ?? [])]
    for (const name of listWantedEvents(format.events, onDemand)) addHook(json, format, name, options)
  })
}

function addHook(json: JsonText, format: HooksFormat, name: string, options: InstallOptions): void {
  const path = [rootOf(format), name]
  const line = hookLine(options.command, format.facts.name, format.facts.isEventInLine === true ? name : undefined)
  const entry = format.entry(line, name, options)
  const [present] = json.items(path).filter((node) => linesIn(node, format).length > 0)
  if (present === undefined) json.append(path, entry)
  else if (isWholeEntry(present, format)) replaceIfOther(json, present, entry)
  else replaceLine(json, present, format, line)
}

function replaceIfOther(json: JsonText, node: Node, entry: object): void {
  if (render(getNodeValue(node)) !== render(entry)) json.replace(node, entry)
}

// The user put our line among their own: only the line is ours.
function replaceLine(json: JsonText, node: Node, format: HooksFormat, line: string): void {
  const other = linesIn(node, format).find(({ value }) => value !== line)
  if (other !== undefined) json.replace(other, line)
}

function removeHooks(text: string, format: HooksFormat): ReturnType<InstallFile['remove']> {
  const edited = editJson(text, (json) => {
    // Backwards, in the order opposite to that of adding.
    for (const name of eventsIn(json, format).reverse()) removeHook(json, format, name)
    removeIfEmpty(json, [rootOf(format)])
  })
  if (typeof edited !== 'string') return edited
  return isSkeleton(edited, format) ? undefined : edited
}

function removeHook(json: JsonText, format: HooksFormat, name: string): void {
  const path = [rootOf(format), name]
  // Each removal moves what follows, so the list is read again after it.
  for (;;) {
    const mine = listItems(json, path).findLast((node) => linesIn(node, format).length > 0)
    if (mine === undefined) break
    json.remove(isWholeEntry(mine, format) ? mine : findHandler(linesIn(mine, format)[0] as Node))
    removeIfEmpty(json, path)
  }
}

function eventsIn(json: JsonText, format: HooksFormat): string[] {
  return (json.at([rootOf(format)])?.children ?? []).map(({ children: [key] = [] }) => String(key?.value))
}

function listItems(json: JsonText, path: readonly string[]): readonly Node[] {
  const node = json.at(path)
  return node?.type === 'array' ? (node.children ?? []) : []
}

function removeIfEmpty(json: JsonText, path: readonly string[]): void {
  const node = json.at(path)
  const isContainer = node?.type === 'array' || node?.type === 'object'
  // A comment inside is the user's: the comment and its object stay.
  if (!isContainer || (node.children?.length ?? 0) > 0) return
  if (json.text.slice(node.offset + 1, node.offset + node.length - 1).trim() === '') json.remove(node)
}

// The texts in an entry that are lines of ours.
function linesIn(node: Node, format: HooksFormat): Node[] {
  if (node.type === 'string') return isHookLine(node.value, format.facts.name) ? [node] : []
  return (node.children ?? []).flatMap((child) => linesIn(child, format))
}

// Nothing in it but our own: one handler, and no matcher that the user gave it.
function isWholeEntry(node: Node, format: HooksFormat): boolean {
  const value: unknown = getNodeValue(node)
  if (!isRecord(value)) return false
  if (!Array.isArray(value.hooks)) return true
  return value.hooks.length === 1 && linesIn(node, format).length === 1 && Object.keys(value).length === 1
}

// From the text of the line up to the object that holds it.
function findHandler(line: Node): Node {
  return line.parent?.parent ?? line
}

interface FoundLine {
  readonly event: string
  /** The path of `arc`. */
  readonly command: string
}

function find(text: string, format: HooksFormat): readonly FoundLine[] {
  const found: FoundLine[] = []
  editJson(text, (json) => {
    for (const name of eventsIn(json, format)) {
      for (const line of listItems(json, [rootOf(format), name]).flatMap((node) => linesIn(node, format))) {
        found.push({ event: name, command: commandInLine(String(line.value), format.facts.name) as string })
      }
    }
  })
  return found
}

function isSkeleton(text: string, format: HooksFormat): boolean {
  const bare = (json: string): string =>
    json
      .replace(/\s+/g, '')
      .replace(`"${rootOf(format)}":{}`, '')
      .replace(/,(?=\})/, '')
  return bare(text) === bare(format.empty)
}
