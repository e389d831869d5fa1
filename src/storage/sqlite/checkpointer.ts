// Moves the log of a database into its file, in a thread of its own: it takes two waits for the disk, and whoever is
// answered meanwhile would wait along. What this thread leaves undone, whoever writes does when the log is long.

import type { Worker } from 'node:worker_threads'
import type { Driver } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'

// The file is opened each time: it may have been replaced since. A checkpoint does not wait for readers.
function workerCode(checkpointSource: string): string {
  return `
const { parentPort } = require('node:worker_threads')
const { existsSync } = require('node:fs')
const checkpoint = ${checkpointSource}
parentPort.on('message', (file) => {
  try {
    if (existsSync(file)) checkpoint(file)
  } catch {
    // The file is locked, damaged or gone: the next writer finds out and reports it.
  }
  parentPort.postMessage(file)
})
`
}

const underWay = new Set<string>()
// One for each driver: tests use several in one process.
const threads = new Map<string, Promise<Worker>>()

/** Begins to move the log of a database, unless that is under way. */
export function moveLog(file: string): void {
  if (underWay.has(file)) return
  underWay.add(file)
  const driver = loadDriver()
  const thread = threads.get(driver.name) ?? startThread(driver)
  threads.set(driver.name, thread)
  // A thread that cannot be had is not asked again: its files stay under way.
  thread.then(
    (worker) => worker.postMessage(file),
    () => undefined,
  )
}

// Modules of Node that only a daemon needs: `arc hook` starts without them.
async function startThread({ checkpointSource }: Driver): Promise<Worker> {
  const { Worker } = await import('node:worker_threads')
  const code = workerCode(checkpointSource)
  const worker = new Worker(code, { eval: true, execArgv: [], stdin: false })
  worker.on('message', (file: string) => underWay.delete(file))
  worker.on('error', () => undefined)
  // Nobody has to wait for it.
  worker.unref()
  return worker
}
