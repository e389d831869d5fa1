// Load beside the calls.

import { connect } from 'node:net'

const CONNECTIONS = 3_000

export const LOAD_FAULTS = {
  'verify-meanwhile': {
    forMs: 3_000,
    start: (stage) => repeat(stage, ['trace', 'verify', '--json']),
    stop: (_stage, repeated) => repeated.end(),
  },
  'idle-connections': {
    forMs: 3_000,
    start: ({ socket }) => Array.from({ length: CONNECTIONS }, () => openIdle(socket)),
    stop: (_stage, connections) => {
      for (const connection of connections) connection.destroy()
    },
  },
}

// Runs a command over and over; it must always succeed.
function repeat(stage, args) {
  let hasEnded = false
  const work = async () => {
    while (!hasEnded) {
      const { exitCode, stdout, stderr } = await stage.arc(args)
      if (exitCode !== 0) stage.complain(`arc ${args.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`)
    }
  }
  const done = work()
  return {
    end: async () => {
      hasEnded = true
      await done
    },
  }
}

function openIdle(path) {
  const connection = connect(path)
  // Refused or closed by the daemon: it has limits.
  connection.on('error', () => undefined)
  return connection
}
