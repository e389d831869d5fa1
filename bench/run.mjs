// `npm run bench [-- --json]`: runs the benchmarks and prints our figures beside the peers' and the limits.

import { benchEngine } from './engine.mjs'
import { benchMemory } from './memory.mjs'

const result = { engine: await benchEngine(), memory: await benchMemory() }
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
else print(result)

function print({ engine, memory }) {
  const names = Object.keys(engine.rows[0].times)
  printRow('time per dispatch', names)
  for (const { case: name, times } of engine.rows)
    printRow(
      name,
      names.map((who) => formatTime(times[who])),
    )
  process.stdout.write('\n')
  for (const { case: name, of, against, ratio, atMost, ok } of [...engine.limits, ...memory.limits]) {
    const what = `${name}: ${of} / ${against}`
    process.stdout.write(`${ok ? 'ok  ' : 'OVER'} ${what.padEnd(46)} ${ratio.toFixed(2)}× (at most ${atMost}×)\n`)
  }
}

function printRow(name, cells) {
  process.stdout.write(`${name.padEnd(20)} ${cells.map((cell) => cell.padStart(12)).join('')}\n`)
}

function formatTime(ns) {
  if (ns === undefined) return ''
  return ns >= 1000 ? `${(ns / 1000).toFixed(2)} µs` : `${ns.toFixed(0)} ns`
}
