// The files in the text of a patch, each with the text that it gets: `apply_patch`, unified diffs, and blocks of text to
// search and replace.

import type { ToolArgs } from '../engine/points.ts'

/** A file that a call writes. */
export interface FileWrite {
  readonly path: string
  /** The whole text of the file, or the new text of an edit. */
  readonly content: string
  /** Only a part of the file is known: the new text of an edit. */
  readonly isPart: boolean
  /** The arguments with another text; absent where they cannot express it. */
  withContent?(content: string): ToolArgs
}

const MAX_PATCH = 1_000_000
const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
const DIFF = /^\+\+\+ (?:b\/)?([^\t\n]+)/
const REPLACED = /^={5,}\s*$([\s\S]*?)^[+>]{5,} ?REPLACE/gm

/** The files that the patches among the arguments write. */
export function readPatchWrites(tool: string, args: ToolArgs): readonly FileWrite[] {
  const isPatchTool = /patch|diff|apply/i.test(tool)
  return Object.entries(args).flatMap(([key, text]) => {
    if (typeof text !== 'string' || text.length > MAX_PATCH) return []
    if (/^\*\*\* Begin Patch/m.test(text)) {
      return readSections(text, (changed) => ({ ...args, [key]: changed }))
    }
    if (!isPatchTool && !/patch|diff/i.test(key)) return []
    return [...readDiff(text), ...readReplacements(text, args)]
  })
}

interface Section {
  readonly kind: string
  path: string
  /** The lines of its body in the patch: from, and up to. */
  readonly from: number
  to: number
}

function readSections(patch: string, restore: (patch: string) => ToolArgs): FileWrite[] {
  const lines = patch.split('\n')
  const sections: Section[] = []
  for (const [at, line] of lines.entries()) {
    const [, kind, path] = SECTION.exec(line) ?? []
    const last = sections.at(-1)
    if (last !== undefined && last.to < 0 && /^\*\*\* (?:(?:Add|Update|Delete) File|End Patch)/.test(line)) last.to = at
    const moved = MOVE.exec(line)?.[1]
    if (moved !== undefined && last !== undefined) last.path = moved.trim()
    if (kind !== undefined && path !== undefined) sections.push({ kind, path: path.trim(), from: at + 1, to: -1 })
  }
  return sections.flatMap((section) => {
    const to = section.to < 0 ? lines.length : section.to
    return section.kind === 'Delete' ? [] : [readSection(lines, { ...section, to }, restore)]
  })
}

function readSection(
  lines: readonly string[],
  { kind, path, from, to }: Section,
  restore: (patch: string) => ToolArgs,
): FileWrite {
  const content = addedText(lines.slice(from, to))
  if (kind === 'Update') return { path, content, isPart: true }
  const withContent = (changed: string): ToolArgs => {
    const added = changed
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `+${line}`)
    return restore([...lines.slice(0, from), ...added, ...lines.slice(to)].join('\n'))
  }
  return { path, content, isPart: false, withContent }
}

function readDiff(text: string): FileWrite[] {
  const writes: FileWrite[] = []
  const lines = text.split('\n')
  for (const [at, line] of lines.entries()) {
    const path = DIFF.exec(line)?.[1]?.trim()
    if (path === undefined || path === '/dev/null' || !lines[at - 1]?.startsWith('--- ')) continue
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next, index) => next.startsWith('--- ') && rest[index + 1]?.startsWith('+++ '))
    const isPart = !lines[at - 1]?.startsWith('--- /dev/null')
    writes.push({ path, content: addedText(end < 0 ? rest : rest.slice(0, end)), isPart })
  }
  return writes
}

// The path is in another argument.
function readReplacements(text: string, args: ToolArgs): FileWrite[] {
  const path = args.path ?? args.file_path ?? args.filePath
  const parts = [...text.matchAll(REPLACED)].map(([, part = '']) => part.replace(/^\n|\n$/g, ''))
  return typeof path !== 'string' || parts.length === 0 ? [] : [{ path, content: parts.join('\n'), isPart: true }]
}

function addedText(lines: readonly string[]): string {
  const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
  return added.length === 0 ? '' : `${added.join('\n')}\n`
}
