// The fenced blocks of the pages that people read, and how each is to be checked. What cannot be run says why, in a
// comment right above it: `<!-- not run: … -->`. A block of output names its command: `<!-- output of: arc … -->`. What a
// reader has done before is `<!-- given: arc … -->`.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The pages whose blocks are run. */
export const RUN_PAGES: readonly string[] = [
  'README.md',
  'examples/README.md',
  ...(existsSync(join(ROOT, 'docs/README.md')) ? ['docs/README.md'] : []),
  ...readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`),
]

export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** Why it is not run. */
  readonly notRun?: string
  /** The command whose output it is. */
  readonly outputOf?: string
  /** A command to run before it. */
  readonly given?: string
}

const FENCE = /^```([a-z]*)\n([\s\S]*?)^```$/gm
const NOTE = /<!-- (not run|output of|given): (.+?) -->\n+$/

/** The blocks of a page, in order. */
export function blocksOf(page: string, text = readFileSync(join(ROOT, page), 'utf8')): readonly Block[] {
  return [...text.matchAll(FENCE)].map((match) => {
    const before = text.slice(0, match.index)
    const [, kind, words = ''] = NOTE.exec(before) ?? []
    return {
      page,
      line: before.split('\n').length,
      language: match[1] ?? '',
      text: match[2] ?? '',
      ...(kind === 'not run' && { notRun: words }),
      ...(kind === 'output of' && { outputOf: words }),
      ...(kind === 'given' && { given: words }),
    }
  })
}

/** One command of a shell block: a line, with those that continue it, and the exit code that its comment promises. */
export interface ShellLine {
  readonly command: string
  readonly exitCode: number
}

/** Splits a shell block into its commands. */
export function shellLines(text: string): readonly ShellLine[] {
  const lines: string[] = []
  let open: string | undefined
  for (const line of text.split('\n')) {
    const isContinued = open !== undefined || lines.at(-1)?.endsWith('\\') === true
    if (isContinued) lines[lines.length - 1] += `\n${line}`
    else lines.push(line)
    if (open === undefined) open = /<<-?'?(\w+)'?/.exec(line)?.[1]
    else if (line === open) open = undefined
  }
  const commands = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return commands.map((command) => ({ command, exitCode: Number(/# exit (\d+)\b/.exec(command)?.[1] ?? 0) }))
}

/** The programs of a page: a block with imports starts a program, a block without imports continues the program before it. */
export interface Program {
  readonly page: string
  readonly line: number
  readonly text: string
}

export function programsOf(blocks: readonly Block[]): readonly Program[] {
  const programs: { page: string; line: number; text: string }[] = []
  for (const { page, line, language, text, notRun } of blocks) {
    if ((language !== 'ts' && language !== 'js') || notRun !== undefined) continue
    const last = programs.at(-1)
    if (last === undefined || /^import /m.test(text)) programs.push({ page, line, text })
    // In its own scope, so that it may use the same names again.
    else last.text += `{\n${text}}\n`
  }
  return programs
}
