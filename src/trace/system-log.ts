// Writes a line to the log of the system: to the journal where there is one, else through `logger`.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'

/** Under which name lines are found there. */
export const SYSTEM_LOG_TAG = 'arc-anchor'

const JOURNAL_SOCKET = '/run/systemd/journal/stdout'
const LOGGER = '/usr/bin/logger'
const LOG_SOCKET = '/dev/log'
const LIMIT_MS = 2_000
// "notice" of the facility "user".
const PRIORITY = 5

/** Writes one line; false where the system has no log that can be written to. Never throws. */
export async function writeSystemLog(line: string): Promise<boolean> {
  if (process.env.ARC_SYSTEM_LOG === 'off') return false
  if (existsSync(JOURNAL_SOCKET)) return writeJournal(line)
  return existsSync(LOG_SOCKET) && existsSync(LOGGER) ? runLogger(line) : false
}

// The protocol of journald for the output of programs: a header of seven lines, then the lines themselves.
function writeJournal(line: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(JOURNAL_SOCKET)
    socket.setTimeout(LIMIT_MS, () => socket.destroy())
    socket.on('error', () => resolve(false))
    socket.on('close', (hasFailed) => resolve(!hasFailed))
    socket.end(`${[SYSTEM_LOG_TAG, '', PRIORITY, 0, 0, 0, 0].join('\n')}\n${line}\n`)
    socket.resume()
  })
}

function runLogger(line: string): Promise<boolean> {
  return new Promise((resolve) => {
    const args = ['-t', SYSTEM_LOG_TAG, '-p', 'user.notice', '--', line]
    execFile(LOGGER, args, { timeout: LIMIT_MS }, (error) => resolve(error === null))
  })
}
