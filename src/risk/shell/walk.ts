// The walk over a script: lists, pipes, groups, loops, branches, functions, substitutions.
// It finds what runs and in which state of the shell; what a single command means is decided in command.ts.

import type {
  AndOr,
  CommandExpansionPart,
  CommandNode,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  ProcessSubstitutionPart,
  Redirected,
  Statement,
} from 'unbash'
import type { Span } from '../assessment.ts'
import { runCommand } from './command.ts'
import { runCompound } from './compound.ts'
import { type Frame, NOWHERE, noteUnknown, type Output, spanAt, type Walk } from './context.ts'
import type { Input, ShellCommand } from './execution.ts'
import { clip, MAX_DEPTH, MAX_FROM, MAX_VALUE_CHARS, spend, spendParsing } from './limits.ts'
import { noteErrors, parseScript } from './parse.ts'
import { expandRedirects, UNSEEN } from './redirects.ts'
import { mergeValues, type Scope, type Value } from './scope.ts'

/** Runs a text as a script; its frame says where the text came from. */
export function runScript(walk: Walk, text: string, frame: Frame, scope: Scope): Output {
  if (text.trim() === '') return ''
  if (isTooDeep(walk, frame, spanAt(frame, 0, text.length))) return undefined
  const inner = frame.source === text ? frame : { ...frame, source: text }
  const script = parseScript(walk, text, inner)
  return script && runStatements(walk, script.commands, inner, scope)
}

/** Runs statements one after the other in the same shell. */
function runStatements(walk: Walk, statements: readonly Statement[], frame: Frame, scope: Scope): Output {
  let output: Output = ''
  for (const statement of statements) {
    if (walk.isExhausted) return undefined
    const printed = runStatement(walk, statement, frame, scope)
    output = joinOutput(output, printed)
  }
  return output
}

export function runList(walk: Walk, list: CompoundList, frame: Frame, scope: Scope): Output {
  return runStatements(walk, list.commands, frame, scope)
}

/** The value of `$( )`, backquotes or `<( )`: what the script prints, and the commands in it. */
export function runSubstitution(
  walk: Walk,
  part: Pick<CommandExpansionPart | ProcessSubstitutionPart, 'text' | 'pos' | 'end'> & {
    readonly type: string
    readonly operator?: string
    readonly script: ParsedScript | undefined
  },
  frame: Frame,
  scope: Scope,
): Value {
  const span = spanAt(frame, part.pos, part.end)
  const asWritten: Value = { text: part.text, isKnown: false }
  if (isTooDeep(walk, frame, span) || !spendParsing(walk, (part.end - part.pos) * (frame.depth + 1), span))
    return asWritten
  const script = readScript(walk, part, span)
  if (!script) return asWritten
  const inner: Frame = {
    ...frame,
    source: script.source ?? frame.source,
    origin: script.source === undefined ? frame.origin : span,
    via: [...frame.via, part.type === 'ProcessSubstitution' ? '<( )' : '$( )'],
    redirects: NOWHERE,
    // What is written to `>( )` is not known before the command that writes it.
    input: part.operator === '>' ? UNSEEN : frame.input,
    depth: frame.depth + 1,
  }
  noteErrors(walk, script, inner, span)
  const start = walk.commands.length
  const saved = [walk.choice, walk.choicesSeen] as const
  const output = runStatements(walk, script.commands, inner, scope.copy())
  walk.choice = saved[0]
  walk.choicesSeen = saved[1]
  const from = walk.commands.slice(start, start + MAX_FROM)
  if (output === undefined) return { ...asWritten, from }
  return { text: stripNewlines(output), isKnown: true, from: from.length > 0 ? from : undefined }
}

// The parser reads a nested script on first access, and may overflow there.
function readScript(
  walk: Walk,
  part: { readonly text: string; readonly script: ParsedScript | undefined },
  span: Span,
): ParsedScript | undefined {
  try {
    const { script } = part
    if (!script) noteUnknown(walk, { why: 'syntax', span, text: clip(part.text) })
    return script
  } catch {
    // The only error it throws is an overflow of the stack.
    noteUnknown(walk, { why: 'too-deep', span, text: clip(part.text) })
    return undefined
  }
}

function stripNewlines(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--
  return text.slice(0, end)
}

/** Whether nesting has gone beyond the limit, which is noted. */
export function isTooDeep(walk: Walk, frame: Frame, span: Span): boolean {
  if (frame.depth <= MAX_DEPTH) return false
  noteUnknown(walk, { why: 'too-deep', span, text: clip(walk.text.slice(span.start, span.end)) })
  return true
}

function runStatement(walk: Walk, statement: Statement, frame: Frame, scope: Scope): Output {
  const { command } = statement
  const isBackground = statement.background === true
  const inner = isBackground && !frame.isBackground ? { ...frame, isBackground } : frame
  const shell = isBackground ? scope.copy() : scope
  return command.type === 'AndOr' ? runAndOr(walk, command, inner, shell) : runNode(walk, command, inner, shell)
}

function joinOutput(before: Output, next: Output): Output {
  if (before === undefined || next === undefined || before.length + next.length > MAX_VALUE_CHARS) return undefined
  return before + next
}

// The right side of && and || may not run: what it sets is one of two values. Where the left side of || was a cd, the
// right side runs only if that failed.
function runAndOr(walk: Walk, node: AndOr, frame: Frame, scope: Scope): Output {
  let output: Output = ''
  let folderBefore = scope.cwd
  for (const [index, command] of node.commands.entries()) {
    if (walk.isExhausted) return undefined
    const isElse = index > 0 && node.operators[index - 1] === '||'
    const folderAfter = scope.cwd
    const variables = index > 0 && scope.variables.size > 0 ? new Map(scope.variables) : undefined
    if (isElse) scope.cwd = folderBefore
    const printed = runNode(walk, command, frame, scope)
    output = joinOutput(output, printed)
    if (isElse) scope.cwd = scope.cwd === folderBefore || scope.cwd === folderAfter ? folderAfter : undefined
    folderBefore = folderAfter
    if (variables) keepOthers(scope, variables)
  }
  return node.operators.includes('||') ? undefined : output
}

function keepOthers(scope: Scope, before: ReadonlyMap<string, Value>): void {
  for (const [name, old] of before) {
    const now = scope.variables.get(name)
    const merged = now && now !== old ? mergeValues([now, old]) : undefined
    if (merged) scope.variables.set(name, merged)
  }
}

/** Runs one command of any kind. */
export function runNode(walk: Walk, node: PipelineNode, frame: Frame, scope: Scope): Output {
  const span = spanAt(frame, node.pos, node.end)
  if (!spend(walk, 1, span)) return undefined
  switch (node.type) {
    case 'Command':
      return runCommand(walk, node, frame, scope)
    case 'Pipeline':
      return runPipeline(walk, node, frame, scope)
    case 'Redirected':
      return runRedirected(walk, node, frame, scope)
    default:
      if (isTooDeep(walk, frame, span)) return undefined
      return runCompound(walk, node, { ...frame, depth: frame.depth + 1 }, scope)
  }
}

function runRedirected(walk: Walk, node: Redirected, frame: Frame, scope: Scope): Output {
  const around = expandRedirects(walk, node.redirects, frame, scope)
  const start = walk.commands.length
  const inner: Frame = {
    ...frame,
    redirects: [...frame.redirects, ...around.redirects],
    input: around.input ?? frame.input,
  }
  const output = runNode(walk, node.command, inner, scope)
  return around.writeTo(scope, output, walk.commands.slice(start, start + MAX_FROM))
}

function runPipeline(walk: Walk, node: Pipeline, frame: Frame, scope: Scope): Output {
  const isTimed = node.prefixes.some((prefix) => prefix.type === 'Time')
  const inner = isTimed ? { ...frame, via: [...frame.via, 'time'] } : frame
  if (node.commands.length === 1 && node.commands[0]) return runNode(walk, node.commands[0], inner, scope)
  return runSegments(walk, node.commands, inner, scope)
}

function runSegments(walk: Walk, commands: readonly CommandNode[], frame: Frame, scope: Scope): Output {
  let input: Input | undefined = frame.input
  let output: Output
  const before: ShellCommand[] = []
  for (const [index, command] of commands.entries()) {
    if (walk.isExhausted) return undefined
    const shell = scope.copy()
    const start = walk.commands.length
    output = runNode(walk, command, input === frame.input ? frame : { ...frame, input }, shell)
    before.unshift(...walk.commands.slice(start, start + MAX_FROM).reverse())
    before.length = Math.min(before.length, MAX_FROM)
    input = { from: before.slice(), text: output }
    // Some shells run the last part of a pipe themselves: `echo rm | read x; $x`.
    if (index === commands.length - 1) adoptVariables(scope, shell)
  }
  return output
}

function adoptVariables(scope: Scope, shell: Scope): void {
  for (const [name, value] of shell.variables) {
    const old = scope.variables.get(name)
    const merged = old === value ? undefined : mergeValues(old ? [old, value] : [value])
    if (merged) scope.variables.set(name, merged)
  }
}
