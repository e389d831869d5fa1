// One simple command: expansion, then whatever its program is known to do with its arguments.

import type { Assignment, Command } from 'unbash'
import { assign, readAssignment, store } from './assign.ts'
import { runCode, runsOutput } from './code.ts'
import { runBody } from './compound.ts'
import { type Call, type Field, type Frame, makeField, noteUnknown, type Output, spanAt, type Walk } from './context.ts'
import type { Redirect, ShellCommand, Word } from './execution.ts'
import { languageOf, runSnippet } from './interpreters.ts'
import { clip, MAX_FROM } from './limits.ts'
import { printedBy } from './outputs.ts'
import { baseName } from './paths.ts'
import { findProgram } from './programs.ts'
import { expandRedirects } from './redirects.ts'
import type { Definition, Scope, Value } from './scope.ts'
import { fileCode } from './shells.ts'
import { isTooDeep, runScript } from './walk.ts'
import { expandWord } from './words.ts'

/** Choices between possible values of variables that are followed for one command. */
const MAX_CHOICES = 4

/** Runs a simple command, once for each value that its variables may have. */
export function runCommand(walk: Walk, node: Command, frame: Frame, scope: Scope): Output {
  const alias = readAlias(node, scope)
  if (alias !== undefined) return runAlias(walk, node, alias, frame, scope)
  const { choice, choicesSeen } = walk
  walk.choicesSeen = 0
  walk.choice = 0
  let output = runOnce(walk, node, frame, scope)
  const others = node.name ? Math.min(walk.choicesSeen, MAX_CHOICES) : 0
  for (let other = 1; other <= others && !walk.isExhausted; other++) {
    walk.choice = other
    runOnce(walk, node, frame, scope)
    output = undefined
  }
  walk.choice = choice
  walk.choicesSeen = Math.max(choicesSeen, others)
  return output
}

function runOnce(walk: Walk, node: Command, frame: Frame, scope: Scope): Output {
  const fields: Field[] = []
  if (node.name) expandWord(walk, node.name, frame, scope, fields)
  const assignments: [string, Value, Field][] = []
  for (const argument of node.args) {
    if (argument.type === 'Word') expandWord(walk, argument, frame, scope, fields)
    else fields.push(expandArgument(walk, argument, frame, scope, assignments))
  }
  // All arguments are read before the first is set: `declare A=echo B=$A`.
  for (const [name, value, field] of assignments) store(walk, name, value, field.span, scope)
  const around = expandRedirects(walk, node.redirects, frame, scope)
  const redirects: readonly Redirect[] =
    around.redirects.length > 0 ? [...frame.redirects, ...around.redirects] : frame.redirects
  const span = spanAt(frame, node.pos, node.end)
  const isBare = fields.length === 0
  const restore = applyPrefix(walk, node, frame, scope, isBare)
  const start = walk.commands.length
  const call: Call = { fields, span, redirects, input: around.input ?? frame.input, env: restore.env, frame, scope }
  if (around.descriptors && (isBare || fields[0]?.text === 'exec')) {
    for (const [descriptor, feed] of around.descriptors) scope.descriptors.set(descriptor, feed)
  }
  const output = isBare ? runBare(walk, call, node) : runCall(walk, call)
  restore.undo()
  return around.writeTo(scope, output, walk.commands.slice(start, start + MAX_FROM))
}

// `export A=b` and `declare A=b`: the argument is one word whatever its value holds.
function expandArgument(
  walk: Walk,
  node: Assignment,
  frame: Frame,
  scope: Scope,
  assignments: [string, Value, Field][],
): Field {
  const value = readAssignment(walk, node, frame, scope)
  const text = `${node.name}${node.append ? '+' : ''}=${value.text}`
  const field = { ...makeField(text, spanAt(frame, node.pos, node.end), value.isKnown), from: value.from }
  assignments.push([node.name, value, field])
  return field
}

interface Prefix {
  readonly env: ReadonlyMap<string, Word>
  readonly undo: () => void
}

const nothing = (): void => undefined

// Assignments before a command hold while it runs, those without one for good.
function applyPrefix(walk: Walk, node: Command, frame: Frame, scope: Scope, isBare: boolean): Prefix {
  if (node.prefix.length === 0) return { env: scope.exported, undo: nothing }
  const before: [string, Value | undefined][] = []
  let env: Map<string, Word> | undefined
  for (const prefix of node.prefix) {
    if (prefix.type !== 'Assignment') continue
    before.push([prefix.name, scope.variables.get(prefix.name)])
    const value = assign(walk, prefix, frame, scope)
    env ??= new Map(scope.exported)
    env.set(prefix.name, makeField(value.text, spanAt(frame, prefix.pos, prefix.end), value.isKnown))
  }
  const undo = () => {
    for (const [name, value] of before) {
      if (value) scope.variables.set(name, value)
      else scope.variables.delete(name)
    }
  }
  return { env: env ?? scope.exported, undo: isBare ? nothing : undo }
}

function runBare(walk: Walk, call: Call, node: Command): Output {
  if (call.redirects.length > call.frame.redirects.length) {
    emit(walk, { ...call, fields: [makeField(':', call.span)] })
    // `$(<file)` prints the file.
    if (call.redirects.every((redirect) => redirect.operator === '<')) return call.input?.text
  }
  return node.name ? undefined : ''
}

/** Runs a command whose words are known: by its function, by what its program does, or as it is. */
export function runCall(walk: Walk, call: Call): Output {
  const [first] = call.fields
  if (!first) return ''
  if (isTooDeep(walk, call.frame, call.span)) return undefined
  if (!first.isKnown || (first.isGlob && first.text.length > 1)) return runDynamic(walk, call, first)
  const definition = call.scope.functions.get(first.text)
  if (definition) return runFunction(walk, call, first.text, definition)
  const run = findProgram(baseName(first.text))
  if (run) return run(walk, call, baseName(first.text))
  if (call.scope.files.size > 0 && first.text.includes('/')) return runOwnFile(walk, call, first)
  emit(walk, call)
  return printedBy(call)
}

// A program that the text itself wrote or fetched: `curl -o x …; chmod +x x; ./x`.
function runOwnFile(walk: Walk, call: Call, first: Field): Output {
  const code = fileCode(call, first)
  emit(walk, call, runsOutput(code))
  if (!code) return undefined
  const interpreter = code.isKnown ? /^#!.*\/(?:env\s+(?:-S\s+)?)?([\w.-]+)/.exec(code.text)?.[1] : undefined
  const language = interpreter && languageOf(interpreter)
  const scope = call.scope.copy()
  scope.positional = call.fields.slice(1)
  if (!language) return runCode(walk, call, code, baseName(first.text), scope)
  runSnippet(walk, call, code, language, baseName(first.text))
  return undefined
}

/** Adds a command to what would run. */
export function emit(walk: Walk, call: Call, extra?: Partial<ShellCommand>): ShellCommand {
  const [first, ...args] = call.fields
  const { frame, scope, span, redirects, input, env } = call
  const command: ShellCommand = {
    name: first?.isKnown && !(first.isGlob && first.text.length > 1) ? baseName(first.text) : undefined,
    ...(first?.isKnown && first.text.includes('/') && { path: first.text }),
    args,
    span,
    redirects,
    input,
    cwd: scope.cwd,
    via: frame.via,
    place: frame.place,
    env,
    ...(frame.isDormant && { isDormant: true }),
    ...(frame.isBackground && { isBackground: true }),
    ...(frame.isEndless && { isEndless: true }),
    ...extra,
  }
  walk.commands.push(command)
  return command
}

function runDynamic(walk: Walk, call: Call, first: Field): Output {
  const { from } = first
  noteUnknown(walk, { why: 'dynamic-command', span: call.span, text: clip(first.text), ...(from?.length && { from }) })
  emit(walk, call, from?.length ? { runsOutputOf: from } : undefined)
  return undefined
}

// A function that calls itself is followed once.
function runFunction(walk: Walk, call: Call, name: string, definition: Definition): Output {
  walk.called.add(definition.node)
  if (walk.calling.has(definition.node)) {
    emit(walk, call, { isRecursive: true })
    return undefined
  }
  const { scope } = call
  const { positional } = scope
  scope.positional = call.fields.slice(1)
  walk.calling.add(definition.node)
  const inner: Frame = {
    ...call.frame,
    source: definition.frame.source,
    origin: definition.frame.origin,
    via: [...call.frame.via, `${name}()`],
    redirects: call.redirects,
    input: call.input,
    depth: call.frame.depth + 1,
  }
  const output = runBody(walk, definition.node.body, inner, scope)
  walk.calling.delete(definition.node)
  scope.positional = positional
  return output
}

function readAlias(node: Command, scope: Scope): string | undefined {
  if (scope.aliases.size === 0 || !node.name || node.name.text !== node.name.value) return undefined
  return scope.aliases.get(node.name.text)
}

// An alias is replaced in the text, so what it stands for may be any beginning of a command.
function runAlias(walk: Walk, node: Command, alias: string, frame: Frame, scope: Scope): Output {
  const { name } = node
  if (!name) return undefined
  const span = spanAt(frame, node.pos, node.end)
  const before = frame.source.slice(node.pos, name.pos)
  const text = `${before}${alias}${frame.source.slice(name.end, node.end)}`
  scope.aliases.delete(name.text)
  const inner: Frame = { ...frame, source: text, origin: span, via: [...frame.via, 'alias'], depth: frame.depth + 1 }
  const output = runScript(walk, text, inner, scope)
  scope.aliases.set(name.text, alias)
  return output
}

/** The same call without its wrapper: some words fewer, one more in `via`. */
export function unwrap(call: Call, fields: readonly Field[], via: string, frame?: Partial<Frame>): Call {
  const inner = { ...call.frame, ...frame, via: [...call.frame.via, via], depth: call.frame.depth + 1 }
  return { ...call, fields, frame: inner }
}
