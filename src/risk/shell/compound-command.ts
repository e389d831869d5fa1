// Compound commands: branches, loops, groups, functions. Conditions are not evaluated: every branch counts as running.

import type { ArithmeticFor, Case, CommandNode, CompoundList, For, If, Select, TestExpression, While } from 'unbash'
import { evaluateArithmetic } from './expansion/arithmetic.ts'
import { expandText, expandWords } from './expansion/words.ts'
import { type Field, type Frame, type Output, spanAt } from './frame.ts'
import type { InterpreterPort } from './interpreter-port.ts'
import { mergeValues, type Scope, type Value } from './scope.ts'

/** Number of loop values that are interpreted, by the nesting of the loop. All further values are one unknown value. */
const UNROLLED = [32, 8, 4, 1]

type Compound = Exclude<CommandNode, { type: 'Command' } | { type: 'Redirected' }>

/** Runs a compound command. Its frame is already one deeper. */
export function runCompound(shell: InterpreterPort, node: Compound, frame: Frame, scope: Scope): Output {
  switch (node.type) {
    case 'BraceGroup':
      return shell.runList(node.body, frame, scope)
    case 'Subshell':
      return shell.runList(node.body, frame, scope.copy())
    case 'If':
      return runIf(shell, node, frame, scope)
    case 'While':
      return runWhile(shell, node, frame, scope)
    case 'For':
    case 'Select':
      return runFor(shell, node, frame, scope)
    case 'ArithmeticFor':
      return runArithmeticFor(shell, node, frame, scope)
    case 'Case':
      return runCase(shell, node, frame, scope)
    case 'TestCommand':
      visitTest(shell, node.expression, frame, scope)
      return ''
    case 'ArithmeticCommand':
      evaluateArithmetic(shell, node.expression, frame, scope)
      return ''
    case 'Function':
      scope.functions.set(node.name.value, { node, frame })
      return ''
    case 'Coproc':
      shell.runBody(node.body, { ...frame, via: [...frame.via, 'coproc'], isBackground: true }, scope.copy())
      return ''
  }
}

function runIf(shell: InterpreterPort, node: If, frame: Frame, scope: Scope): Output {
  const branches: Scope[] = []
  const runBranch = (list: CompoundList) => {
    const branch = scope.copy()
    shell.runList(list, frame, branch)
    branches.push(branch)
  }
  shell.runList(node.clause, frame, scope)
  runBranch(node.then)
  for (const elif of node.elif) {
    shell.runList(elif.clause, frame, scope)
    runBranch(elif.then)
  }
  if (node.else) runBranch(node.else)
  else branches.push(scope.copy())
  scope.mergeBranches(branches)
  return undefined
}

function runWhile(shell: InterpreterPort, node: While, frame: Frame, scope: Scope): Output {
  const isEndless = hasNoEnd(node, frame)
  const inner = isEndless ? { ...frame, isEndless } : frame
  shell.runList(node.clause, inner, scope)
  const body = scope.copy()
  shell.analysis.loopDepth++
  shell.runList(node.body, inner, body)
  shell.analysis.loopDepth--
  scope.mergeBranches([body, scope.copy()])
  return undefined
}

const ALWAYS = {
  while: new Set(['true', ':', '[ 1 ]', '((1))', '(( 1 ))']),
  until: new Set(['false', '! true', '! :']),
}

function hasNoEnd(node: While, frame: Frame): boolean {
  const clause = frame.source
    .slice(node.clause.pos, node.clause.end)
    .replace(/[;\s]+$/, '')
    .trim()
  return ALWAYS[node.kind].has(clause) && !canLeave(node.body, frame)
}

function canLeave(body: CompoundList, frame: Frame): boolean {
  return /\b(?:break|exit|return)\b/.test(frame.source.slice(body.pos, body.end))
}

function runFor(shell: InterpreterPort, node: For | Select, frame: Frame, scope: Scope): Output {
  const fields = node.wordlist ? expandWords(shell, node.wordlist, frame, scope) : (scope.positional ?? [])
  const limit = UNROLLED[Math.min(shell.analysis.loopDepth, UNROLLED.length - 1)] ?? 1
  const values: Value[] = fields.slice(0, limit).map(loopValue)
  const name = node.name.value
  if (fields.length > limit || (!node.wordlist && !scope.positional)) values.push({ text: `$${name}`, isKnown: false })
  shell.analysis.loopDepth++
  for (const value of values) {
    if (shell.analysis.isExhausted) break
    scope.set(name, value)
    shell.runList(node.body, frame, scope)
  }
  shell.analysis.loopDepth--
  const last = mergeValues(values.toReversed())
  if (last) scope.set(name, last)
  return undefined
}

// A pattern means the files that it matches, which are unknown.
function loopValue(field: Field): Value {
  const { text, isKnown, isGlob, from, at } = field
  return { text, isKnown: isKnown && !isGlob, from, at }
}

function runArithmeticFor(shell: InterpreterPort, node: ArithmeticFor, frame: Frame, scope: Scope): Output {
  const isEndless = !node.test && !canLeave(node.body, frame)
  evaluateArithmetic(shell, node.initialize, frame, scope)
  evaluateArithmetic(shell, node.test, frame, scope)
  shell.analysis.loopDepth++
  shell.runList(node.body, isEndless ? { ...frame, isEndless } : frame, scope)
  shell.analysis.loopDepth--
  evaluateArithmetic(shell, node.update, frame, scope)
  return undefined
}

function runCase(shell: InterpreterPort, node: Case, frame: Frame, scope: Scope): Output {
  expandText(shell, node.word, frame, scope)
  const branches = [scope.copy()]
  for (const item of node.items) {
    if (shell.analysis.isExhausted) return undefined
    for (const pattern of item.pattern) expandText(shell, pattern, frame, scope)
    const branch = scope.copy()
    shell.runList(item.body, frame, branch)
    branches.unshift(branch)
  }
  scope.mergeBranches(branches)
  return undefined
}

// Substitutions in [[ ]] run.
function visitTest(shell: InterpreterPort, expression: TestExpression, frame: Frame, scope: Scope): void {
  const span = spanAt(frame, expression.pos, expression.end)
  if (!shell.spend(1, span) || shell.analysis.isTooDeep(frame, span)) return
  const inner = { ...frame, depth: frame.depth + 1 }
  switch (expression.type) {
    case 'TestUnary':
      expandText(shell, expression.operand, frame, scope)
      return
    case 'TestBinary':
      expandText(shell, expression.left, frame, scope)
      expandText(shell, expression.right, frame, scope)
      return
    case 'TestLogical':
      for (const operand of expression.operands) visitTest(shell, operand, inner, scope)
      return
    case 'TestNot':
      visitTest(shell, expression.operand, inner, scope)
      return
    case 'TestGroup':
      visitTest(shell, expression.expression, inner, scope)
  }
}
