// Where ARC keeps its state: $ARC_HOME, or ~/.arc. Only its owner may look inside.

import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder of all state; not created by asking. */
function arcHome(): string {
  const given = process.env.ARC_HOME
  return given === undefined || given === '' ? join(homedir(), '.arc') : given
}

/** The database file; its folder is created if it is missing. */
export function databaseFile(): string {
  const home = arcHome()
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return join(home, 'arc.db')
}
