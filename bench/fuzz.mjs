// `npm run bench -- --only fuzz [--cases 100000] [--seed N] [--target NAME]`: the targets of test/fuzz with many cases. A
// failure prints its seed and the smallest input that shows it.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Runs the targets, printing each as it ends; says whether all held. */
export async function runFuzz({ option, isJson }) {
  const cases = Number(option('cases') ?? 100_000)
  const seed = Number(option('seed') ?? Date.now() % 2 ** 31)
  const wanted = option('target')
  const { TARGETS, runTarget } = await loadTargets()
  const targets = TARGETS.filter(({ name }) => wanted === undefined || name.includes(wanted))
  if (targets.length === 0)
    throw new Error(`there is no target ${wanted}; there are ${TARGETS.map(({ name }) => name).join(', ')}`)
  // The cases are divided among the targets; slow targets get fewer.
  const each = cases / targets.reduce((sum, { cost = 1 }) => sum + 1 / cost, 0)
  const results = []
  if (!isJson) process.stdout.write(`fuzz: seed ${seed}\n${row(['target', 'cases', 'cases/s', 'slowest'])}`)
  for (const target of targets) {
    const result = await runTarget(target, { seed, cases: each })
    results.push(result)
    if (!isJson) print(result)
  }
  return { seed, ok: results.every(({ failure }) => failure === undefined), results }
}

// Inside the checkout, so that the packages are found from there; sources import as `.ts`, which Node 20 cannot run.
async function loadTargets() {
  const folder = join(ROOT, 'dist', `fuzz-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const outfile = join(folder, 'targets.mjs')
    buildSync({
      entryPoints: [join(ROOT, 'test/fuzz/targets.ts')],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external', target: 'node20.19' },
      // The fixtures are found from the sources.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(ROOT, 'test/host-subjects.ts')).href) },
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function print({ name, cases, ms, slowestMs, failure }) {
  const perSecond = Math.round(cases / (ms / 1000))
  process.stdout.write(row([name, String(cases), String(perSecond), `${slowestMs.toFixed(1)} ms`]))
  if (failure !== undefined) process.stdout.write(`FAILED ${name}\n${failure.slice(0, 4_000)}\n`)
}

function row([name, ...cells]) {
  return `${name.padEnd(24)}${cells.map((cell) => cell.padStart(12)).join('')}\n`
}
