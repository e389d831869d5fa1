// Calls a second and the slowest hundredth over 1, 16, 20 and 200 projects with their own layers, from 200 sessions at once,
// as ratios to one project; and the memory of the daemon over a rotation through thousands of projects.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quantile, sendCall, withHome } from './daemon.mjs'
import { makeProject } from './soak/light-use.mjs'
import { probeOptions, readFigures } from './soak/process-figures.mjs'

const COUNTS = [1, 16, 20, 200]
const SESSIONS = 200
const CALLS = 2_000
const ROUNDS = 3
const ROTATED = 3_000

/** Measures all numbers of projects in turn, several times, on one daemon. */
export function benchProjects() {
  const root = mkdtempSync(join(tmpdir(), 'arc-bench-projects-'))
  return withHome(async ({ startDaemon }) => {
    try {
      const probe = probeOptions(root)
      const { socket, child } = await startDaemon(probe.nodeArgs, probe.env)
      const projects = Array.from({ length: Math.max(...COUNTS) }, (_, at) => makeProject(root, at))
      const measured = Object.fromEntries(COUNTS.map((count) => [count, []]))
      for (let round = 0; round <= ROUNDS; round++) {
        for (const count of COUNTS) {
          const result = await callFrom({ socket, pid: child.pid }, projects.slice(0, count), round)
          // The first round warms up.
          if (round > 0) measured[count].push(result)
        }
      }
      const figures = await readFigures(child.pid, root)
      const rotation = await rotate({ socket, root, look: () => readFigures(child.pid, root) })
      return summarize(measured, figures, rotation)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
}

async function callFrom({ socket, pid }, projects, round) {
  const times = []
  const startedAt = performance.now()
  const cpuBefore = readCpuTicks(pid)
  let left = CALLS
  const session = async (at) => {
    for (let call = 0; left-- > 0; call++) {
      const sentAt = performance.now()
      const id = `${projects.length}-${round}-${at}-${call}`
      await callOnce(socket, { session_id: `s${at}`, cwd: projects[at % projects.length], tool_use_id: id })
      times.push((performance.now() - sentAt) * 1e6)
    }
  }
  await Promise.all(Array.from({ length: SESSIONS }, (_, at) => session(at)))
  const perSecond = (CALLS * 1_000) / (performance.now() - startedAt)
  return { perSecond, cpu: readCpuTicks(pid) - cpuBefore, times }
}

async function callOnce(socket, payload) {
  const tool = { tool_name: 'Bash', tool_input: { command: 'git status --short' } }
  const status = await sendCall(socket, 'PreToolUse', { ...payload, ...tool })
  if (status !== 200) throw new Error(`the daemon answered with ${status}`)
}

// Each project is used once, as by somebody with many checkouts over a long time.
async function rotate({ socket, root, look }) {
  const looks = []
  for (let at = 0; at < ROTATED; at++) {
    const cwd = makeProject(root, `rotated-${at}`)
    await callOnce(socket, { session_id: 'rotation', cwd, tool_use_id: `rotated-${at}` })
    rmSync(cwd, { recursive: true })
    if (at % (ROTATED / 3) === ROTATED / 3 - 1) looks.push(await look())
  }
  return looks
}

function summarize(measured, figures, rotation) {
  const rate = (count) =>
    quantile(
      measured[count].map(({ perSecond }) => perSecond),
      0.5,
    )
  const cpu = (count) => measured[count].reduce((sum, one) => sum + one.cpu, 0)
  const slowest = (count) =>
    quantile(
      measured[count].flatMap(({ times }) => times),
      0.99,
    )
  const middle = (count) =>
    quantile(
      measured[count].flatMap(({ times }) => times),
      0.5,
    )
  process.stderr.write(`calls a second: ${COUNTS.map((count) => `${count}: ${Math.round(rate(count))}`).join(', ')}\n`)
  process.stderr.write(`with 200 projects: ${JSON.stringify(figures)}\n`)
  process.stderr.write(`after ${ROTATED / 3}, ${(2 * ROTATED) / 3} and ${ROTATED} more: ${JSON.stringify(rotation)}\n`)
  const many = COUNTS.slice(1)
  return {
    rows: [
      { case: 'median', times: Object.fromEntries(COUNTS.map((count) => [`${count} projects`, middle(count)])) },
      {
        case: 'slowest hundredth',
        times: Object.fromEntries(COUNTS.map((count) => [`${count} projects`, slowest(count)])),
      },
    ],
    limits: [
      ...many.map((count) => atLeast('calls a second', `${count} projects`, '1 project', rate(count) / rate(1), 0.8)),
      // On a busy machine this ratio says more than the rate.
      atMost('processor time a call', '200 projects', '1 project', cpu(200) / cpu(1), 1.25),
      atMost('slowest hundredth', '200 projects', '1 project', slowest(200) / slowest(1), 3),
      atMost('heap over a rotation', 'late', 'early', rotation.at(-1).heapMb / rotation[0].heapMb, 1.1),
      atMost('watches over a rotation', 'late', 'early', rotation.at(-1).watches / rotation[0].watches, 1.1),
    ],
  }
}

// User and system time of a process.
function readCpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function atLeast(name, of, against, ratio, least) {
  return { case: name, of, against, ratio, atLeast: least, ok: ratio >= least }
}

function atMost(name, of, against, ratio, most) {
  return { case: name, of, against, ratio, atMost: most, ok: ratio <= most }
}
