// Runs one simple command: expands its words, then runs its function or its entry in the table of programs.

import type { Assignment, Command } from 'unbash'
import type { Redirect, Word } from './execution.ts'
import { assign, readAssignment } from './expansion/assignments.ts'
import { expandRedirects } from './expansion/redirects.ts'
import { expandWord } from './expansion/words.ts'
import { type Field, type Frame, makeField, type Output, spanAt } from './frame.ts'
import type { InterpreterPort } from './interpreter-port.ts'
import type { ShellInvocation } from './invocation.ts'
import { clipUnknownText, MAX_FROM } from './limits.ts'
import { runsOutput } from './nested-code.ts'
import { baseName } from './paths.ts'
import { findInterpreterLanguage, runSnippet } from './programs/code-interpreters.ts'
import { computeOutput } from './programs/printed-text.ts'
import { fileCode } from './programs/shells.ts'
import { findProgram } from './programs/table.ts'
import type { Definition, Scope, Value } from './scope.ts'

/** Number of alternative variable values that are tried for one command. */
const MAX_CHOICES = 4

/** Runs a simple command, once for each possible value of its variables. */
export function runSimpleCommand(shell: InterpreterPort, node: Command, frame: Frame, scope: Scope): Output {
  const alias = readAlias(node, scope)
  if (alias !== undefined) return runAlias(shell, node, alias, frame, scope)
  const { choice, choicesSeen } = shell.analysis
  shell.analysis.choicesSeen = 0
  shell.analysis.choice = 0
  let output = runOnce(shell, node, frame, scope)
  const others = node.name ? Math.min(shell.analysis.choicesSeen, MAX_CHOICES) : 0
  for (let other = 1; other <= others && !shell.analysis.isExhausted; other++) {
    shell.analysis.choice = other
    runOnce(shell, node, frame, scope)
    output = undefined
  }
  shell.analysis.choice = choice
  shell.analysis.choicesSeen = Math.max(choicesSeen, others)
  return output
}

function runOnce(shell: InterpreterPort, node: Command, frame: Frame, scope: Scope): Output {
  const fields: Field[] = []
  if (node.name) expandWord(shell, node.name, frame, scope, fields)
  const assignments: [string, Value, Field][] = []
  for (const argument of node.args) {
    if (argument.type === 'Word') expandWord(shell, argument, frame, scope, fields)
    else fields.push(expandArgument(shell, argument, frame, scope, assignments))
  }
  // All arguments are read before the first is set: `declare A=echo B=$A`.
  for (const [name, value, field] of assignments) shell.setVariable(name, value, field.span, scope)
  const around = expandRedirects(shell, node.redirects, frame, scope)
  const redirects: readonly Redirect[] =
    around.redirects.length > 0 ? [...frame.redirects, ...around.redirects] : frame.redirects
  const span = spanAt(frame, node.pos, node.end)
  const isBare = fields.length === 0
  const restore = applyPrefix(shell, node, frame, scope, isBare)
  const start = shell.analysis.commands.length
  const call: ShellInvocation = {
    fields,
    span,
    redirects,
    input: around.input ?? frame.input,
    env: restore.env,
    frame,
    scope,
  }
  if (around.descriptors && (isBare || fields[0]?.text === 'exec')) {
    for (const [descriptor, feed] of around.descriptors) scope.descriptors.set(descriptor, feed)
  }
  const output = isBare ? runBare(shell, call, node) : shell.runCall(call)
  restore.undo()
  return around.writeTo(scope, output, shell.analysis.commands.slice(start, start + MAX_FROM))
}

// `export A=b` and `declare A=b`: the argument is one word, without splitting.
function expandArgument(
  shell: InterpreterPort,
  node: Assignment,
  frame: Frame,
  scope: Scope,
  assignments: [string, Value, Field][],
): Field {
  const value = readAssignment(shell, node, frame, scope)
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

// Assignments before a command apply while it runs; assignments without a command stay.
function applyPrefix(shell: InterpreterPort, node: Command, frame: Frame, scope: Scope, isBare: boolean): Prefix {
  if (node.prefix.length === 0) return { env: scope.exported, undo: nothing }
  const before: [string, Value | undefined][] = []
  let env: Map<string, Word> | undefined
  for (const prefix of node.prefix) {
    if (prefix.type !== 'Assignment') continue
    before.push([prefix.name, scope.variables.get(prefix.name)])
    const value = assign(shell, prefix, frame, scope)
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

function runBare(shell: InterpreterPort, call: ShellInvocation, node: Command): Output {
  if (call.redirects.length > call.frame.redirects.length) {
    shell.emit({ ...call, fields: [makeField(':', call.span)] })
    // `$(<file)` prints the file.
    if (call.redirects.every((redirect) => redirect.operator === '<')) return call.input?.text
  }
  return node.name ? undefined : ''
}

/** Runs a command after expansion: its function, its entry in the table of programs, or the plain command. */
export function runCall(shell: InterpreterPort, call: ShellInvocation): Output {
  const [first] = call.fields
  if (!first) return ''
  if (shell.analysis.isTooDeep(call.frame, call.span)) return undefined
  if (!first.isKnown || (first.isGlob && first.text.length > 1)) return runDynamic(shell, call, first)
  const definition = call.scope.functions.get(first.text)
  if (definition) return runFunction(shell, call, first.text, definition)
  const plain = zshName(first.text)
  if (plain) return runCall(shell, { ...call, fields: [{ ...first, text: plain }, ...call.fields.slice(1)] })
  const run = findProgram(baseName(first.text))
  if (run) return run(shell, call, baseName(first.text))
  if (first.text.includes('/') && (call.scope.files.size > 0 || shell.analysis.sources))
    return runOwnFile(shell, call, first)
  shell.emit(call)
  return computeOutput(call)
}

// zsh: `=rm` is the path of rm, and zsh/files has rm as `zf_rm`.
function zshName(name: string): string | undefined {
  return /^(?:=|zf_)([a-z][\w-]*)$/.exec(name)?.[1]
}

// A program that the text wrote or downloaded: `curl -o x …; chmod +x x; ./x`.
function runOwnFile(shell: InterpreterPort, call: ShellInvocation, first: Field): Output {
  const code = fileCode(shell, call, first)
  shell.emit(call, runsOutput(code))
  if (!code) return computeOutput(call)
  const interpreter = code.isKnown ? /^#!.*\/(?:env\s+(?:-S\s+)?)?([\w.-]+)/.exec(code.text)?.[1] : undefined
  const language = interpreter && findInterpreterLanguage(interpreter)
  const scope = call.scope.copy()
  scope.positional = call.fields.slice(1)
  scope.set('0', { text: code.file?.path ?? first.text, isKnown: true })
  if (!language) return shell.runCode(call, code, baseName(first.text), scope)
  runSnippet(shell, call, code, language, baseName(first.text))
  return undefined
}

function runDynamic(shell: InterpreterPort, call: ShellInvocation, first: Field): Output {
  const { from } = first
  shell.analysis.noteUnknown({
    why: 'dynamic-command',
    span: call.span,
    text: clipUnknownText(first.text),
    ...(from?.length && { from }),
  })
  shell.emit(call, from?.length ? { runsOutputOf: from } : undefined)
  return undefined
}

// A recursive function is interpreted once.
function runFunction(shell: InterpreterPort, call: ShellInvocation, name: string, definition: Definition): Output {
  shell.analysis.called.add(definition.node)
  if (shell.analysis.calling.has(definition.node)) {
    shell.emit(call, { isRecursive: true })
    return undefined
  }
  const { scope } = call
  const { positional } = scope
  scope.positional = call.fields.slice(1)
  shell.analysis.calling.add(definition.node)
  const inner: Frame = {
    ...call.frame,
    source: definition.frame.source,
    origin: definition.frame.origin,
    via: [...call.frame.via, `${name}()`],
    redirects: call.redirects,
    input: call.input,
    depth: call.frame.depth + 1,
  }
  const output = shell.runBody(definition.node.body, inner, scope)
  shell.analysis.calling.delete(definition.node)
  scope.positional = positional
  return output
}

function readAlias(node: Command, scope: Scope): string | undefined {
  if (scope.aliases.size === 0 || !node.name || node.name.text !== node.name.value) return undefined
  return scope.aliases.get(node.name.text)
}

// An alias is replaced in the text, so its value may be any start of a command.
function runAlias(shell: InterpreterPort, node: Command, alias: string, frame: Frame, scope: Scope): Output {
  const { name } = node
  if (!name) return undefined
  const span = spanAt(frame, node.pos, node.end)
  const before = frame.source.slice(node.pos, name.pos)
  const text = `${before}${alias}${frame.source.slice(name.end, node.end)}`
  scope.aliases.delete(name.text)
  const inner: Frame = { ...frame, source: text, origin: span, via: [...frame.via, 'alias'], depth: frame.depth + 1 }
  const output = shell.runScript(text, inner, scope)
  scope.aliases.set(name.text, alias)
  return output
}
