// Faults of the disk of the home: a small one, full or too small. They need root, to mount one.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const DISK_BYTES = 24 << 20
// Enough for the installation, not for a database under load.
const TOO_SMALL_BYTES = 600 << 10
const REFILL_MS = 100

export const DISK_FAULTS = {
  'disk-full': {
    ...{ forMs: 4_000, needs: 'root', diskBytes: DISK_BYTES },
    start: (stage) => fill(stage),
    stop: empty,
  },
  // In log mode nothing is denied; the answer says that the call is not on record.
  'disk-full-log-mode': {
    ...{ forMs: 4_000, needs: 'root', diskBytes: DISK_BYTES, settings: () => ({ enforcement: 'log' }) },
    start: (stage) => fill(stage),
    stop: empty,
  },
  // Another program takes what is freed, also the reserve that was given up.
  'disk-stays-full': {
    ...{ forMs: 4_000, needs: 'root', diskBytes: DISK_BYTES },
    start: (stage) => {
      fill(stage)
      return setInterval(() => fill(stage), REFILL_MS)
    },
    stop: (stage, timer) => {
      clearInterval(timer)
      empty(stage)
    },
  },
  'disk-too-small': {
    ...{ forMs: 3_000, needs: 'root', diskBytes: TOO_SMALL_BYTES, isFromStart: true },
    start: () => undefined,
    stop: (stage) => stage.resizeDisk(DISK_BYTES),
  },
}

function fill({ disk }) {
  const file = openSync(join(disk, 'filler'), 'a')
  try {
    for (const bytes of [1 << 16, 1 << 12, 1]) writeUntilFull(file, Buffer.alloc(bytes))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file, chunk) {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if (error.code !== 'ENOSPC') throw error
  }
}

function empty({ disk }) {
  rmSync(join(disk, 'filler'), { force: true })
}
