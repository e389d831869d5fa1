// Shell arithmetic, as far as its operands are known. Substitutions in it run in any case.

import type { ArithmeticExpression } from 'unbash'
import { type Frame, spanAt } from '../frame.ts'
import type { InterpreterPort } from '../interpreter-port.ts'
import { MAX_SHELL_DEPTH } from '../limits.ts'
import type { Scope } from '../scope.ts'

const BINARY: Readonly<Record<string, (left: number, right: number) => number | undefined>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => (right === 0 ? undefined : Math.trunc(left / right)),
  '%': (left, right) => (right === 0 ? undefined : left % right),
  '**': (left, right) => left ** right,
  '<<': (left, right) => left * 2 ** right,
  '>>': (left, right) => Math.floor(left / 2 ** right),
  '&': (left, right) => left & right,
  '|': (left, right) => left | right,
  '^': (left, right) => left ^ right,
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '&&': (left, right) => Number(left !== 0 && right !== 0),
  '||': (left, right) => Number(left !== 0 || right !== 0),
  ',': (_left, right) => right,
}

/** The value of an expression; undefined when it is unknown. */
export function evaluateArithmetic(
  shell: InterpreterPort,
  expression: ArithmeticExpression | undefined,
  frame: Frame,
  scope: Scope,
  depth = 0,
): number | undefined {
  if (!expression || depth > MAX_SHELL_DEPTH || !shell.spend(1, spanAt(frame, expression.pos, expression.end)))
    return undefined
  const next = (inner: ArithmeticExpression) => evaluateArithmetic(shell, inner, frame, scope, depth + 1)
  switch (expression.type) {
    case 'ArithmeticGroup':
      return next(expression.expression)
    case 'ArithmeticBinary':
      return evaluateBinary(expression.operator, expression.left, next(expression.left), next(expression.right), scope)
    case 'ArithmeticUnary':
      return evaluateUnary(expression.operator, expression.operand, next(expression.operand), scope)
    case 'ArithmeticTernary': {
      const test = next(expression.test)
      const yes = next(expression.consequent)
      const no = next(expression.alternate)
      return test === undefined ? undefined : test !== 0 ? yes : no
    }
    case 'ArithmeticCommandExpansion': {
      const value = shell.substitute(expression, frame, scope)
      return value.isKnown ? readNumber(value.text, scope) : undefined
    }
    case 'ArithmeticWord': {
      if (!expression.parts) return readNumber(expression.value, scope)
      const field = shell.joinParts(expression.parts, frame, scope, spanAt(frame, expression.pos, expression.end))
      return field.isKnown ? readNumber(field.text, scope) : undefined
    }
  }
}

function evaluateBinary(
  operator: string,
  target: ArithmeticExpression,
  left: number | undefined,
  right: number | undefined,
  scope: Scope,
): number | undefined {
  const isAssignment = operator.endsWith('=') && !BINARY[operator]
  const compute =
    operator === '=' ? (_left: number, value: number) => value : BINARY[isAssignment ? operator.slice(0, -1) : operator]
  const known = operator === '=' ? 0 : left
  const value = known === undefined || right === undefined ? undefined : compute?.(known, right)
  return isAssignment || operator === '=' ? assign(target, value, scope) : finite(value)
}

function evaluateUnary(
  operator: string,
  target: ArithmeticExpression,
  value: number | undefined,
  scope: Scope,
): number | undefined {
  if (operator === '++' || operator === '--') {
    // Prefix and postfix forms are treated alike.
    return assign(target, value === undefined ? undefined : value + (operator === '++' ? 1 : -1), scope)
  }
  if (value === undefined) return undefined
  if (operator === '-') return -value
  if (operator === '!') return Number(value === 0)
  return operator === '~' ? ~value : value
}

function assign(target: ArithmeticExpression, value: number | undefined, scope: Scope): number | undefined {
  const known = finite(value)
  if (target.type === 'ArithmeticWord') {
    const text = known === undefined ? `$${target.value}` : String(known)
    scope.set(target.value, { text, isKnown: known !== undefined })
  }
  return known
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined
}

function readNumber(text: string, scope: Scope, hops = 0): number | undefined {
  const digits = text.trim()
  if (/^-?\d{1,15}$/.test(digits))
    return digits.length > 1 && /^-?0/.test(digits) ? Number.parseInt(digits, 8) : Number(digits)
  if (/^0[xX][0-9a-fA-F]{1,12}$/.test(digits)) return Number.parseInt(digits, 16)
  const based = /^(\d{1,2})#([0-9a-zA-Z]{1,12})$/.exec(digits)
  if (based) return finite(Number.parseInt(based[2] ?? '', Number(based[1])))
  const value = hops < 4 ? scope.get(digits) : undefined
  return value?.isKnown ? readNumber(value.text, scope, hops + 1) : undefined
}
