// The values of $x and ${x…}: variables, arrays, positional parameters, and the operations on them.

import type { ParameterExpansionPart, ParameterOperation, Word as WordNode } from 'unbash'
import type { Frame } from '../frame.ts'
import type { InterpreterPort } from '../interpreter-port.ts'
import { MAX_VALUE_CHARS } from '../limits.ts'
import type { Scope, Value } from '../scope.ts'
import { type Pattern, removeMatch, replaceMatch } from './patterns.ts'

/** The value of a parameter by name; undefined when the text does not set it. */
export function readParameter(shell: InterpreterPort, name: string, scope: Scope): Value | undefined {
  const value = scope.get(name) ?? readSpecial(name, scope)
  if (!value?.others) return value
  shell.analysis.choicesSeen = Math.max(shell.analysis.choicesSeen, value.others.length)
  return shell.analysis.choice === 0 ? value : (value.others[shell.analysis.choice - 1] ?? value)
}

/** The value of `${…}`. */
export function readExpansion(
  shell: InterpreterPort,
  part: ParameterExpansionPart,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  const base = readBase(shell, part, frame, scope)
  if (part.prefix === '#') return measure(base)
  return part.operation ? operate(shell, part, part.operation, base, frame, scope) : base
}

function readBase(shell: InterpreterPort, part: ParameterExpansionPart, frame: Frame, scope: Scope): Value | undefined {
  const { parameter } = part
  if (part.prefix === '!') {
    if (part.index) return readKeys(scope.get(parameter))
    const name = readParameter(shell, parameter, scope)
    return name?.isKnown ? readParameter(shell, name.text, scope) : undefined
  }
  const value = readParameter(shell, parameter, scope)
  if (!part.index) return value?.items && !value.isList ? (value.items.get('0') ?? value) : value
  if (part.index.text === '@' || part.index.text === '*') {
    if (!value) return undefined
    return { ...value, items: value.items ?? new Map([['0', value]]), isList: true }
  }
  return readElement(shell, value, part.index, frame, scope)
}

function readElement(
  shell: InterpreterPort,
  value: Value | undefined,
  index: WordNode,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  const key = shell.expandText(index, frame, scope)
  if (!value || !key.isKnown) return undefined
  if (!value.items) return key.text === '0' ? value : undefined
  const direct = value.items.get(key.text) ?? value.items.get(scope.get(key.text)?.text ?? '')
  if (direct) return direct
  return /^-\d+$/.test(key.text) ? [...value.items.values()].at(Number(key.text)) : undefined
}

function readKeys(value: Value | undefined): Value | undefined {
  if (!value?.items) return undefined
  const keys = [...value.items.keys()].map((key): [string, Value] => [key, { text: key, isKnown: true }])
  return { text: '', isKnown: true, items: new Map(keys), isList: true }
}

function measure(value: Value | undefined): Value | undefined {
  if (!value) return undefined
  if (value.isList) return { text: String(value.items?.size ?? 0), isKnown: true }
  return value.isKnown ? { text: String(value.text.length), isKnown: true } : undefined
}

function readSpecial(name: string, scope: Scope): Value | undefined {
  switch (name) {
    case 'HOME':
      return { text: scope.home, isKnown: true }
    case 'PWD':
      return scope.cwd === undefined ? undefined : { text: scope.cwd, isKnown: true }
    case 'OLDPWD':
      return scope.previousCwd === undefined ? undefined : { text: scope.previousCwd, isKnown: true }
    case 'SHELL':
    case 'BASH':
      return { text: '/bin/bash', isKnown: true }
    case 'IFS':
      return { text: ' \t\n', isKnown: true }
    case '@':
    case '*':
      return readPositional(scope)
    case '#':
      return scope.positional && { text: String(scope.positional.length), isKnown: true }
  }
  if (!/^[1-9]\d{0,3}$/.test(name) || !scope.positional) return undefined
  const field = scope.positional[Number(name) - 1]
  return field
    ? { text: field.text, isKnown: field.isKnown, from: field.from }
    : { text: '', isKnown: true, isUnset: true }
}

function readPositional(scope: Scope): Value | undefined {
  if (!scope.positional) return undefined
  const items = scope.positional.map((field, index): [string, Value] => [
    String(index + 1),
    { text: field.text, isKnown: field.isKnown, from: field.from },
  ])
  const isKnown = scope.positional.every((field) => field.isKnown)
  const text = scope.positional.map((field) => field.text).join(' ')
  return { text, isKnown, items: new Map(items), isList: true }
}

function operate(
  shell: InterpreterPort,
  part: ParameterExpansionPart,
  operation: ParameterOperation,
  base: Value | undefined,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  if (operation.type === 'Default') return applyDefault(shell, part, operation, base, frame, scope)
  if (operation.type === 'Names') return undefined
  if (operation.type === 'Slice' && base?.isList && base.items) return sliceList(shell, operation, base, frame, scope)
  if (base?.isList && base.items) {
    const items = [...base.items].map(([key, item]): [string, Value] => [
      key,
      transform(shell, operation, item, frame, scope) ?? { ...item, isKnown: false },
    ])
    return { ...base, items: new Map(items) }
  }
  return base && transform(shell, operation, base, frame, scope)
}

function transform(
  shell: InterpreterPort,
  operation: ParameterOperation,
  base: Value,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  const pattern = (word: WordNode): Pattern | undefined => {
    const field = shell.expandText(word, frame, scope)
    return field.isKnown ? field : undefined
  }
  const text = computeText(shell, operation, base.text, pattern, frame, scope)
  if (!base.isKnown || text === undefined || text.length > MAX_VALUE_CHARS) return undefined
  return { text, isKnown: true, from: base.from }
}

// The operands are expanded even when the value is not known: a substitution in them runs.
function computeText(
  shell: InterpreterPort,
  operation: ParameterOperation,
  text: string,
  read: (word: WordNode) => Pattern | undefined,
  frame: Frame,
  scope: Scope,
): string | undefined {
  switch (operation.type) {
    case 'Remove': {
      const pattern = read(operation.operand)
      return pattern && removeMatch(text, operation.operator, pattern)
    }
    case 'Replace': {
      const pattern = read(operation.pattern)
      const replacement = read(operation.replacement)
      return pattern && replacement && replaceMatch(text, operation.operator, pattern, replacement.text)
    }
    case 'Slice': {
      const offset = readInteger(shell, operation.offset, frame, scope)
      const length = operation.length ? readInteger(shell, operation.length, frame, scope) : text.length
      return offset === undefined || length === undefined ? undefined : slice(text, offset, length)
    }
    case 'CaseModification':
      return operation.operand ? undefined : changeCase(text, operation.operator)
    case 'Transform':
      return TRANSFORMS[operation.operand.text]?.(text)
    default:
      return undefined
  }
}

const TRANSFORMS: Readonly<Record<string, (text: string) => string>> = {
  U: (text) => text.toUpperCase(),
  L: (text) => text.toLowerCase(),
  u: (text) => changeCase(text, '^'),
  Q: (text) => text,
  P: (text) => text,
  E: (text) => text,
}

function changeCase(text: string, operator: string): string {
  if (operator === '^^') return text.toUpperCase()
  if (operator === ',,') return text.toLowerCase()
  const first = text.charAt(0)
  return (operator === '^' ? first.toUpperCase() : first.toLowerCase()) + text.slice(1)
}

function slice(text: string, offset: number, length: number): string {
  const start = offset < 0 ? Math.max(0, text.length + offset) : offset
  return text.slice(start, length < 0 ? text.length + length : start + length)
}

function sliceList(
  shell: InterpreterPort,
  operation: Extract<ParameterOperation, { type: 'Slice' }>,
  base: Value,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  const offset = readInteger(shell, operation.offset, frame, scope)
  const length = operation.length ? readInteger(shell, operation.length, frame, scope) : base.items?.size
  if (offset === undefined || length === undefined || !base.items) return undefined
  // Positional parameters count from one, and ${@:0} begins with the name of the script.
  const first = [...base.items.keys()][0] === '1' ? Math.max(0, offset - 1) : offset
  return { ...base, items: new Map([...base.items].slice(first, first + length)) }
}

function readInteger(shell: InterpreterPort, word: WordNode, frame: Frame, scope: Scope): number | undefined {
  const field = shell.expandText(word, frame, scope)
  const text = field.text.trim()
  if (field.isKnown && /^-?\d{1,9}$/.test(text)) return Number(text)
  const value = scope.get(text)
  return value?.isKnown && /^-?\d{1,9}$/.test(value.text) ? Number(value.text) : undefined
}

// The text does not say whether a variable of the environment is set: the default, or the alternative, might be used.
function applyDefault(
  shell: InterpreterPort,
  part: ParameterExpansionPart,
  operation: Extract<ParameterOperation, { type: 'Default' }>,
  base: Value | undefined,
  frame: Frame,
  scope: Scope,
): Value | undefined {
  const operand = shell.expandText(operation.operand, frame, scope)
  const isNull =
    !base ||
    base.isUnset === true ||
    (operation.operator.startsWith(':') && base.isKnown && base.text === '' && !base.items?.size)
  const value: Value = { text: operand.text, isKnown: operand.isKnown, from: operand.from }
  switch (operation.operator) {
    case '-':
    case ':-':
      return isNull ? value : base
    case '=':
    case ':=':
      if (!isNull) return base
      scope.set(part.parameter, value)
      return value
    case '+':
    case ':+':
      return base && isNull ? { text: '', isKnown: true } : value
    default:
      return base
  }
}
