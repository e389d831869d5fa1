// Moves the log of a database into its file, in a thread of its own: it takes two waits for the disk, and whoever is
// answered meanwhile would wait along. What this thread leaves undone, whoever writes does when the log is long.

import type { Worker } from 'node:worker_threads'

// Opened anew each time: the file may be another by then. Without waiting for anybody: a part that others still read stays.
const CODE = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.sqlite)
parentPort.on('message', (file) => {
  try {
    const db = new Database(file, { fileMustExist: true })
    try {
      db.pragma('wal_checkpoint(PASSIVE)')
    } finally {
      db.close()
    }
  } catch {
    // The file is gone, locked or damaged: whoever uses it finds out and tells.
  }
  parentPort.postMessage(file)
})
`

const underWay = new Set<string>()
let thread: Promise<Worker> | undefined

/** Begins to move the log of a database, unless that is under way. */
export function moveLog(file: string): void {
  if (underWay.has(file)) return
  underWay.add(file)
  thread ??= startThread()
  // A thread that cannot be had is not asked again: its files stay under way.
  thread.then(
    (worker) => worker.postMessage(file),
    () => undefined,
  )
}

// Modules of Node that only a daemon needs: `arc hook` starts without them.
async function startThread(): Promise<Worker> {
  const [{ Worker }, { createRequire }] = await Promise.all([import('node:worker_threads'), import('node:module')])
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(CODE, { eval: true, workerData: { sqlite }, execArgv: [], stdin: false })
  worker.on('message', (file: string) => underWay.delete(file))
  worker.on('error', () => undefined)
  // Nobody has to wait for it.
  worker.unref()
  return worker
}
