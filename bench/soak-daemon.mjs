// The memory of a daemon: idle, after bursts that it cannot take at once, and over many calls. `--calls N` sets how many;
// a million takes a while, so it is not part of a run of everything. With `--minutes M` the daemon is used lightly for that
// time instead, and its memory, descriptors and watches are printed for every minute.

import { callTogether, closeCalls, withHome } from './daemon.mjs'
import { useLightly } from './soak/light-use.mjs'

const CALLS = 1_000_000
const PARTS = 20
const WARM_UP = 5_000
const BURST = { calls: 5_000, connections: 5_000 }
const BURSTS = 4
const IDLE_MB = 120
// What a heap swings by between two collections.
const GROWTH = 1.25

/** The soak that the arguments ask for. */
export function benchSoak() {
  const minutes = argument('--minutes')
  return minutes === undefined ? benchCalls(Number(argument('--calls') ?? CALLS)) : benchLightUse(Number(minutes))
}

// The figures of the second half of the time, compared with those of the quarter before it.
async function benchLightUse(minutes) {
  const curve = []
  await useLightly(minutes, (minute, figures) => {
    curve.push({ minute, ...figures })
    process.stderr.write(`${formatFigures(curve.at(-1), curve.length === 1)}\n`)
  })
  const middle = curve.slice(Math.floor(curve.length / 4), Math.ceil(curve.length / 2))
  const late = curve.slice(-middle.length)
  const compare = (name, atMost) =>
    limit(`${name} over ${minutes} minutes`, 'late', 'middle', average(late, name) / average(middle, name), atMost)
  return {
    rows: [],
    curve,
    limits: [
      compare('heapMb', 1.1),
      compare('rssMb', GROWTH),
      compare('descriptors', 1.1),
      compare('watches', 1.1),
      compare('timers', 1.1),
    ],
  }
}

function average(curve, name) {
  return curve.reduce((sum, figures) => sum + figures[name], 0) / curve.length
}

function formatFigures(figures, hasTitle) {
  const cells = (values) => values.map((value) => String(value).padStart(12)).join('')
  return `${hasTitle ? `${cells(Object.keys(figures))}\n` : ''}${cells(Object.values(figures))}`
}

// Runs the given number of calls and compares the memory at the end with the memory at the start.
function benchCalls(calls) {
  return withHome(async ({ startDaemon }) => {
    const { socket, residentMb } = await startDaemon()
    const idle = await settled(residentMb)
    await callTogether(socket, { calls: Math.min(WARM_UP, calls), connections: 16 })
    const early = await settled(residentMb)
    const samples = []
    for (let part = 0; part < PARTS; part++) {
      await callTogether(socket, { calls: Math.ceil(calls / PARTS), connections: 16 })
      samples.push(Math.round(residentMb()))
    }
    const late = await settled(residentMb)
    const bursts = []
    for (let burst = 0; burst < BURSTS; burst++) {
      const { statuses } = await callTogether(socket, BURST)
      closeCalls()
      bursts.push({ mb: Math.round(await settled(residentMb)), statuses })
    }
    process.stderr.write(`MB every ${calls / PARTS} calls: ${samples.join(' ')}; bursts: ${JSON.stringify(bursts)}\n`)
    return {
      rows: [],
      limits: [
        limit('idle memory', 'MB', '1', idle, IDLE_MB),
        limit(`memory after ${calls} calls`, 'late', 'early', late / early, GROWTH),
        limit(`bursts of ${BURST.connections} at once`, 'last', 'first', bursts.at(-1).mb / bursts[0].mb, GROWTH),
      ],
    }
  })
}

// The smallest of a few seconds: collections come when they like.
async function settled(residentMb) {
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < 6; look++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    least = Math.min(least, residentMb() ?? Number.NaN)
  }
  return least
}

function limit(name, of, against, ratio, atMost) {
  return { case: name, of, against, ratio, atMost, ok: ratio <= atMost }
}

function argument(name) {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
