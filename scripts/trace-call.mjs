// Lists the source files that one tool call crosses in a warm daemon, in order of first use: a PreToolUse call of Claude
// over the socket. A copy of src is instrumented; a file counts when one of its functions runs.
// Usage: node scripts/trace-call.mjs [--json] [--functions]

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SHELL_ANALYSIS = 'risk/shell/'
const COMMAND = 'git status && ls -la build'

const hits = []
let chain
Error.stackTraceLimit = 200
globalThis.arcHit = (name) => {
  hits.push(name)
  if (name.startsWith(SHELL_ANALYSIS)) chain ??= readChain(new Error('chain').stack)
}

const root = mkdtempSync(join(tmpdir(), 'arc-trace-call-'))
try {
  const files = await traceCall()
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(files)}\n`)
  else print(files)
} finally {
  rmSync(root, { recursive: true, force: true })
}

async function traceCall() {
  instrument()
  const home = join(root, 'home')
  const project = join(root, 'project')
  mkdirSync(project)
  const { startDaemon } = await import(pathToFileURL(join(root, 'src/daemon/server.js')))
  const daemon = await startDaemon({ home, version: '0.0.0', port: 0, report: (message) => console.error(message) })
  try {
    for (const id of ['warm-1', 'warm-2']) await call(daemon.socket, project, id)
    hits.length = 0
    chain = undefined
    await call(daemon.socket, project, 'traced')
    return summarize([...hits])
  } finally {
    await daemon.stop()
  }
}

/** Files in order of first use, before the first function of the shell analysis, and in the whole call. */
function summarize(all) {
  const end = all.findIndex((name) => name.startsWith(SHELL_ANALYSIS))
  const fileOf = (name) => name.slice(0, name.indexOf('#'))
  const before = [...new Set(all.slice(0, end).map(fileOf))]
  const folders = [...new Set(before.map((file) => file.split('/')[0]))]
  const whole = [...new Set(all.map(fileOf))]
  const functions = [...new Set(all.slice(0, end))]
  return { before, folders, chain, whole, functions }
}

/** The files of the call stack, asynchronous callers included, outermost first. */
function readChain(stack) {
  const files = [...stack.matchAll(/\/src\/([\w/.-]+)\.js/g)].map(([, file]) => `${file}.ts`)
  return [...new Set(files.filter((file) => !file.startsWith(SHELL_ANALYSIS)))].reverse()
}

function print({ before, folders, whole, functions }) {
  const shown = process.argv.includes('--functions') ? functions : before
  process.stdout.write(`${shown.join('\n')}\n\n`)
  const total = `${whole.length} files in the whole call.`
  process.stdout.write(`${before.length} files in ${folders.length} folders before the shell analysis; ${total}\n`)
  process.stdout.write(`Call chain, ${chain.length} files: ${chain.join(' → ')}\n`)
}

function call(socketPath, cwd, id) {
  const input = { command: COMMAND }
  const event = {
    session_id: 's',
    cwd,
    hook_event_name: 'PreToolUse',
    tool_use_id: id,
    tool_name: 'Bash',
    tool_input: input,
  }
  const body = JSON.stringify(event)
  const headers = { accept: 'application/vnd.arc.sh', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { socketPath, path: '/v1/hook/claude/PreToolUse', method: 'POST', headers }
    const sent = request(options, (response) => response.resume().on('end', resolve))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Copies src as JavaScript that reports each function it runs. */
function instrument() {
  const target = ts.ScriptTarget.ES2023
  const compilerOptions = { target, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
  for (const file of sourceFiles(join(ROOT, 'src'))) {
    const name = relative(join(ROOT, 'src'), file)
    const options = { fileName: file, compilerOptions, transformers: { before: [reportFunctions(name)] } }
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), options)
    const out = join(root, 'src', name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(out, outputText.replace(/(['"])(\.\.?\/[^'"\n]+)\.ts\1/g, '$1$2.js$1'))
  }
  writeFileSync(join(root, 'package.json'), readFileSync(join(ROOT, 'package.json')))
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
}

function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.(?:test|d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function reportFunctions(file) {
  return (context) => {
    const { factory } = context
    const report = (name) => {
      const callee = factory.createPropertyAccessExpression(factory.createIdentifier('globalThis'), 'arcHit')
      const args = [factory.createStringLiteral(`${file}#${name}`)]
      return factory.createExpressionStatement(
        factory.createCallChain(callee, factory.createToken(ts.SyntaxKind.QuestionDotToken), undefined, args),
      )
    }
    const visit = (node) => {
      const seen = ts.visitEachChild(node, visit, context)
      const { body } = seen
      if (!ts.isFunctionLike(seen) || body === undefined) return seen
      const name = node.name && ts.isIdentifier(node.name) ? node.name.text : node.name ? node.name.getText() : '()'
      if (!ts.isBlock(body)) return arrowWithBlock(factory, seen, report(name))
      return withStatements(factory, seen, factory.createBlock([report(name), ...body.statements], true))
    }
    return (source) => ts.visitEachChild(source, visit, context)
  }
}

function arrowWithBlock(factory, node, first) {
  const block = factory.createBlock([first, factory.createReturnStatement(node.body)], true)
  return withStatements(factory, node, block)
}

function withStatements(factory, node, body) {
  const { modifiers, name, typeParameters, parameters, type } = node
  if (ts.isArrowFunction(node))
    return factory.updateArrowFunction(
      node,
      modifiers,
      typeParameters,
      parameters,
      type,
      node.equalsGreaterThanToken,
      body,
    )
  if (ts.isFunctionDeclaration(node))
    return factory.updateFunctionDeclaration(
      node,
      modifiers,
      node.asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      body,
    )
  if (ts.isFunctionExpression(node))
    return factory.updateFunctionExpression(
      node,
      modifiers,
      node.asteriskToken,
      name,
      typeParameters,
      parameters,
      type,
      body,
    )
  if (ts.isMethodDeclaration(node))
    return factory.updateMethodDeclaration(
      node,
      modifiers,
      node.asteriskToken,
      name,
      node.questionToken,
      typeParameters,
      parameters,
      type,
      body,
    )
  if (ts.isGetAccessor(node)) return factory.updateGetAccessorDeclaration(node, modifiers, name, parameters, type, body)
  if (ts.isSetAccessor(node)) return factory.updateSetAccessorDeclaration(node, modifiers, name, parameters, body)
  return node
}
