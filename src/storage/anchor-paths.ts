// Where the anchors of a home are: in the home, and a copy outside of it.

import { hash } from 'node:crypto'
import { join } from 'node:path'
import { resolveRealPath, stateDir } from '../platform/home.ts'

/** The file in the home, then its copy. */
export function anchorFiles(home: string): readonly [string, string] {
  return [join(home, 'anchors', 'trace.jsonl'), join(stateDir(), `anchors-${homeId(home)}.jsonl`)]
}

/** A short name for a home. One that was removed and made anew has the same. */
export function homeId(home: string): string {
  return hash('sha256', resolveRealPath(home), 'hex').slice(0, 16)
}
