// Texts in which one command names a guarded path and another changes files whose names are not known until it runs.

import { readCall } from '../call.ts'
import { expandStartOf } from '../places.ts'
import type { Facts, Hit, TestResult } from '../rule.ts'
import type { Execution, ShellCommand, Word } from '../shell/execution.ts'
import { lookUp } from './lookup.ts'
import { guardOf } from './named-set.ts'
import { usesOf } from './programs.ts'
import { findsGuarded, searchedFolders } from './searches.ts'
import { pathsInText, type UseKind } from './use.ts'

const CHANGING: ReadonlySet<UseKind> = new Set(['write', 'delete', 'replace', 'fill', 'mode', 'unknown'])

/** Does the text pass guarded names on to a command that changes files? */
export function passesNamesOn(execution: Execution, facts: Facts): TestResult {
  if (execution.commands.length < 2) return undefined
  const commands = execution.commands.filter(({ isDormant, place }) => isDormant !== true && place === 'local')
  const run = commands.find(({ runsOutputOf }) => runsOutputOf !== undefined)
  if (run !== undefined && commands.some((command) => printsGuarded(command, facts))) return hitOn(run)
  const changed = commands.map((command) => unknownTarget(command, facts)).find((word) => word !== undefined)
  if (changed === undefined) return undefined
  const named = commands.some((command) => namesGuarded(command, facts))
  return named || asksForArc(commands) ? hitOn(changed) : undefined
}

function hitOn({ span }: Pick<Word, 'span'>): Hit {
  return {
    at: span,
    reason: 'It changes files whose names are not known until it runs, and names files of the supervision beside that.',
  }
}

// A file that is changed and whose name or folder is not known.
function unknownTarget(command: ShellCommand, facts: Facts): Word | undefined {
  const { args, redirects, cwd, via } = command
  const isListed = via.some((step) => /^(?:find|fd|xargs|parallel)/.test(step))
  const isOpen = ({ isKnown, text }: Word): boolean =>
    !isKnown || text === 'arc' || cwd === undefined || (isListed && text.includes('{}'))
  if (!args.some(isOpen) && !redirects.some(({ target }) => isOpen(target))) return undefined
  const guard = guardOf(facts)
  const isUnknown = ({ isKnown, text }: Word): boolean => {
    if (isListed && text.includes('{}')) return true
    if (cwd === undefined && !/^[/~$`-]/.test(text)) return guard.roots.some(({ path }) => path.endsWith(`/${text}`))
    return !isKnown && /^[$`]/.test(text) && expandStartOf(text, cwd, facts, guard.variables) === undefined
  }
  return usesOf(readCall(command)).find(
    ({ kind, file }) => CHANGING.has(kind) && kind !== 'unknown' && (isUnknown(file) || file.text === 'arc'),
  )?.file
}

// `{ cat; echo 'rm -rf ~/.arc'; } | sh`: text with a guarded path goes to something that runs it.
function printsGuarded({ name, args, cwd }: ShellCommand, facts: Facts): boolean {
  if (name !== 'echo' && name !== 'printf') return false
  const guard = guardOf(facts)
  return args.some(({ text, span }) =>
    pathsInText(text, span).some((path) => lookUp(path, cwd, facts, guard)?.guarded.isInside === true),
  )
}

function namesGuarded(command: ShellCommand, facts: Facts): boolean {
  const guard = guardOf(facts)
  const call = readCall(command)
  return [...usesOf(call), ...searchedFolders(call)].some(({ file }) => {
    const found = lookUp(file, command.cwd, facts, guard)
    if (found === undefined) return false
    return found.guarded.isInside || found.guarded.isNear || findsGuarded(call, found.path, guard)
  })
}

// `rm "$(which arc)"`
function asksForArc(commands: readonly ShellCommand[]): boolean {
  return commands.some(
    ({ name, args }) =>
      ['which', 'command', 'type', 'whereis', 'realpath', 'readlink'].includes(name ?? '') &&
      args.some(({ text }) => text === 'arc'),
  )
}
