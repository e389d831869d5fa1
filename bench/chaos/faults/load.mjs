// Load beside the calls.

import { existsSync } from 'node:fs'
import { connect } from 'node:net'

const CONNECTIONS = 3_000

export const LOAD_FAULTS = {
  'verify-meanwhile': {
    forMs: 3_000,
    start: (stage) => repeat(stage, () => ['trace', 'verify', '--json']),
    stop: (_stage, repeated) => repeated.end(),
  },
  // A person removes records again and again. The archives have what was removed.
  'cut-meanwhile': {
    ...{ forMs: 3_000, isUnattended: true, settings: ({ archive }) => ({ trace: { archive } }) },
    start: (stage) => repeat(stage, () => ['trace', 'cut', '--before', secondsAgo(2), '--json']),
    stop: async (stage, repeated) => {
      await repeated.end()
      if (!existsSync(stage.archive) && !stage.isPair) stage.complain('no record was old enough to be removed')
    },
  },
  'idle-connections': {
    forMs: 3_000,
    start: ({ socket }) => Array.from({ length: CONNECTIONS }, () => openIdle(socket)),
    stop: (_stage, connections) => {
      for (const connection of connections) connection.destroy()
    },
  },
}

// Runs a command over and over. It must succeed, unless another fault is active, such as a full disk.
function repeat(stage, buildArgs) {
  let hasEnded = false
  const work = async () => {
    while (!hasEnded) {
      const args = buildArgs()
      const { exitCode, stdout, stderr } = await stage.arc(args)
      if (exitCode !== 0 && !stage.isPair)
        stage.complain(`arc ${args.join(' ')} ended with ${exitCode}: ${stdout}${stderr}`)
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

function secondsAgo(seconds) {
  return new Date(Date.now() - seconds * 1_000).toISOString()
}

function openIdle(path) {
  const connection = connect(path)
  // Refused or closed by the daemon: it has limits.
  connection.on('error', () => undefined)
  return connection
}
