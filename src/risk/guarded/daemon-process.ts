// Commands that kill, stop or attach to the daemon of ARC.

import type { OwnProcess } from '../../engine/guarded-paths.ts'
import { type Call, findOption } from '../call.ts'
import type { Facts, Hit, TestResult } from '../rule.ts'
import type { ShellCommand, Word } from '../shell/execution.ts'
import { findGuard } from './default-guard.ts'
import { findGuarded } from './find-guarded.ts'
import { pathsInText } from './path-use.ts'

const SERVICES = /^arc(?:-supervisor|-daemon|@[\w-]*)?(?:\.(?:service|socket|timer|scope))?\*?$/
const QUERIES = new Set('status is-active is-enabled show cat list-units list-unit-files list print'.split(' '))

/** Whether the command stops the daemon, or may stop it. */
export function stopsDaemon(call: Call, facts: Facts): TestResult {
  const { process } = findGuard(facts)
  switch (call.name) {
    case 'kill':
    case 'skill':
    case 'gdb':
    case 'strace':
    case 'ltrace':
    case 'reptyr':
    case 'prlimit':
    case 'renice':
      return checkKillByPid(call, process, facts)
    case 'pkill':
    case 'killall':
      return checkKillByName(call, process)
    default:
      return QUERIES.has(call.operands[0]?.text ?? '') ? undefined : checkServiceStop(call)
  }
}

function checkServiceStop(call: Call): TestResult {
  return call.operands.find(({ text }) => SERVICES.test(text) || /(?:^|[./])arc-supervisor\b/.test(text))
}

function checkKillByPid(call: Call, process: OwnProcess | undefined, facts: Facts): TestResult {
  const isKill = call.name === 'kill' || call.name === 'skill'
  const guard = findGuard(facts)
  const fed = call.command.redirects.find(
    ({ target }) => findGuarded(target, call.command.cwd, facts, guard)?.guarded.kind === 'home',
  )
  if (isKill && fed !== undefined) return fed.target
  for (const word of call.command.args) {
    if (process !== undefined && /^-?\d+$/.test(word.text) && Math.abs(Number(word.text)) === process.pid)
      return { at: word.span, reason: `Acts on process ${process.pid}, the daemon of ARC.` }
    if (word.isKnown || !isKill) continue
    const hit = checkSubstitution(word, process, facts)
    if (hit !== undefined) return hit
  }
  if (!isKill || process === undefined) return undefined
  const all = call.command.args.slice(1).find(({ text }) => text === '-1')
  return all === undefined ? undefined : { at: all.span, reason: 'Kills every process, including the daemon of ARC.' }
}

// `kill $(pidof node)`: the substitution names the process.
function checkSubstitution({ text, span, from }: Word, process: OwnProcess | undefined, facts: Facts): Hit | undefined {
  if (text.includes('arc.pid')) return { at: span }
  for (const command of from ?? []) {
    const hit = checkSearch(command, span, process, facts)
    if (hit !== undefined) return hit
  }
  const pattern = /(?:pidof|pgrep)\s+(?:-\w+\s+)*["']?([^"')`]+)/.exec(text)?.[1]?.trim()
  if (pattern !== undefined && namesArc(pattern)) return { at: span }
  if (pattern !== undefined && process !== undefined && matchesProcess(pattern, process, true))
    return makeUncertainHit(span)
  const guard = findGuard(facts)
  const named = pathsInText(text, span).some(
    (path) => findGuarded(path, undefined, facts, guard)?.guarded.isInside === true,
  )
  return named || /\b(?:lsof|fuser|ss)\b.*arc\b/.test(text) ? makeUncertainHit(span) : undefined
}

// `pgrep node | xargs kill`, `ps aux | grep arc | … | xargs kill`
function checkSearch(
  { name, args, cwd }: ShellCommand,
  span: Word['span'],
  process: OwnProcess | undefined,
  facts: Facts,
): Hit | undefined {
  const isSearch = ['pgrep', 'pidof', 'grep', 'egrep', 'rg', 'awk'].includes(name ?? '')
  const guard = findGuard(facts)
  for (const word of args) {
    if (word.text.startsWith('-')) continue
    const pattern = word.text.replace(/[[\]]/g, '')
    if (isSearch && namesArc(pattern)) return { at: span }
    if (isSearch && name !== 'awk' && process !== undefined && matchesProcess(pattern, process, true))
      return makeUncertainHit(span)
    if (!isSearch && findGuarded(word, cwd, facts, guard)?.guarded.isInside === true) return makeUncertainHit(span)
  }
  return undefined
}

function checkKillByName(call: Call, process: OwnProcess | undefined): TestResult {
  const isWholeLine = call.options.some(({ name }) => name === '-f' || name === '--full')
  for (const word of call.operands) {
    if (namesArc(word.text)) return word
    if (process !== undefined && matchesProcess(word.text, process, isWholeLine)) return makeUncertainHit(word.span)
  }
  const isEverybody =
    findOption(call, ['-u', '-U', '--euid', '--uid', '--user', '-t', '-s', '-g', '-G', '-P', '--parent']) !== undefined
  return process !== undefined && isEverybody && call.operands.length === 0
    ? makeUncertainHit(call.command.span)
    : undefined
}

function makeUncertainHit(at: Word['span']): Hit {
  return {
    at,
    tier: 4,
    isUncertain: true,
    reason: 'Kills processes by name. The daemon of ARC may be one of them.',
  }
}

function namesArc(pattern: string): boolean {
  return (
    ['arc', 'arc-supervisor', 'arc-daemon', 'arc.service'].includes(pattern.replace(/^[\^/]+|\$$/g, '')) ||
    pattern.includes('arc serve') ||
    pattern.includes('arc-supervisor') ||
    pattern.includes('bin/arc') ||
    pattern.includes('arc.pid')
  )
}

// Whether the literal parts of a pattern occur in order in the name or the command line.
function matchesProcess(pattern: string, { name, commandLine }: OwnProcess, isWholeLine: boolean): boolean {
  const line = isWholeLine ? commandLine : `${name} ${commandLine.split(' ')[0]?.split('/').at(-1) ?? ''}`
  let at = 0
  for (const part of pattern.split(/[^\w/ -]+/).filter(Boolean)) {
    const next = line.indexOf(part, at)
    if (next < 0) return false
    at = next + part.length
  }
  return true
}
