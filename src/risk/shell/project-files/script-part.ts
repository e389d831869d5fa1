// A part of a project file that is run: the text, and where it is in the file.

/** One script of a project file. */
export interface ScriptPart {
  /** The text that runs, with the constant variables of the file in it. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** The name of the target, task or script. */
  readonly name: string
}

/** Constant texts by name. */
export type Constants = ReadonlyMap<string, string>

/** Targets, tasks or scripts of one file that are followed. */
const MAX_NAMES = 50
export const MAX_PARTS = 200

/** The names, and everything that they need before, first to last. Circles end. */
export function withNeeded(names: readonly string[], needs: (name: string) => readonly string[]): string[] {
  const ordered = new Set<string>()
  const open = new Set<string>()
  const visit = (name: string): void => {
    if (ordered.has(name) || open.has(name) || open.size + ordered.size >= MAX_NAMES) return
    open.add(name)
    for (const needed of needs(name)) visit(needed)
    open.delete(name)
    ordered.add(name)
  }
  for (const name of names) visit(name)
  return [...ordered]
}

/** The lines of a text with their offsets; lines that end in a backslash continue. */
export function logicalLines(text: string): { readonly text: string; readonly start: number }[] {
  const lines: { text: string; start: number }[] = []
  let start = 0
  while (start < text.length) {
    let end = lineEnd(text, start)
    while (text[end - 1] === '\\' && end < text.length) end = lineEnd(text, end + 1)
    lines.push({ text: text.slice(start, end), start })
    start = end + 1
  }
  return lines
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}
