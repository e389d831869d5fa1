// Compound commands: branches, loops, groups, functions. Conditions are not judged: what might run counts as running.

import type {
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  Coproc,
  For,
  Function as FunctionNode,
  If,
  Select,
  TestExpression,
  While,
} from 'unbash'
import { evaluateArithmetic } from './arithmetic.ts'
import { type Field, type Frame, type Output, spanAt, type Walk } from './context.ts'
import { spend } from './limits.ts'
import { mergeValues, type Scope, type Value } from './scope.ts'
import { isTooDeep, runList, runNode } from './walk.ts'
import { expandText, expandWords } from './words.ts'

/** Values of a loop variable that are gone through, by how deep the loop stands; the rest is one unknown value. */
const UNROLLED = [32, 8, 4, 1]

type Compound = Exclude<CommandNode, { type: 'Command' } | { type: 'Redirected' }>

/** Runs a compound command. Its frame is already one deeper. */
export function runCompound(walk: Walk, node: Compound, frame: Frame, scope: Scope): Output {
  switch (node.type) {
    case 'BraceGroup':
      return runList(walk, node.body, frame, scope)
    case 'Subshell':
      return runList(walk, node.body, frame, scope.copy())
    case 'If':
      return runIf(walk, node, frame, scope)
    case 'While':
      return runWhile(walk, node, frame, scope)
    case 'For':
    case 'Select':
      return runFor(walk, node, frame, scope)
    case 'ArithmeticFor':
      return runArithmeticFor(walk, node, frame, scope)
    case 'Case':
      return runCase(walk, node, frame, scope)
    case 'TestCommand':
      visitTest(walk, node.expression, frame, scope)
      return ''
    case 'ArithmeticCommand':
      evaluateArithmetic(walk, node.expression, frame, scope)
      return ''
    case 'Function':
      scope.functions.set(node.name.value, { node, frame })
      return ''
    case 'Coproc':
      runBody(walk, node.body, { ...frame, via: [...frame.via, 'coproc'], isBackground: true }, scope.copy())
      return ''
  }
}

/** Runs the body of a function or coprocess. */
export function runBody(walk: Walk, body: FunctionNode['body'] | Coproc['body'], frame: Frame, scope: Scope): Output {
  return body.type === 'CompoundList' ? runList(walk, body, frame, scope) : runNode(walk, body, frame, scope)
}

function runIf(walk: Walk, node: If, frame: Frame, scope: Scope): Output {
  const branches: Scope[] = []
  const runBranch = (list: CompoundList) => {
    const branch = scope.copy()
    runList(walk, list, frame, branch)
    branches.push(branch)
  }
  runList(walk, node.clause, frame, scope)
  runBranch(node.then)
  for (const elif of node.elif) {
    runList(walk, elif.clause, frame, scope)
    runBranch(elif.then)
  }
  if (node.else) runBranch(node.else)
  else branches.push(scope.copy())
  scope.mergeBranches(branches)
  return undefined
}

function runWhile(walk: Walk, node: While, frame: Frame, scope: Scope): Output {
  const isEndless = hasNoEnd(node, frame)
  const inner = isEndless ? { ...frame, isEndless } : frame
  runList(walk, node.clause, inner, scope)
  const body = scope.copy()
  walk.loopDepth++
  runList(walk, node.body, inner, body)
  walk.loopDepth--
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

function runFor(walk: Walk, node: For | Select, frame: Frame, scope: Scope): Output {
  const fields = node.wordlist ? expandWords(walk, node.wordlist, frame, scope) : (scope.positional ?? [])
  const limit = UNROLLED[Math.min(walk.loopDepth, UNROLLED.length - 1)] ?? 1
  const values: Value[] = fields.slice(0, limit).map(loopValue)
  const name = node.name.value
  if (fields.length > limit || (!node.wordlist && !scope.positional)) values.push({ text: `$${name}`, isKnown: false })
  walk.loopDepth++
  for (const value of values) {
    if (walk.isExhausted) break
    scope.set(name, value)
    runList(walk, node.body, frame, scope)
  }
  walk.loopDepth--
  const last = mergeValues(values.toReversed())
  if (last) scope.set(name, last)
  return undefined
}

// A pattern stands for the files it matches, which are not known.
function loopValue(field: Field): Value {
  const { text, isKnown, isGlob, from, at } = field
  return { text, isKnown: isKnown && !isGlob, from, at }
}

function runArithmeticFor(walk: Walk, node: ArithmeticFor, frame: Frame, scope: Scope): Output {
  const isEndless = !node.test && !canLeave(node.body, frame)
  evaluateArithmetic(walk, node.initialize, frame, scope)
  evaluateArithmetic(walk, node.test, frame, scope)
  walk.loopDepth++
  runList(walk, node.body, isEndless ? { ...frame, isEndless } : frame, scope)
  walk.loopDepth--
  evaluateArithmetic(walk, node.update, frame, scope)
  return undefined
}

function runCase(walk: Walk, node: Case, frame: Frame, scope: Scope): Output {
  expandText(walk, node.word, frame, scope)
  const branches = [scope.copy()]
  for (const item of node.items) {
    if (walk.isExhausted) return undefined
    for (const pattern of item.pattern) expandText(walk, pattern, frame, scope)
    const branch = scope.copy()
    runList(walk, item.body, frame, branch)
    branches.unshift(branch)
  }
  scope.mergeBranches(branches)
  return undefined
}

// Substitutions in [[ ]] run.
function visitTest(walk: Walk, expression: TestExpression, frame: Frame, scope: Scope): void {
  const span = spanAt(frame, expression.pos, expression.end)
  if (!spend(walk, 1, span) || isTooDeep(walk, frame, span)) return
  const inner = { ...frame, depth: frame.depth + 1 }
  switch (expression.type) {
    case 'TestUnary':
      expandText(walk, expression.operand, frame, scope)
      return
    case 'TestBinary':
      expandText(walk, expression.left, frame, scope)
      expandText(walk, expression.right, frame, scope)
      return
    case 'TestLogical':
      for (const operand of expression.operands) visitTest(walk, operand, inner, scope)
      return
    case 'TestNot':
      visitTest(walk, expression.operand, inner, scope)
      return
    case 'TestGroup':
      visitTest(walk, expression.expression, inner, scope)
  }
}
