// Checks types, and the source rules that neither the linter nor the compiler checks: sizes, names, `any`, floating promises,
// empty catch. Both read the same TypeScript program, so they are one check. Reports; never changes a source file.
//
// node scripts/check/source-rules.mjs [TSCONFIG…]: after a check without problems, only changed files and the files that they
// affect are checked again.

import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const MAX_FUNCTION_LINES = 60
const MAX_FILE_LINES = 350
const TABLE_MARKER = '// A table: exempt from the file length limit.'
const TABLE_MARKER_WITHIN_LINES = 5
const CONFIGS = ['tsconfig.json', 'dashboard/tsconfig.json', 'test/browser/tsconfig.json']
const CHECKED_FOLDERS = ['src', 'dashboard', 'test']
const MEANINGLESS_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'misc', 'common'])
const EITHER_OPERAND = new Set([
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.CommaToken,
])

// Each rule checks every node of every checked file. The file itself is the first node.
const RULES = [
  { check: checkFileName },
  { check: checkFileLength, isForTests: false },
  { check: checkFunctionLength, isForTests: false },
  { check: checkAny },
  { check: checkFloatingPromise },
  { check: checkEmptyCatch },
]

/** Every breach in the program's own files, in reading order: `{ file, line, message }`, file relative to root. */
export function findProblems(program, root, sources = program.getSourceFiles()) {
  const checker = program.getTypeChecker()
  return sources.flatMap((source) => {
    const file = relative(root, source.fileName).split(sep).join('/')
    return isChecked(file) ? findProblemsInFile(source, file, checker) : []
  })
}

function isChecked(file) {
  return CHECKED_FOLDERS.includes(file.split('/')[0]) && !file.includes('node_modules/')
}

function findProblemsInFile(source, file, checker) {
  const rules = isTest(file) ? RULES.filter((rule) => rule.isForTests !== false) : RULES
  const problems = []
  const visit = (node) => {
    for (const rule of rules) {
      const message = rule.check(node, { file, source, checker })
      if (message) problems.push({ file, line: firstLine(node, source), message })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return problems
}

function isTest(file) {
  return (
    file.startsWith('test/') || file.endsWith('.test.ts') || file.endsWith('.test.tsx') || file.includes('/fixtures/')
  )
}

// A finding about a whole file is reported on line 1, not on the first line after the opening comment.
function firstLine(node, source) {
  return ts.isSourceFile(node) ? 1 : lineOf(source, node.getStart(source))
}

function lineOf(source, position) {
  return source.getLineAndCharacterOfPosition(position).line + 1
}

function checkFileName(node, { file }) {
  if (!ts.isSourceFile(node)) return undefined
  const bad = file.split('/').find((part) => MEANINGLESS_NAMES.has(part.split('.')[0]))
  return bad && `the name ${bad} says nothing: name it for what it holds, or put its contents beside their user`
}

function checkFileLength(node) {
  if (!ts.isSourceFile(node) || isMarkedAsTable(node)) return undefined
  const lines = node.text.trimEnd().split('\n').length
  return lines > MAX_FILE_LINES && `the file has ${lines} lines, the limit is ${MAX_FILE_LINES}`
}

function isMarkedAsTable(source) {
  return source.text.split('\n', TABLE_MARKER_WITHIN_LINES).some((line) => line.trim() === TABLE_MARKER)
}

function checkFunctionLength(node, { source }) {
  if (!ts.isFunctionLike(node) || !node.body) return undefined
  const lines = lineOf(source, node.end) - lineOf(source, node.getStart(source)) + 1
  return lines > MAX_FUNCTION_LINES && `${nameOf(node, source)} has ${lines} lines, the limit is ${MAX_FUNCTION_LINES}`
}

function nameOf(node, source) {
  if (ts.isConstructorDeclaration(node)) return 'the constructor'
  const name = node.name ?? node.parent.name
  return name ? `the function ${name.getText(source)}` : 'a function without a name'
}

function checkAny(node) {
  return node.kind === ts.SyntaxKind.AnyKeyword && 'no any: use the real type, or unknown and narrow it'
}

// A comment counts as content: it says why the error may be dropped.
function checkEmptyCatch(node, { source }) {
  if (!ts.isCatchClause(node) || node.block.getText(source).slice(1, -1).trim() !== '') return undefined
  return 'empty catch: answer, rethrow or record the error, or say why it may be dropped'
}

function checkFloatingPromise(node, { checker }) {
  if (!ts.isExpressionStatement(node) || !isFloating(node.expression, checker)) return undefined
  return 'floating promise: await it, return it, handle its failure with .catch, or mark it with void'
}

function isFloating(wrapped, checker) {
  const expression = unwrap(wrapped)
  if (ts.isConditionalExpression(expression)) {
    return isFloating(expression.whenTrue, checker) || isFloating(expression.whenFalse, checker)
  }
  if (ts.isBinaryExpression(expression)) {
    return valueOperands(expression).some((operand) => isFloating(operand, checker))
  }
  return isThenable(checker.getTypeAtLocation(expression), expression, checker) && !isFailureHandled(expression)
}

function unwrap(expression) {
  let inner = expression
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isNonNullExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner)
  ) {
    inner = inner.expression
  }
  return inner
}

// The operands whose value is unused if the expression is a statement. An assignment uses its value, so it has none.
function valueOperands({ left, right, operatorToken: { kind } }) {
  if (kind === ts.SyntaxKind.AmpersandAmpersandToken) return [right]
  return EITHER_OPERAND.has(kind) ? [left, right] : []
}

// True when any member of a union has a `then` that takes a callback: `Outcome | Promise<Outcome>` can float as well.
function isThenable(type, node, checker) {
  if (type.isUnion()) return type.types.some((member) => isThenable(member, node, checker))
  const then = checker.getPropertyOfType(checker.getApparentType(type), 'then')
  if (!then) return false
  return signaturesOf(checker.getTypeOfSymbolAtLocation(then, node)).some((signature) => {
    const [callback] = signature.getParameters()
    return callback && signaturesOf(checker.getTypeOfSymbolAtLocation(callback, node)).length > 0
  })
}

function signaturesOf(type) {
  return (type.isUnion() ? type.types : [type]).flatMap((member) => member.getCallSignatures())
}

function isFailureHandled(wrapped) {
  const expression = unwrap(wrapped)
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return false
  const { name, expression: promise } = expression.expression
  if (name.text === 'catch') return expression.arguments.length >= 1
  if (name.text === 'then') return expression.arguments.length >= 2
  // `.finally` passes a failure on, so the promise before it counts.
  return name.text === 'finally' && isFailureHandled(promise)
}

// Type errors and breaches of one project, as printed lines.
function checkProject(root, configFile) {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: failOnConfig }
  const config = ts.getParsedCommandLineOfConfigFile(join(root, configFile), {}, host)
  const cache = join(root, 'node_modules/.cache/arc', `${configFile.replaceAll('/', '-')}.tsbuildinfo`)
  const options = { ...config.options, incremental: true, tsBuildInfoFile: cache }
  const builder = ts.createIncrementalProgram({ rootNames: config.fileNames, options })
  const { diagnostics, affected } = checkAffected(builder)
  const lines = diagnostics.map((diagnostic) => ts.formatDiagnostic(diagnostic, formatHost(root)).trimEnd())
  for (const { file, line, message } of findProblems(builder.getProgram(), root, affected)) {
    lines.push(`${file}:${line}: ${message}`)
  }
  mkdirSync(dirname(cache), { recursive: true })
  // With a problem nothing is remembered, so that the next check reports it again.
  if (lines.length > 0) rmSync(cache, { force: true })
  else builder.emit()
  return lines
}

// The files that have to be checked since the last check without problems, with their type errors.
function checkAffected(builder) {
  const diagnostics = [
    ...[...builder.getConfigFileParsingDiagnostics(), ...builder.getOptionsDiagnostics()],
    ...[...builder.getSyntacticDiagnostics(), ...builder.getGlobalDiagnostics()],
  ]
  const affected = new Set()
  for (let next = builder.getSemanticDiagnosticsOfNextAffectedFile(); next; ) {
    diagnostics.push(...next.result)
    // The whole program counts as affected when the options or the global types changed.
    for (const source of 'fileName' in next.affected ? [next.affected] : builder.getSourceFiles()) affected.add(source)
    next = builder.getSemanticDiagnosticsOfNextAffectedFile()
  }
  return { diagnostics, affected: [...affected] }
}

function formatHost(root) {
  return { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' }
}

function failOnConfig(diagnostic) {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
}

function main() {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const configs = process.argv.length > 2 ? process.argv.slice(2) : CONFIGS
  const lines = new Set(configs.flatMap((config) => checkProject(root, config)))
  for (const line of lines) console.log(line)
  if (lines.size > 0) process.exitCode = 1
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main()
