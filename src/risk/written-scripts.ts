// Scripts in the content that a tool writes: shell scripts, recipes, package scripts, SQL and code. They run later, if at all,
// so they count one tier lower than when they run.

import { isRecord } from '../engine/plain-data.ts'
import { withInput } from './command-text.ts'
import { readAllJustRecipes } from './shell/project-files/justfile.ts'
import { readAllRecipes } from './shell/project-files/makefile.ts'
import { readAllScripts } from './shell/project-files/package-scripts.ts'
import { readAllTasks } from './shell/project-files/taskfile.ts'

/** A text that would run, and its line in the content. */
export interface WrittenScript {
  /** As shell text. */
  readonly text: string
  readonly line: number
  /** Lines of `text` before the content begins. */
  readonly skippedLines: number
  /** Code of other languages is full of calls that are harmless where they run: only tier 5 counts. */
  readonly isCode: boolean
}

const MAX_CONTENT = 65_536
const SHELL_NAME = /(?:\.(?:sh|bash|zsh|ksh|command)|\/(?:\.git\/hooks|\.husky|\.githooks)\/[\w-]+)$/
const SHELL_START = /^#!.*\b(?:ba|z|da|k)?sh\b/
const PROGRAMS: readonly (readonly [RegExp, RegExp, string])[] = [
  [/\.pyw?$/, /^#!.*\bpython/, 'python3'],
  [/\.(?:[cm]?js|[cm]?ts)$/, /^#!.*\b(?:node|bun|deno|tsx)\b/, 'node'],
  [/(?:\.rb|\/Rakefile)$/, /^#!.*\bruby/, 'ruby'],
  [/\.pl$/, /^#!.*\bperl/, 'perl'],
  [/\.php$/, /^#!.*\bphp/, 'php'],
]

/** The scripts in a file of this name and content. */
export function findWrittenScripts(path: string, content: string): readonly WrittenScript[] {
  if (content.length > MAX_CONTENT) return []
  const name = `/${path}`
  if (SHELL_NAME.test(name) || SHELL_START.test(content)) return [toScript(content, 1)]
  if (name.endsWith('.sql')) return [{ text: withInput('psql', content), line: 1, skippedLines: 1, isCode: false }]
  const parts = readParts(name.slice(name.lastIndexOf('/') + 1), content)
  if (parts !== undefined) return parts.map(({ text, start }) => toScript(text, lineAt(content, start)))
  const program = PROGRAMS.find(([ending, start]) => ending.test(name) || start.test(content))?.[2]
  return program === undefined ? [] : [{ text: withInput(program, content), line: 1, skippedLines: 1, isCode: true }]
}

function readParts(
  file: string,
  content: string,
): readonly { readonly text: string; readonly start: number }[] | undefined {
  if (/^(?:GNU)?[Mm]akefile$|\.mk$/.test(file)) return readAllRecipes(content)
  if (file === 'package.json') return readAllScripts(content)
  if (/^\.?[Jj]ustfile$/.test(file)) return readAllJustRecipes(content)
  return /^[Tt]askfile(?:\.dist)?\.ya?ml$/.test(file) ? readAllTasks(content) : undefined
}

function toScript(text: string, line: number): WrittenScript {
  return { text, line, skippedLines: 0, isCode: false }
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

const CONTENT_NAME = /^(?:new_?)?(?:content|contents|file_?text|text|string|str|new_?source|insert_?text|data|body)$/i
const MAX_VALUES = 200

/** The new contents in the arguments of a tool that writes. */
export function findContents(args: Readonly<Record<string, unknown>>): readonly string[] {
  const found: string[] = []
  const open: unknown[] = [args]
  for (let seen = 0; open.length > 0 && seen < MAX_VALUES; seen++) {
    const item = open.pop()
    if (Array.isArray(item)) open.push(...item.slice(0, MAX_VALUES))
    else if (isRecord(item)) {
      for (const [name, value] of Object.entries(item).slice(0, MAX_VALUES)) {
        if (typeof value !== 'string') open.push(value)
        else if (CONTENT_NAME.test(name)) found.push(value)
      }
    }
  }
  return found
}

const SECTION = /^(?:\*\*\* (?:Add|Update) File: |\+\+\+ (?:b\/)?)(.+)$/

/** The added lines of a patch, by file. */
export function findAddedLines(patch: string): ReadonlyMap<string, string> {
  const added = new Map<string, string>()
  let file: string | undefined
  for (const line of patch.slice(0, MAX_CONTENT).split('\n')) {
    const named = SECTION.exec(line)?.[1]?.trim()
    if (named !== undefined) file = named
    else if (file !== undefined && line.startsWith('+')) added.set(file, `${added.get(file) ?? ''}${line.slice(1)}\n`)
  }
  return added
}
