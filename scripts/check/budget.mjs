// Holds the sizes that decide start-up to their limits. Only bytes decide: they are the same on every machine.
// The start-up time is printed beside them for information and never fails anything.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import esbuild from 'esbuild'
import ts from 'typescript'

const BUDGETS = [
  { name: 'all that arc --version loads', limitKb: 60, measure: readLoadedByVersion },
  { name: 'the bundle of arc hook', limitKb: 1_400, measure: () => readBundle('hook.cjs') },
  { name: 'the bundle of all other commands', limitKb: 2_200, measure: () => readBundle('commands.cjs') },
  { name: 'src/engine bundled and minified', limitKb: 66, measure: bundleCore },
  { name: 'the page as first loaded', limitKb: 120, measure: readFirstLoad, isGzipped: true },
]

const TIMED_RUNS = 10
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = join(ROOT, 'bin', 'arc')
const CLI_ENTRY = join(ROOT, 'dist', 'cli', 'main.cjs')
const PAGE = join(ROOT, 'dist', 'dashboard')

await main()

async function main() {
  const { values } = parseArgs({ options: { 'no-timing': { type: 'boolean', default: false } } })
  requireBuilt()
  for (const budget of BUDGETS) await checkBudget(budget)
  if (!values['no-timing']) printStartUp()
}

function requireBuilt() {
  const missing = [BIN, CLI_ENTRY, join(PAGE, 'index.html')].filter((file) => !existsSync(file))
  if (missing.length === 0) return
  const names = missing.map((file) => relative(ROOT, file)).join(' and ')
  console.error(`${names} not found, so there is nothing to measure (npm run build makes dist)`)
  process.exit(1)
}

async function checkBudget({ name, limitKb, measure, isGzipped = false }) {
  try {
    const code = Buffer.concat(await measure())
    const gzipped = gzipSync(code).length
    const isWithin = (isGzipped ? gzipped : code.length) <= limitKb * 1024
    const sizes = isGzipped
      ? `${kb(gzipped)} of ${limitKb} KB gzipped (${kb(code.length)} KB)`
      : `${kb(code.length)} of ${limitKb} KB (${kb(gzipped)} KB gzipped)`
    console.log(`${isWithin ? 'ok    ' : 'failed'}  ${name.padEnd(40)} ${sizes}`)
    if (!isWithin) process.exitCode = 1
  } catch (error) {
    console.log(`failed  ${name.padEnd(40)} ${error.message}`)
    process.exitCode = 1
  }
}

function kb(bytes) {
  return (bytes / 1024).toFixed(1)
}

function readBundle(name) {
  return [readFileSync(join(dirname(CLI_ENTRY), name))]
}

function staticImports(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
    return isImport && statement.moduleSpecifier ? [statement.moduleSpecifier.text] : []
  })
}

// Node's own coverage names every script that ran, lazily loaded ones and packages included.
function readLoadedByVersion() {
  const folder = mkdtempSync(join(tmpdir(), 'arc-budget-'))
  try {
    const result = runArcVersion({ NODE_V8_COVERAGE: join(folder, 'coverage'), ARC_HOME: join(folder, 'home') })
    if (result.status !== 0) throw new Error(`arc --version ended with ${result.status}: ${result.stderr}`)
    const reports = readdirSync(join(folder, 'coverage')).map((name) => join(folder, 'coverage', name))
    const urls = reports.flatMap((report) => JSON.parse(readFileSync(report, 'utf8')).result.map(({ url }) => url))
    const files = new Set(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)))
    return [...files].map((file) => readFileSync(file))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runArcVersion(env = {}) {
  return spawnSync(process.execPath, [BIN, '--version'], { encoding: 'utf8', env: { ...process.env, ...env } })
}

async function bundleCore() {
  const folder = join(ROOT, 'src', 'engine')
  const files = readdirSync(folder, { recursive: true }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const { outputFiles } = await esbuild.build({
    // Every export counts, with all that it needs of other folders.
    stdin: { contents: files.map((name, at) => `export * as m${at} from './${name}'`).join('\n'), resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node20.19',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map((file) => file.contents)
}

// What a browser fetches before it draws: the page, and every file that it or a script names to be loaded at once.
function readFirstLoad() {
  const files = new Set([join(PAGE, 'index.html')])
  for (const file of files) {
    const isPage = file.endsWith('.html')
    const named = isPage ? namedByPage(file) : file.endsWith('.js') ? staticImports(file) : []
    for (const name of named) files.add(name.startsWith('/') ? join(PAGE, name) : resolve(dirname(file), name))
  }
  return [...files].map((file) => readFileSync(file))
}

function namedByPage(file) {
  return [...readFileSync(file, 'utf8').matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name)
}

function printStartUp() {
  const bare = []
  const arc = []
  // In turn, so that whatever else the machine does falls on both alike.
  for (let run = 0; run < TIMED_RUNS; run += 1) {
    bare.push(timeMs(() => spawnSync(process.execPath, ['-e', '0'])))
    arc.push(timeMs(() => runArcVersion()))
  }
  const ratio = (median(arc) / median(bare)).toFixed(2)
  const times = `arc --version ${median(arc).toFixed(1)} ms, node -e 0 ${median(bare).toFixed(1)} ms`
  console.log(`info    start-up: ${times}, ratio ${ratio}`)
}

function timeMs(work) {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2
}
