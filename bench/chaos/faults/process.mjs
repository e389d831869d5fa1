// Faults of the daemon's process.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ARC, runProgram } from '../stage.mjs'

const CLOCK = fileURLToPath(new URL('moved-clock.mjs', import.meta.url))
const HOUR_MS = 3_600_000
const SECOND_LIMIT_MS = 20_000

export const PROCESS_FAULTS = {
  'no-fault': { forMs: 1_000, start: () => undefined },
  kill: { forMs: 1_000, isOnDemand: true, start: (stage) => stage.signalDaemon('SIGKILL') },
  stop: {
    forMs: 4_000,
    start: (stage) => stage.signalDaemon('SIGSTOP'),
    // The pid file may name another daemon by now.
    stop: (_stage, pid) => pid !== undefined && process.kill(pid, 'SIGCONT'),
  },
  terminate: { forMs: 1_000, start: (stage) => stage.signalDaemon('SIGTERM') },
  'second-daemon': {
    forMs: 2_000,
    start: (stage) =>
      runProgram(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], {
        ...{ env: stage.env, limitMs: SECOND_LIMIT_MS },
      }),
    stop: async (stage, second) => {
      const { exitCode, stdout } = await second
      // It says that a daemon runs and ends, or replaces one that does not answer.
      if (exitCode === undefined) stage.log(`a second daemon did not end: ${stdout}\n`)
    },
  },
  // Only the daemon's: the system keeps its clock.
  'clock-back': { ...{ forMs: 3_000, nodeArgs: ['--import', CLOCK] }, ...moveClock(-HOUR_MS) },
  'clock-ahead': { ...{ forMs: 3_000, nodeArgs: ['--import', CLOCK] }, ...moveClock(48 * HOUR_MS) },
}

function moveClock(byMs) {
  return {
    start: ({ clockFile }) => writeFileSync(clockFile, String(byMs)),
    stop: ({ clockFile }) => writeFileSync(clockFile, '0'),
  }
}
