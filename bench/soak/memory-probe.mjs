// Loaded into a daemon with `--expose-gc --import`: at SIGUSR2 it collects garbage and writes the memory of the process
// and the number of its timers to the file $ARC_MEMORY_PROBE.

import { renameSync, writeFileSync } from 'node:fs'

const file = process.env.ARC_MEMORY_PROBE
const timers = new Set()

// Counted here: Node counts timers only while they keep the process alive.
for (const [set, clear] of [
  ['setTimeout', 'clearTimeout'],
  ['setInterval', 'clearInterval'],
]) {
  const [start, end] = [globalThis[set], globalThis[clear]]
  globalThis[set] = (callback, ...rest) => {
    const timer = start(
      (...args) => {
        if (set === 'setTimeout') timers.delete(timer)
        return callback(...args)
      },
      ...rest,
    )
    timers.add(timer)
    return timer
  }
  globalThis[clear] = (timer) => {
    timers.delete(timer)
    end(timer)
  }
}

process.on('SIGUSR2', async () => {
  // Twice, with a turn between them: finalizers free more memory.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  writeFileSync(`${file}.new`, JSON.stringify({ ...process.memoryUsage(), timers: timers.size }))
  renameSync(`${file}.new`, file)
})
