// The content of a step that an exception for exactly this command is bound to: what would run, in which folder of which
// project. Equal contents have equal digests. A description beside a command changes nothing that runs.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { readBoundArgs } from '../approvals/bound-args.ts'
import { isRecord } from '../engine/plain-data.ts'
import { toolClass } from '../engine/tools.ts'
import { findProject, resolveRealPath } from '../platform/home.ts'
import { analyzeShell } from '../risk/shell/analyze.ts'
import { canonicalize } from '../trace/canonical.ts'

/** The part of a step that makes its content. */
export interface ContentStep {
  readonly point: string
  readonly data: object
  readonly workspace?: string | undefined
}

/** The project of a folder, and the folder in it. */
export interface ProjectFolder {
  /** The real path of the root: the nearest folder with `.arc/config.*` or `.git`, else the folder itself. */
  readonly project: string
  /** Relative to the root; empty for the root. */
  readonly folder: string
}

/** Finds the project of a folder. A `.git` in the user's home makes no project of the whole home. */
export function findProjectFolder(workspace: string): ProjectFolder {
  const real = resolveRealPath(workspace)
  const project = findProject(real) ?? findRepository(real) ?? real
  return { project, folder: relative(project, real) }
}

function findRepository(dir: string): string | undefined {
  const home = resolveRealPath(homedir())
  for (let at = dir; at !== home && dirname(at) !== at; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
  }
  return undefined
}

/** The digest of a step's content in its folder. */
export function digestContent(step: ContentStep, folder: string): string {
  const { tool, args } = readCall(step.data)
  if (step.point !== 'pre:tool' || tool === undefined) return digest([step.point, folder, step.data])
  const command = readCommand(tool, args)
  if (command === undefined) return digest([step.point, folder, tool, args ?? null])
  const {
    command: _command,
    timeout: _timeout,
    ...beside
  } = readBoundArgs(tool, args) as Readonly<Record<string, unknown>>
  return digestCommand(command, folder, beside)
}

/** The digest of a plain shell command in a folder of a project. */
export function digestCommand(command: string, folder: string, beside: Readonly<Record<string, unknown>> = {}): string {
  return digest(['shell', folder, normalizeCommand(command), beside])
}

/** The command of a shell call; for other steps their tool and arguments as one text. */
export function showContent({ point, data }: ContentStep): string {
  const { tool, args } = readCall(data)
  if (tool === undefined) return `${point} ${canonicalize(data)}`
  return readCommand(tool, args) ?? `${tool} ${canonicalize(args ?? null)}`
}

function readCall(data: object): { readonly tool: string | undefined; readonly args: unknown } {
  const { tool, args } = data as { readonly tool?: unknown; readonly args?: unknown }
  return { tool: typeof tool === 'string' ? tool : undefined, args }
}

// Words mean something else in a Windows shell: such a call counts by its tool and arguments.
const MAY_BE_WINDOWS = /power|pwsh|cmd/i

function readCommand(tool: string, args: unknown): string | undefined {
  if (toolClass(tool) !== 'shell' || MAY_BE_WINDOWS.test(tool) || !isRecord(args)) return undefined
  return typeof args.command === 'string' ? args.command : undefined
}

// Everything that expands, joins, redirects or comments. A text without it is a list of plain words.
const SYNTAX = /[;&|(){}<>$`\\#!*?[\]~\n\r=]/

// One plain command counts by its words, so that blanks and quotes do not matter. Every other text counts as it is: its
// meaning is more than the commands that the analysis finds.
function normalizeCommand(text: string): string | readonly string[] {
  const trimmed = text.trim()
  if (SYNTAX.test(trimmed)) return trimmed
  const { commands, unknown, snippets } = analyzeShell(trimmed, { cwd: '/', home: '/' })
  const [command, ...others] = commands
  if (command === undefined || others.length + unknown.length + snippets.length > 0) return trimmed
  const { name, path, args, redirects, via, env, input } = command
  const isPlain = via.length + redirects.length + env.size === 0 && input === undefined
  if (name === undefined || !isPlain || !args.every(({ isKnown, isGlob }) => isKnown && !isGlob)) return trimmed
  return [path ?? name, ...args.map((word) => word.text)]
}

function digest(content: unknown): string {
  return createHash('sha256').update(canonicalize(content)).digest('hex')
}
