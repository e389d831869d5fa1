// The thread of a parallel verification: verifies one range after another, each with its own short reads.

import { parentPort, workerData } from 'node:worker_threads'
import { Connection } from './connection.ts'
import { ChainWalk, prepareVerification, type VerifyRange } from './trace-verification.ts'

const connection = new Connection(workerData as string, {}, prepareVerification)

// After null the thread ends.
parentPort?.on('message', (range: VerifyRange | null) => {
  if (range === null) {
    connection.close()
    parentPort?.close()
    return
  }
  const walk = new ChainWalk(connection, range)
  while (walk.next());
  parentPort?.postMessage(walk.result())
})
