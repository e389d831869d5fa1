// Texts in which one command names a guarded path and another changes files that are only known at run time.

import { readCall } from '../call.ts'
import { expandPathStart } from '../path-class.ts'
import type { Facts, Hit, TestResult } from '../rule.ts'
import type { Execution, ShellCommand, Word } from '../shell/execution.ts'
import { findGuard } from './default-guard.ts'
import { findGuarded } from './find-guarded.ts'
import { type PathUseKind, pathsInText } from './path-use.ts'
import { findPathUses } from './program-uses.ts'
import { findsGuarded, searchedFolders } from './searched-folders.ts'

const CHANGING: ReadonlySet<PathUseKind> = new Set(['write', 'delete', 'replace', 'fill', 'mode', 'unknown'])

/** Whether the text passes guarded paths to a command that changes files. */
export function changesUnknownFiles(execution: Execution, facts: Facts): TestResult {
  if (execution.commands.length < 2) return undefined
  const commands = execution.commands.filter(({ isDormant, location }) => isDormant !== true && location === 'local')
  const run = commands.find(({ runsOutputOf }) => runsOutputOf !== undefined)
  if (run !== undefined && commands.some((command) => printsGuarded(command, facts))) return makeTargetHit(run)
  const changed = commands.map((command) => findUnknownTarget(command, facts)).find((word) => word !== undefined)
  if (changed === undefined) return undefined
  const named = commands.some((command) => namesGuarded(command, facts))
  return named || looksUpArc(commands) ? makeTargetHit(changed) : undefined
}

function makeTargetHit({ span }: Pick<Word, 'span'>): Hit {
  return {
    at: span,
    reason: 'Changes files whose paths are only known at run time, and names files of the supervision.',
  }
}

// A changed file whose name or folder is unknown.
function findUnknownTarget(command: ShellCommand, facts: Facts): Word | undefined {
  const { args, redirects, cwd, via } = command
  const isListed = via.some((step) => /^(?:find|fd|xargs|parallel)/.test(step))
  const isOpen = ({ isKnown, text }: Word): boolean =>
    !isKnown || text === 'arc' || cwd === undefined || (isListed && text.includes('{}'))
  if (!args.some(isOpen) && !redirects.some(({ target }) => isOpen(target))) return undefined
  const guard = findGuard(facts)
  const isUnknown = ({ isKnown, text }: Word): boolean => {
    if (isListed && text.includes('{}')) return true
    if (cwd === undefined && !/^[/~$`-]/.test(text)) return guard.roots.some(({ path }) => path.endsWith(`/${text}`))
    return !isKnown && /^[$`]/.test(text) && expandPathStart(text, cwd, facts, guard.variables) === undefined
  }
  return findPathUses(readCall(command)).find(
    ({ kind, file }) => CHANGING.has(kind) && kind !== 'unknown' && (isUnknown(file) || file.text === 'arc'),
  )?.file
}

// `{ cat; echo 'rm -rf ~/.arc'; } | sh`: text with a guarded path goes to a shell.
function printsGuarded({ name, args, cwd }: ShellCommand, facts: Facts): boolean {
  if (name !== 'echo' && name !== 'printf') return false
  const guard = findGuard(facts)
  return args.some(({ text, span }) =>
    pathsInText(text, span).some((path) => findGuarded(path, cwd, facts, guard)?.guarded.isInside === true),
  )
}

function namesGuarded(command: ShellCommand, facts: Facts): boolean {
  const guard = findGuard(facts)
  const call = readCall(command)
  return [...findPathUses(call), ...searchedFolders(call)].some(({ file }) => {
    const found = findGuarded(file, command.cwd, facts, guard)
    if (found === undefined) return false
    return found.guarded.isInside || found.guarded.isNear || findsGuarded(call, found.path, guard)
  })
}

// `rm "$(which arc)"`
function looksUpArc(commands: readonly ShellCommand[]): boolean {
  return commands.some(
    ({ name, args }) =>
      ['which', 'command', 'type', 'whereis', 'realpath', 'readlink'].includes(name ?? '') &&
      args.some(({ text }) => text === 'arc'),
  )
}
