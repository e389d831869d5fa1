// Is memory flat over many dispatches? The heap after garbage collection, early and late in a long run.

import { createEngine } from '../dist/index.js'

const DISPATCHES = 10_000_000
const SAMPLE_AFTER = 1_000_000

/** Runs ten million dispatches, half of them asynchronous and traced, and compares the heap late with the heap early. */
export async function benchMemory(dispatches = DISPATCHES) {
  let records = 0
  const engine = createEngine({ mode: 'enforce', sink: () => records++ })
  engine.register('pre:tool', () => 'pass', { match: { tool: 'shell' } })
  engine.register('post:tool', async () => 'pass')
  const samples = []
  for (let done = 0; done < dispatches; done += 2) {
    engine.dispatch('pre:tool', { tool: 'shell', args: { command: `ls ${done}` } }, { session: `s${done % 100}` })
    await engine.dispatch('post:tool', { tool: 'shell', args: {}, result: done })
    if (done % SAMPLE_AFTER === 0) samples.push(await heapBytes())
  }
  const early = samples[1]
  const late = await heapBytes()
  const limit = { case: `heap after ${dispatches / 1e6} M dispatches`, of: 'late', against: 'early', atMost: 1.1 }
  return { rows: [], limits: [{ ...limit, ratio: late / early, ok: late / early <= 1.1 }], records, early, late }
}

async function heapBytes() {
  await new Promise((resolve) => setImmediate(resolve))
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
