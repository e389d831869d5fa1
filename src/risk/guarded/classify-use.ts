// Classifies what a command or tool does with guarded paths: reading passes, writing and deleting are blocked, and
// every other use needs approval.

import type { Guard, Guarded, GuardedKind } from '../../engine/guarded-paths.ts'
import type { Access } from '../access.ts'
import type { Call } from '../call.ts'
import type { Facts, Hit, TestResult } from '../rule.ts'
import type { ShellCommand, Word } from '../shell/execution.ts'
import { findLoosening } from './arc-command.ts'
import { findGuard } from './default-guard.ts'
import { findGuarded, type GuardedMatch, isClose } from './find-guarded.ts'
import { type PathUse, type PathUseKind, pathsInText } from './path-use.ts'
import { findPathUses, isKnownProgram } from './program-uses.ts'

/** Descriptions of guarded paths for the reason. */
const KIND_TEXTS: Readonly<Record<GuardedKind, string>> = {
  home: 'part of the ARC home',
  launcher: 'the launcher that agents run for every hook',
  package: 'part of the installed ARC',
  node: 'the Node.js that ARC runs on',
  'host-settings': "an agent's hook settings",
}

const USE_VERBS: Readonly<Record<PathUseKind, string>> = {
  list: 'Lists',
  read: 'Reads',
  copy: 'Copies',
  create: 'Creates a folder in',
  write: 'Changes',
  fill: 'Writes files into',
  delete: 'Deletes, moves or hides',
  replace: 'Replaces',
  mode: 'Changes the permissions of',
  alias: 'Links to',
  unknown: 'Uses',
}

/** The most severe use of a guarded path by the command. */
export function touchesGuarded(call: Call, facts: Facts): TestResult {
  const { command } = call
  if (!isHere(command)) return undefined
  const guard = findGuard(facts)
  if (!mayTouch(call, facts, guard)) return undefined
  let gravest: Hit | undefined
  const take = (hit: Hit | undefined): void => {
    if (hit !== undefined && (gravest === undefined || (hit.tier ?? 0) > (gravest.tier ?? 0))) gravest = hit
  }
  for (const use of findPathUses(call)) {
    const found = findGuarded(use.file, command.cwd, facts, guard)
    if (found !== undefined) take(classifyUse(use, found))
  }
  for (const file of embeddedPaths(call)) {
    const found = findGuarded(file, command.cwd, facts, guard)
    if (found !== undefined) take(classifyUse({ kind: 'unknown', file }, found))
  }
  return gravest
}

// Other machines and containers have separate files. chroot and nsenter may share the files of this machine.
function isHere({ location, via }: ShellCommand): boolean {
  return location === 'local' || (location === 'container' && via.some((step) => /^(?:chroot|nsenter)\b/.test(step)))
}

// A cheap check first: most commands contain no path that could be guarded.
function mayTouch({ name, command }: Call, facts: Facts, guard: Guard): boolean {
  if (guard.followsLinks || command.cwd === undefined || isClose(command.cwd, guard)) return true
  for (const { text } of command.args) if (mayLead(text, facts)) return true
  for (const { target } of command.redirects) if (mayLead(target.text, facts)) return true
  for (const { text } of command.env.values()) if (mayLead(text, facts)) return true
  return command.input?.text !== undefined && EVALUATORS.has(name)
}

function mayLead(text: string, { home }: Facts): boolean {
  return /[~$`]|\.\.|\/etc\/|\/Library\//.test(text) || text.includes(home)
}

type UseDecision = 'block' | 'ask'

function classifyUse(use: PathUse, { guarded, path, isGuess }: GuardedMatch): Hit | undefined {
  const weight = guarded.isInside ? findInsideDecision(use, guarded) : findContainingDecision(use, guarded)
  if (weight === undefined) return undefined
  const isBlock = weight === 'block' && !isGuess
  return makeHit(use.file, isBlock, formatReason(use.kind, guarded, path))
}

function makeHit({ span }: Word, isBlock: boolean, reason: string): Hit {
  return isBlock ? { at: span, tier: 5, reason } : { at: span, tier: 4, isUncertain: true, reason }
}

// Any program may read and run Node: only changes to it count.
const HARMLESS_FOR_NODE: ReadonlySet<PathUseKind> = new Set(['unknown', 'alias', 'copy', 'create'])

function findInsideDecision({ kind, file }: PathUse, guarded: Guarded): UseDecision | undefined {
  if (kind === 'list' || (guarded.kind === 'node' && HARMLESS_FOR_NODE.has(kind))) return undefined
  if (kind === 'read') return guarded.isSecret ? 'ask' : undefined
  if (kind === 'copy') return guarded.kind === 'home' ? 'ask' : undefined
  if (kind === 'create' || kind === 'alias' || kind === 'unknown') return 'ask'
  // The working folder is a weaker sign than a named folder.
  return kind === 'fill' && file.text === '.' ? 'ask' : 'block'
}

/** The decision for a use of a folder that contains a guarded path. Uses that are not listed pass. */
const CONTAINING: Partial<Record<PathUseKind, (use: PathUse, guarded: Guarded) => UseDecision | undefined>> = {
  delete: (_use, { kind }) => (kind === 'package' ? 'ask' : 'block'),
  replace: ({ isDeep }) => (isDeep === true ? 'block' : undefined),
  mode: ({ isDeep }, { isNear }) => (isDeep !== true ? undefined : isNear ? 'block' : 'ask'),
  fill: (_use, { kind, isNear }) => (isNear || kind === 'home' || kind === 'host-settings' ? 'ask' : undefined),
  alias: ({ isDeep }, { isNear }) => (isNear || isDeep === true ? 'ask' : undefined),
  unknown: (_use, { isNear }) => (isNear ? 'ask' : undefined),
}

function findContainingDecision(use: PathUse, guarded: Guarded): UseDecision | undefined {
  return CONTAINING[use.kind]?.(use, guarded)
}

/** The reason: the use, the path, and what the path is. */
export function formatReason(kind: PathUseKind, guarded: Guarded, path: string): string {
  const shown = path.length > 120 ? `${path.slice(0, 117)}…` : path
  const what = KIND_TEXTS[guarded.kind]
  if (guarded.isInside && kind === 'unknown') return `Uses ${shown}, ${what}, and may change it.`
  if (guarded.isInside) return `${USE_VERBS[kind]} ${shown}, ${what}.`
  return `${USE_VERBS[kind]} ${shown}, which contains ${guarded.root}, ${what}.`
}

// Programs that run commands or code from their arguments or input.
const EVALUATORS = new Set(
  'ed ex vi vim nvim emacs emacsclient gdb lldb nu xonsh elvish expect tclsh make gmake rake just task R ghci jshell scala groovy iex erl sqlite3 psql mysql redis-cli socat nc ncat openssl lftp sftp ftp less more most man'.split(
    ' ',
  ),
)
const CODE_OPTIONS = new Set(
  '-c -e -ex -x --eval --exec --command --execute --expression --cmd --code --script'.split(' '),
)

// Paths inside arguments that are code.
function embeddedPaths(call: Call): Word[] {
  const { args, input, span, env } = call.command
  const isEvaluator = EVALUATORS.has(call.name)
  const found: Word[] = []
  // `PAGER='rm …' git log`: a value with blanks may run as a command.
  for (const { text, span: at } of env.values()) if (/\s/.test(text)) found.push(...pathsInText(text, at))
  if (isKnownProgram(call.name) && !isEvaluator) return found
  for (const [index, word] of args.entries()) {
    const isCode = isEvaluator || CODE_OPTIONS.has(args[index - 1]?.text ?? '')
    if (isCode && /[\s('":,=]/.test(word.text)) found.push(...pathsInText(word.text, word.span))
  }
  if (isEvaluator && input?.text !== undefined) found.push(...pathsInText(input.text, span))
  return found
}

/** Whether `arc` is started by its file, through an interpreter or a link, with a loosening command. */
export function loosensByFile(call: Call, facts: Facts): TestResult {
  const { args, path, cwd, span, location } = call.command
  if (args.length === 0 || location !== 'local' || call.name === 'arc') return undefined
  const isRunner = RUNNERS.has(call.name) || /^(?:python|perl|ruby|node)[\d.]+$/.test(call.name)
  if (!isRunner && path === undefined) return undefined
  const guard = findGuard(facts)
  if (path !== undefined && isEntry({ text: path, isKnown: true, isGlob: false, span }, cwd, facts, guard))
    return findLoosening(args)
  if (!isRunner) return undefined
  const at = args.slice(0, MAX_RUNNER_ARGS).findIndex((word) => isEntry(word, cwd, facts, guard))
  return at < 0 ? undefined : findLoosening(args.slice(at + 1))
}

/** The script of an interpreter comes after a few options at most. */
const MAX_RUNNER_ARGS = 12
const RUNNERS = new Set(
  'node nodejs deno bun tsx sh bash zsh dash ash ksh mksh fish source . python perl ruby npx'.split(' '),
)

function isEntry(word: Word, cwd: string | undefined, facts: Facts, guard: Guard): boolean {
  if (word.text.endsWith('/bin/arc') || word.text === 'bin/arc') return true
  const found = findGuarded(word, cwd, facts, guard)
  if (found?.guarded.isInside !== true) return false
  const { kind } = found.guarded
  return (
    kind === 'launcher' ||
    (kind === 'package' && /(?:\/arc|\/main\.[cm]?js|\/arc-supervisor)$/.test(found.guarded.path))
  )
}

// Words in the names of read-only tools.
const READING =
  /(?:^|[^a-z])(?:read|get|list|view|show|cat|search|grep|glob|find|stat|info|fetch|ls|head|tail|diff|open|describe|tree|inspect)/i

/** The same for files that a tool names. */
export function toolTouchesGuarded({ kind, file, cwd, location, by }: Access, facts: Facts): TestResult {
  if (location !== 'local') return undefined
  const use: PathUse = { kind: kind === 'read' ? findReadKind(by) : kind, file }
  const found = findGuarded(file, cwd, facts, findGuard(facts))
  return found === undefined ? undefined : classifyUse(use, found)
}

function findReadKind(by: string): PathUseKind {
  if (/(?:^|_)(?:ls|list|glob|find|stat|tree)/i.test(by)) return 'list'
  return READING.test(by) || isKnownProgram(by) ? 'read' : 'unknown'
}
