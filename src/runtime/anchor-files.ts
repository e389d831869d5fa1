// Where the anchors of a home are: in the home, and a copy outside of it.

import { hash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { realOf } from './home.ts'

/** The file in the home, then its copy. */
export function anchorFilesOf(home: string): readonly [string, string] {
  return [join(home, 'anchors', 'trace.jsonl'), join(stateFolder(), `anchors-${homeId(home)}.jsonl`)]
}

function stateFolder(): string {
  const given = process.env.XDG_STATE_HOME
  return join(given === undefined || given === '' ? join(homedir(), '.local', 'state') : given, 'arc')
}

/** A short name for a home. One that was removed and made anew has the same. */
export function homeId(home: string): string {
  return hash('sha256', realOf(home), 'hex').slice(0, 16)
}
