// `npm run bench [-- --json] [-- --only engine,commands,trace,pipeline,memory,startup,dashboard]`: prints our figures beside the peers' and the limits.

import { benchCommands } from './commands.mjs'
import { benchDashboard } from './dashboard.mjs'
import { benchEngine } from './engine.mjs'
import { benchHook } from './hook.mjs'
import { benchMemory } from './memory.mjs'
import { benchPipeline } from './pipeline.mjs'
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

const args = process.argv.slice(2)
const only = args.includes('--only') ? args[args.indexOf('--only') + 1].split(',') : Object.keys(BENCHES)
const isJson = args.includes('--json')

const results = {}
for (const name of only) {
  if (!(name in BENCHES)) throw new Error(`there is no bench ${name}; there are ${Object.keys(BENCHES).join(', ')}`)
  results[name] = await BENCHES[name]()
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
  for (const { case: name, of, against, ratio, atMost, ok } of limits) {
    const what = `${name}: ${of} / ${against}`
    process.stdout.write(`${ok ? 'ok  ' : 'OVER'} ${what.padEnd(46)} ${ratio.toFixed(2)}× (at most ${atMost}×)\n`)
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
