// Checkpoints the WAL in a worker thread: a checkpoint waits for the disk twice, and calls would wait with it. If the
// thread falls behind, the writer checkpoints once the WAL passes its maximum.

import type { Worker } from 'node:worker_threads'
import type { Driver } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'

// The file is opened each time: it may have been replaced since. A checkpoint does not wait for readers.
function workerCode(checkpointSource: string): string {
  return `
const { parentPort } = require('node:worker_threads')
const { existsSync } = require('node:fs')
const run = ${checkpointSource}
parentPort.on('message', (file) => {
  try {
    if (existsSync(file)) run(file)
  } catch {
    // The file is locked, damaged or gone: the next writer finds out and reports it.
  }
  parentPort.postMessage(file)
})
`
}

const running = new Set<string>()
// One for each driver: tests use several in one process.
const threads = new Map<string, Promise<Worker>>()

/** Starts a checkpoint of a database, unless one is running. */
export function checkpoint(file: string): void {
  if (running.has(file)) return
  running.add(file)
  const driver = loadDriver()
  const thread = threads.get(driver.name) ?? startThread(driver)
  threads.set(driver.name, thread)
  // Where no thread can be started, the file stays marked and the writer checkpoints.
  thread.then(
    (worker) => worker.postMessage(file),
    () => undefined,
  )
}

// Loaded here: only a daemon needs the module, and `arc hook` starts quicker without it.
async function startThread({ checkpointSource }: Driver): Promise<Worker> {
  const { Worker } = await import('node:worker_threads')
  const code = workerCode(checkpointSource)
  const worker = new Worker(code, { eval: true, execArgv: [], stdin: false })
  worker.on('message', (file: string) => running.delete(file))
  worker.on('error', () => undefined)
  // The process may end without it.
  worker.unref()
  return worker
}
