// The files that a tool call writes, with the text that each gets, and the call with another text. Tools name their
// arguments in many ways; a path beside a text is a file that is written.

import { isRecord } from '../engine/plain-data.ts'
import type { ToolArgs } from '../engine/points.ts'
import { toolClass } from '../engine/tools.ts'
import { type FileWrite, readPatchWrites } from './patch-writes.ts'

const MAX_DEPTH = 6
const MAX_FILES = 200

const PATH = /^(?:.+_)?(?:path|file|file_?name|uri)$/
const WHOLE = /^(?:file_|full_)?(?:contents?|text)$|^(?:body|data|source|code)$/
const PART = /^new_(?:str|string|text|source|contents?|code|lines?)$|^(?:insert_text|insert|replacement|replace_with)$/
const LIST = /^(?:edits?|changes?|replacements?|operations?|files?|writes?|chunks?)$/

/** The files that a call of this tool writes; none for a tool of another class. */
export function readFileWrites(tool: string, args: ToolArgs): readonly FileWrite[] {
  if (!isWriteTool(tool)) return []
  return [...readRecord(args, (changed) => changed, 0), ...readPatchWrites(tool, args)].slice(0, MAX_FILES)
}

/** Does a tool write files, by its name? The tool of a server is known by the end of its name. */
function isWriteTool(tool: string): boolean {
  const known = toolClass(tool)
  if (known !== 'mcp') return known === 'write'
  const words = tool.split(/_+/)
  return words.some((_, at) => at > 0 && toolClass(words.slice(at).join('_')) === 'write')
}

// Puts a changed part of the arguments back into the whole.
type Restore<T> = (changed: T) => ToolArgs

function readRecord(value: ToolArgs, restore: Restore<ToolArgs>, depth: number): FileWrite[] {
  const path = findText(value, PATH)?.value
  if (path !== undefined) return readFile(value, path, restore)
  if (depth >= MAX_DEPTH) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!LIST.test(snakeCase(key))) return []
    const put: Restore<unknown> = (changed) => restore({ ...value, [key]: changed })
    return Array.isArray(inner) ? readList(inner, put, depth + 1) : readMap(inner, put)
  })
}

function readList(list: readonly unknown[], restore: Restore<unknown>, depth: number): FileWrite[] {
  return list.flatMap((item, at) => {
    return isRecord(item) ? readRecord(item, (changed) => restore(list.with(at, changed)), depth) : []
  })
}

// `{ files: { "a.txt": "…" } }`
function readMap(map: unknown, restore: Restore<unknown>): FileWrite[] {
  if (!isRecord(map)) return []
  return Object.entries(map).flatMap(([path, content]) => {
    if (typeof content !== 'string') return []
    return [{ path, content, isPart: false, withContent: (changed) => restore({ ...map, [path]: changed }) }]
  })
}

function readFile(value: ToolArgs, path: string, restore: Restore<ToolArgs>): FileWrite[] {
  const part = findText(value, PART)
  const text = part ?? findText(value, WHOLE)
  if (text !== undefined) {
    const withContent = (changed: string): ToolArgs => restore({ ...value, [text.key]: changed })
    return [{ path, content: text.value, isPart: part !== undefined, withContent }]
  }
  return readEdits(value, path, restore)
}

// Several edits of one file are one write of it: all the new texts. One edit alone can be changed.
function readEdits(value: ToolArgs, path: string, restore: Restore<ToolArgs>): FileWrite[] {
  const key = Object.keys(value).find((name) => LIST.test(snakeCase(name)) && Array.isArray(value[name]))
  if (key === undefined) return []
  const list = value[key] as readonly unknown[]
  const texts = list.flatMap((item, at) => {
    const found = isRecord(item) ? (findText(item, PART) ?? findText(item, WHOLE)) : undefined
    return found === undefined ? [] : [{ ...found, at }]
  })
  const [only, ...others] = texts
  if (only === undefined) return []
  const content = texts.map((text) => text.value).join('\n')
  if (others.length > 0) return [{ path, content, isPart: true }]
  const withContent = (changed: string): ToolArgs => {
    return restore({ ...value, [key]: list.with(only.at, { ...(list[only.at] as object), [only.key]: changed }) })
  }
  return [{ path, content, isPart: true, withContent }]
}

function findText(value: ToolArgs, names: RegExp): { readonly key: string; readonly value: string } | undefined {
  const key = Object.keys(value).find((name) => typeof value[name] === 'string' && names.test(snakeCase(name)))
  return key === undefined ? undefined : { key, value: value[key] as string }
}

function snakeCase(name: string): string {
  return name.replace(/-|(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
}
