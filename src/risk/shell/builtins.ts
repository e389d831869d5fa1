// Builtins of the shell that change its state or run text. They are commands like any other, and appear as such.

import { store } from './assign.ts'
import { isDynamic, joinCode, noteDynamicScript, runCode, runsOutput } from './code.ts'
import { emit } from './command.ts'
import { type Call, type Field, makeField, type Output, type Walk } from './context.ts'
import { readOptions } from './options.ts'
import { formatText, printedBy } from './outputs.ts'
import { resolvePath } from './paths.ts'
import type { Program } from './programs.ts'
import type { Value } from './scope.ts'
import { sourceCode } from './shells.ts'

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
  ['unalias', silently((_walk, call) => forEachArgument(call, (field) => call.scope.aliases.delete(field.text)))],
  ['printf', printInto],
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
])

type Effect = (walk: Walk, call: Call) => void

function silently(change: Effect): Program {
  return (walk, call) => {
    emit(walk, call)
    change(walk, call)
    return ''
  }
}

function forEachArgument(call: Call, visit: (field: Field) => unknown): void {
  for (const field of call.fields.slice(1)) visit(field)
}

// A folder that is not known makes all that follows happen somewhere unknown.
function changeFolder(_walk: Walk, call: Call): void {
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

function pushFolder(walk: Walk, call: Call): void {
  call.scope.folders.push(call.scope.cwd)
  changeFolder(walk, call)
}

function popFolder(_walk: Walk, call: Call): void {
  call.scope.previousCwd = call.scope.cwd
  call.scope.cwd = call.scope.folders.pop()
}

// Assignments among the arguments have been made already; what is left are names and options.
function declare(walk: Walk, call: Call): void {
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
    // Declared by a text that was not known to the parser as an assignment: `export "$x"`, `declare -x "A=b"`.
    if (equals > 0 && !scope.get(name))
      store(walk, name, { text: field.text.slice(equals + 1), isKnown: field.isKnown }, field.span, scope)
    const value = changeCase(scope.get(name), options.values)
    if (value) scope.set(name, value)
    if (isExport && value) scope.export(name, makeField(value.text, field.span, value.isKnown))
  }
}

// `declare -l` and `-u` change what is assigned.
function changeCase(value: Value | undefined, options: ReadonlyMap<string, Field>): Value | undefined {
  if (!value?.isKnown) return value
  if (options.has('l')) return { ...value, text: value.text.toLowerCase() }
  return options.has('u') ? { ...value, text: value.text.toUpperCase() } : value
}

function unset(_walk: Walk, call: Call): void {
  const { scope, fields } = call
  for (const field of fields.slice(readOptions(fields, {}).rest)) {
    scope.set(field.text, { text: '', isKnown: true, isUnset: true })
    scope.functions.delete(field.text)
  }
}

function setPositional(_walk: Walk, call: Call): void {
  const { fields, scope } = call
  const { rest } = readOptions(fields, { short: 'o' })
  if (rest < fields.length || fields[rest - 1]?.text === '--') scope.positional = fields.slice(rest)
}

function shift(_walk: Walk, call: Call): void {
  const count = Number(call.fields[1]?.text ?? 1)
  call.scope.positional = call.scope.positional?.slice(Number.isSafeInteger(count) ? count : 1)
}

function read(walk: Walk, call: Call): void {
  const { fields, scope } = call
  const { rest, values } = readOptions(fields, { short: 'adinNptu' })
  const lines = inputLines(call, values.get('u'))
  const array = values.get('a')
  if (array) {
    storeItems(walk, array, lines?.[0]?.split(/[ \t]+/).filter(Boolean), call)
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
    store(walk, name.text, value, name.span, scope)
  }
}

function unknownValue(name: string, call: Call): Value {
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

function inputLines(call: Call, descriptor: Field | undefined): readonly string[] | undefined {
  const text = descriptor ? call.scope.descriptors.get(descriptor.text)?.text : call.input?.text
  return text?.replace(/\n$/, '').split('\n')
}

function readLines(walk: Walk, call: Call): void {
  const { rest, values } = readOptions(call.fields, { short: 'dnOsucC' })
  const name = call.fields[rest] ?? makeField('MAPFILE', call.span)
  storeItems(walk, name, inputLines(call, values.get('u')), call)
  // `-C script` runs for every few lines.
  const callback = values.get('C')
  if (callback) runCode(walk, call, callback, 'mapfile -C', call.scope.copy())
}

function storeItems(walk: Walk, name: Field, texts: readonly string[] | undefined, call: Call): void {
  if (!texts) {
    store(walk, name.text, unknownValue(name.text, call), name.span, call.scope)
    return
  }
  const items = new Map(texts.map((text, index): [string, Value] => [String(index), { text, isKnown: true }]))
  store(walk, name.text, { text: texts[0] ?? '', isKnown: true, items }, name.span, call.scope)
}

function alias(_walk: Walk, call: Call): void {
  forEachArgument(call, (field) => {
    const equals = field.text.indexOf('=')
    if (equals > 0) call.scope.aliases.set(field.text.slice(0, equals), field.text.slice(equals + 1))
  })
}

// `printf -v name format …` prints into a variable.
function printInto(walk: Walk, call: Call): Output {
  emit(walk, call)
  const [, option, name, ...words] = call.fields
  if (option?.text !== '-v' || !name) return printedBy(call)
  const text = words.every((word) => word.isKnown) ? formatText(words.map((word) => word.text)) : undefined
  store(
    walk,
    name.text,
    text === undefined ? unknownValue(name.text, call) : { text, isKnown: true },
    name.span,
    call.scope,
  )
  return ''
}

function evaluate(walk: Walk, call: Call): Output {
  const code = joinCode(call.fields.slice(call.fields[1]?.text === '--' ? 2 : 1))
  emit(walk, call, runsOutput(code))
  return runCode(walk, call, code, 'eval', call.scope)
}

function source(walk: Walk, call: Call): Output {
  const [name, file, ...positional] = call.fields
  const code = file && sourceCode(call, file)
  emit(walk, call, runsOutput(code))
  if (!code || !name) return undefined
  if (isDynamic(code)) {
    noteDynamicScript(walk, call, code)
    return undefined
  }
  if (positional.length > 0) call.scope.positional = positional
  return runCode(walk, call, code, name.text === '.' ? '.' : 'source', call.scope)
}

// What a trap does happens later, and may happen.
function trap(walk: Walk, call: Call): Output {
  emit(walk, call)
  const { fields } = call
  const { rest, values } = readOptions(fields, {})
  const code = fields[rest]
  if (!code || fields.length <= rest + 1 || values.has('p') || values.has('l')) return ''
  runCode(walk, call, code, 'trap', call.scope.copy())
  return ''
}
