// Checks the types and the entries of the packed package as those who install it see them: with the compiler, with publint and
// with attw. That it works is tested in test/package.process.test.ts.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { installPacked } from '../packed-package.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const ENTRIES = Object.keys(PACKAGE.exports).filter((name) => name !== './package.json')

// Once with every declaration of the package checked; what is left to see for a bundler is how names resolve.
const RESOLUTIONS = [
  {
    ...{ name: 'nodenext', checked: /consumer\.ts$|\/node_modules\/arc-supervisor\//, least: ENTRIES.length + 1 },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  },
  {
    ...{ name: 'bundler', checked: /consumer\.ts$/, least: 1 },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  },
]

// It is made of modules only: those who require() it, and resolvers older than `exports`, are not served.
const UNSERVED = ['node10', 'node16-cjs']

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'arc-package-')))
try {
  const { tarball, project } = installPacked(folder)
  const types = RESOLUTIONS.flatMap((resolution) => checkTypes(project, resolution))
  const problems = [...types, ...(await runPublint(tarball)), ...runAttw(tarball, folder)]
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function checkTypes(project, { name, checked, least, ...resolution }) {
  const own = join(project, name)
  const types = join(project, 'node_modules/@types')
  for (const path of [own, types]) mkdirSync(path, { recursive: true })
  for (const one of ['node', 'ws']) linkOnce(join(MODULES, '@types', one), join(types, one))
  writeFileSync(join(own, 'consumer.ts'), consumerText())
  const options = { ...resolution, target: ts.ScriptTarget.ES2023, strict: true, noEmit: true, types: ['node'] }
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram([join(own, 'consumer.ts')], options, { ...host, getCurrentDirectory: () => own })
  const files = program.getSourceFiles().filter(({ fileName }) => checked.test(fileName))
  const found = [
    ...[...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()],
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  const missing = files.length < least ? [`${name}: only ${files.length} files were checked`] : []
  return [...missing, ...found.map((one) => `${name}: ${ts.formatDiagnostic(one, host).trimEnd()}`)]
}

function linkOnce(target, path) {
  try {
    symlinkSync(target, path)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}

function consumerText() {
  const imports = ENTRIES.map((entry, at) => `import * as entry${at} from 'arc-supervisor${entry.slice(1)}'`)
  return `${imports.join('\n')}
import { createEngine, type Outcome } from 'arc-supervisor'
const engine = createEngine({ mode: 'enforce' })
engine.register('pre:tool:shell', ({ data }) => (data.args.command === 'x' ? 'block' : 'pass'))
// @ts-expect-error: a tool call has no prompt to change
engine.register('pre:tool', () => ({ modify: { prompt: 'x' } }))
const outcome: Outcome = await engine.dispatch('pre:tool', { tool: 'shell', args: {} })
export const all = [outcome, ${ENTRIES.map((_, at) => `entry${at}`).join(', ')}]
`
}

async function runPublint(tarball) {
  const file = readFileSync(tarball)
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength)
  const { messages } = await publint({ pack: { tarball: bytes }, strict: true })
  return messages.map((message) => `publint: ${formatMessage(message, PACKAGE, { color: false })}`)
}

function runAttw(tarball, cwd) {
  const args = [join(MODULES, '.bin/attw'), tarball, '--profile', 'esm-only', '--format', 'json', '--no-color']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (!stdout.startsWith('{')) return [`attw ended with ${status}: ${stderr}`]
  const { analysis } = JSON.parse(stdout)
  const problems = analysis.problems.filter(({ resolutionKind }) => !UNSERVED.includes(resolutionKind ?? ''))
  if (analysis.packageName !== PACKAGE.name) return [`attw looked at ${analysis.packageName}`]
  if (status !== 0 && problems.length === 0) return [`attw ended with ${status}`]
  return problems.map((problem) => `attw: ${JSON.stringify(problem)}`)
}
