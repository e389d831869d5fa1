// `npm run bench [-- --json] [-- --only engine,commands,trace,pipeline,hook,memory,startup,dashboard]`: prints our figures beside the
// peers' and the limits. `--only chaos`, `--only fuzz`, `--only growth [--records N,N]`, `--only soak`, `--only projects` and
// `--only soak-daemon [--calls N] [--minutes M]` look for what breaks or grows; they take minutes, so they run only when
// they are asked for.

import { runChaos } from './chaos.mjs'
import { benchCommands } from './commands.mjs'
import { benchDashboard } from './dashboard.mjs'
import { benchEngine } from './engine.mjs'
import { runFuzz } from './fuzz.mjs'
import { runGrowth } from './growth.mjs'
import { benchHook } from './hook.mjs'
import { benchMemory } from './memory.mjs'
import { benchPipeline } from './pipeline.mjs'
import { benchProjects } from './projects.mjs'
import { runSoak } from './soak.mjs'
import { benchSoak } from './soak-daemon.mjs'
import { benchStartup } from './startup.mjs'
import { benchTrace } from './trace.mjs'

const BENCHES = {
  engine: benchEngine,
  commands: benchCommands,
  trace: benchTrace,
  pipeline: benchPipeline,
  hook: benchHook,
  memory: benchMemory,
  startup: benchStartup,
  dashboard: benchDashboard,
}

const ON_REQUEST = { chaos: runChaos, fuzz: runFuzz, growth: runGrowth, soak: runSoak }
const LONG = { projects: benchProjects, 'soak-daemon': benchSoak }

const args = process.argv.slice(2)
const option = (name) => (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined)
const hasOption = (name) => args.includes(`--${name}`)
const only = option('only')?.split(',') ?? Object.keys(BENCHES)
const isJson = args.includes('--json')

const results = {}
for (const name of only) {
  if (Object.hasOwn(ON_REQUEST, name)) {
    results[name] = await ON_REQUEST[name]({ option, hasOption, isJson })
    if (!results[name].ok) process.exitCode = 1
    continue
  }
  const bench = { ...BENCHES, ...LONG }[name]
  if (bench === undefined) {
    throw new Error(
      `there is no bench ${name}; there are ${Object.keys({ ...BENCHES, ...LONG, ...ON_REQUEST }).join(', ')}`,
    )
  }
  results[name] = await bench()
  if (!isJson) print(name, results[name])
}
if (isJson) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)

function print(title, { rows, limits }) {
  const names = [...new Set(rows.flatMap(({ times }) => Object.keys(times)))]
  printRow(title, names)
  for (const { case: name, times } of rows)
    printRow(
      name,
      names.map((who) => formatTime(times[who])),
    )
  process.stdout.write('\n')
  for (const { case: name, of, against, ratio, atMost, atLeast, ok } of limits) {
    const isPlain = against === '1' || against === 's'
    const what = isPlain ? name : `${name}: ${of} / ${against}`
    const unit = isPlain ? ` ${of}` : '×'
    const bound = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`
    process.stdout.write(
      `${ok ? 'ok  ' : 'OVER'} ${what.padEnd(46)} ${ratio.toFixed(ratio < 0.1 ? 3 : 2)}${unit} (${bound}${unit})\n`,
    )
  }
  process.stdout.write('\n')
}

function printRow(name, cells) {
  process.stdout.write(`${name.padEnd(20)} ${cells.map((cell) => cell.padStart(14)).join('')}\n`)
}

function formatTime(ns) {
  if (ns === undefined) return ''
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(2)} ms`
  return ns >= 1000 ? `${(ns / 1000).toFixed(2)} µs` : `${ns.toFixed(0)} ns`
}
