// Tests of rules as tables: for each program rows of a condition and a result. The first row whose condition holds decides.

import { type Call, findOption } from './call.ts'
import type { Hit, TestResult } from './rule.ts'
import type { Word } from './shell/execution.ts'

export type CallTest = (call: Call) => TestResult
export type Condition = (call: Call) => boolean

/** `pass` finds nothing, `hit` finds the command, an object changes the hit, a function makes it. */
type Result = 'pass' | 'hit' | Omit<Hit, 'at'> | CallTest
export type RuleRow = readonly [condition: Condition, result: Result]

/** The test of a table by program. A key may name several programs, separated by blanks. */
export function testByProgram(
  table: Readonly<Record<string, readonly RuleRow[]>>,
  otherPrograms: readonly RuleRow[] = [],
): CallTest {
  const byName = new Map(Object.entries(table).flatMap(([names, rows]) => names.split(' ').map((name) => [name, rows])))
  return (call) => applyRows(byName.get(call.name) ?? otherPrograms, call)
}

function applyRows(rows: readonly RuleRow[], call: Call): TestResult {
  const row = rows.find(([condition]) => condition(call))
  if (row === undefined || row[1] === 'pass') return undefined
  const [, result] = row
  if (result === 'hit') return true
  return typeof result === 'function' ? result(call) : { at: call.command.span, ...result }
}

export const always: Condition = () => true

/** One of these options is given. */
export function option(...names: string[]): Condition {
  return (call) => findOption(call, names) !== undefined
}

/** One of these words is an argument, as written. */
export function argument(...texts: string[]): Condition {
  return ({ command }) => command.args.some(({ text }) => texts.includes(text))
}

/** One of these words is an operand. */
export function operand(...texts: string[]): Condition {
  return ({ operands }) => operands.some(({ text }) => texts.includes(text))
}

/** The first operands are one of these lists of words: `pub publish`; `*` is any word. */
export function subcommand(...paths: string[]): Condition {
  const lists = paths.map((path) => path.split(' '))
  return ({ operands }) =>
    lists.some((words) =>
      words.every((word, at) => operands[at] !== undefined && (word === '*' || operands[at].text === word)),
    )
}

export const hasOperands: Condition = ({ operands }) => operands.length > 0

export function not(condition: Condition): Condition {
  return (call) => !condition(call)
}

export function all(...conditions: Condition[]): Condition {
  return (call) => conditions.every((condition) => condition(call))
}

/** The result is the operand at this index. */
export function operandAt(index: number): CallTest {
  return ({ operands }): Word | undefined => operands[index]
}

/** The result is the first option that fits. */
export function optionWhere(test: (option: Call['options'][number]) => boolean): CallTest {
  return ({ options }) => options.find(test)?.word
}
