// The figures of a running process: resident memory, heap after a collection, descriptors, watches, timers. Linux only.

import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROBE = fileURLToPath(new URL('memory-probe.mjs', import.meta.url))
const ANSWER_MS = 30_000

/** The arguments of Node and the environment for a process whose heap `readFigures` can read. */
export function probeOptions(folder) {
  return { nodeArgs: ['--expose-gc', '--import', PROBE], env: { ARC_MEMORY_PROBE: probeFile(folder) } }
}

/** Counts what a process holds. */
export async function readFigures(pid, folder) {
  const { heapUsed, external, timers } = await readHeap(pid, folder)
  const descriptors = listDescriptors(pid)
  return {
    rssMb: round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024),
    heapMb: round(heapUsed / 1024 / 1024),
    externalMb: round(external / 1024 / 1024),
    descriptors: descriptors.length,
    databases: descriptors.filter((target) => target.endsWith('/arc.db')).length,
    watches: countWatches(pid),
    timers,
    children: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length,
  }
}

async function readHeap(pid, folder) {
  const file = probeFile(folder)
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (const until = Date.now() + ANSWER_MS; !existsSync(file); await new Promise((next) => setTimeout(next, 20))) {
    if (Date.now() > until) throw new Error(`process ${pid} does not tell its memory`)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

function probeFile(folder) {
  return join(folder, 'memory-probe.json')
}

function listDescriptors(pid) {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)]
    } catch {
      // Closed meanwhile.
      return []
    }
  })
}

/** The inotify watches of a process. */
function countWatches(pid) {
  let count = 0
  for (const descriptor of readdirSync(`/proc/${pid}/fdinfo`)) {
    try {
      count += readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8').match(/^inotify wd:/gm)?.length ?? 0
    } catch {
      // Closed meanwhile.
    }
  }
  return count
}

function round(value) {
  return Math.round(value * 10) / 10
}
