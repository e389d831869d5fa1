// Shell builtins that change the shell's state or run text. They are reported as commands.

import { type Field, makeField, type Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import type { ShellInvocation } from '../invocation.ts'
import { isDynamic, joinCode, runsOutput } from '../nested-code.ts'
import { resolvePath } from '../paths.ts'
import type { Value } from '../scope.ts'
import { readOptions } from './options.ts'
import { computeOutput, formatText } from './printed-text.ts'
import { printedFile, sourceCode } from './shells.ts'

export const BUILTINS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['cd', silently(changeFolder)],
  ['chdir', silently(changeFolder)],
  ['pushd', silently(pushFolder)],
  ['popd', silently(popFolder)],
  ['export', silently(declare)],
  ['declare', silently(declare)],
  ['typeset', silently(declare)],
  ['local', silently(declare)],
  ['readonly', silently(declare)],
  ['unset', silently(unset)],
  ['set', silently(setPositional)],
  ['shift', silently(shift)],
  ['read', silently(read)],
  ['mapfile', silently(readLines)],
  ['readarray', silently(readLines)],
  ['alias', silently(alias)],
  ['unalias', silently((_shell, call) => forEachArgument(call, (field) => call.scope.aliases.delete(field.text)))],
  ['printf', printInto],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
])

type Effect = (shell: ProgramPort, call: ShellInvocation) => void

function silently(change: Effect): Program {
  return (shell, call) => {
    shell.emit(call)
    change(shell, call)
    return ''
  }
}

function forEachArgument(call: ShellInvocation, visit: (field: Field) => unknown): void {
  for (const field of call.fields.slice(1)) visit(field)
}

// After a cd to an unknown folder, the working folder is unknown.
function changeFolder(_shell: ProgramPort, call: ShellInvocation): void {
  const { scope, fields } = call
  const target = fields[readOptions(fields, {}).rest]
  const before = scope.cwd
  if (!target) scope.cwd = scope.home
  else if (target.text === '-') scope.cwd = scope.previousCwd
  else if (!target.isKnown || target.isGlob) scope.cwd = undefined
  else scope.cwd = enter(before, target.text)
  scope.previousCwd = before
}

function enter(cwd: string | undefined, path: string): string | undefined {
  return path.startsWith('/') || cwd !== undefined ? resolvePath(cwd, path) : undefined
}

function pushFolder(shell: ProgramPort, call: ShellInvocation): void {
  call.scope.folders.push(call.scope.cwd)
  changeFolder(shell, call)
}

function popFolder(_shell: ProgramPort, call: ShellInvocation): void {
  call.scope.previousCwd = call.scope.cwd
  call.scope.cwd = call.scope.folders.pop()
}

// Assignments among the arguments are already made. This handles names and options.
function declare(shell: ProgramPort, call: ShellInvocation): void {
  const { scope, fields } = call
  const options = readOptions(fields, {})
  const isExport = fields[0]?.text === 'export' || options.values.has('x')
  for (const field of fields.slice(options.rest)) {
    const equals = field.text.indexOf('=')
    const name = equals < 0 ? field.text : field.text.slice(0, equals).replace(/\+$/, '')
    if (options.values.has('n') && equals > 0) {
      scope.variables.delete(name)
      scope.references.set(name, field.text.slice(equals + 1))
      continue
    }
    // The parser does not see these as assignments: `export "$x"`, `declare -x "A=b"`.
    if (equals > 0 && !scope.get(name))
      shell.setVariable(name, { text: field.text.slice(equals + 1), isKnown: field.isKnown }, field.span, scope)
    const value = changeCase(scope.get(name), options.values)
    if (value) scope.set(name, value)
    if (isExport && value) scope.export(name, makeField(value.text, field.span, value.isKnown))
  }
}

// `declare -l` and `-u` change the case of the value.
function changeCase(value: Value | undefined, options: ReadonlyMap<string, Field>): Value | undefined {
  if (!value?.isKnown) return value
  if (options.has('l')) return { ...value, text: value.text.toLowerCase() }
  return options.has('u') ? { ...value, text: value.text.toUpperCase() } : value
}

function unset(_shell: ProgramPort, call: ShellInvocation): void {
  const { scope, fields } = call
  for (const field of fields.slice(readOptions(fields, {}).rest)) {
    scope.set(field.text, { text: '', isKnown: true, isUnset: true })
    scope.functions.delete(field.text)
  }
}

function setPositional(_shell: ProgramPort, call: ShellInvocation): void {
  const { fields, scope } = call
  const { rest } = readOptions(fields, { short: 'o' })
  if (rest < fields.length || fields[rest - 1]?.text === '--') scope.positional = fields.slice(rest)
}

function shift(_shell: ProgramPort, call: ShellInvocation): void {
  const count = Number(call.fields[1]?.text ?? 1)
  call.scope.positional = call.scope.positional?.slice(Number.isSafeInteger(count) ? count : 1)
}

function read(shell: ProgramPort, call: ShellInvocation): void {
  const { fields, scope } = call
  const { rest, values } = readOptions(fields, { short: 'adinNptu' })
  const lines = inputLines(call, values.get('u'))
  const array = values.get('a')
  if (array) {
    storeItems(shell, array, lines?.[0]?.split(/[ \t]+/).filter(Boolean), call)
    return
  }
  const names = fields.slice(rest)
  for (const [index, name] of names.entries()) {
    const texts = lines?.map((line) =>
      pickWord(line, index, index === names.length - 1, scope.get('IFS')?.text ?? ' \t\n'),
    )
    const [first, ...others] = (texts ?? []).map((text): Value => ({ text, isKnown: true }))
    const value: Value = first
      ? { ...first, others: others.length > 0 ? others.slice(0, 4) : undefined }
      : unknownValue(name.text, call)
    shell.setVariable(name.text, value, name.span, scope)
  }
}

function unknownValue(name: string, call: ShellInvocation): Value {
  return { text: `$${name}`, isKnown: false, from: call.input?.from.length ? call.input.from : undefined }
}

// The last variable gets the rest of the line.
function pickWord(line: string, index: number, isLast: boolean, separators: string): string {
  let rest = line.trim()
  for (let word = 0; ; word++) {
    const at = [...rest].findIndex((character) => separators.includes(character))
    if (word === index) return isLast || at < 0 ? rest : rest.slice(0, at)
    if (at < 0) return ''
    rest = rest.slice(at + 1).trimStart()
  }
}

function inputLines(call: ShellInvocation, descriptor: Field | undefined): readonly string[] | undefined {
  const text = descriptor ? call.scope.descriptors.get(descriptor.text)?.text : call.input?.text
  return text?.replace(/\n$/, '').split('\n')
}

function readLines(shell: ProgramPort, call: ShellInvocation): void {
  const { rest, values } = readOptions(call.fields, { short: 'dnOsucC' })
  const name = call.fields[rest] ?? makeField('MAPFILE', call.span)
  storeItems(shell, name, inputLines(call, values.get('u')), call)
  // `-C script` runs for every few lines.
  const callback = values.get('C')
  if (callback) shell.runCode(call, callback, 'mapfile -C', call.scope.copy())
}

function storeItems(
  shell: ProgramPort,
  name: Field,
  texts: readonly string[] | undefined,
  call: ShellInvocation,
): void {
  if (!texts) {
    shell.setVariable(name.text, unknownValue(name.text, call), name.span, call.scope)
    return
  }
  const items = new Map(texts.map((text, index): [string, Value] => [String(index), { text, isKnown: true }]))
  shell.setVariable(name.text, { text: texts[0] ?? '', isKnown: true, items }, name.span, call.scope)
}

function alias(_shell: ProgramPort, call: ShellInvocation): void {
  forEachArgument(call, (field) => {
    const equals = field.text.indexOf('=')
    if (equals > 0) call.scope.aliases.set(field.text.slice(0, equals), field.text.slice(equals + 1))
  })
}

// `printf -v name format …` prints into a variable.
function printInto(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const [, option, name, ...words] = call.fields
  if (option?.text !== '-v' || !name) return computeOutput(call)
  const text = words.every((word) => word.isKnown) ? formatText(words.map((word) => word.text)) : undefined
  shell.setVariable(
    name.text,
    text === undefined ? unknownValue(name.text, call) : { text, isKnown: true },
    name.span,
    call.scope,
  )
  return ''
}

function evaluate(shell: ProgramPort, call: ShellInvocation): Output {
  const words = joinCode(call.fields.slice(call.fields[1]?.text === '--' ? 2 : 1))
  shell.emit(call, runsOutput(words))
  return shell.runCode(call, printedFile(shell, call, words) ?? words, 'eval', call.scope)
}

function source(shell: ProgramPort, call: ShellInvocation): Output {
  const [name, file, ...positional] = call.fields
  const code = file && sourceCode(shell, call, file)
  shell.emit(call, runsOutput(code))
  if (!code || !name) return undefined
  if (isDynamic(code)) {
    shell.noteDynamicScript(call, code)
    return undefined
  }
  if (positional.length > 0) call.scope.positional = positional
  return shell.runCode(call, code, name.text === '.' ? '.' : 'source', call.scope)
}

// The script of a trap runs later, if at all.
function trap(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { fields } = call
  const { rest, values } = readOptions(fields, {})
  const code = fields[rest]
  if (!code || fields.length <= rest + 1 || values.has('p') || values.has('l')) return ''
  shell.runCode(call, code, 'trap', call.scope.copy())
  return ''
}
