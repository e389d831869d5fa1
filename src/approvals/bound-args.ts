// The arguments that an approval or exception is bound to: all of them, without the words that an agent adds for people.
// A repeated shell command often has another description.

import { isRecord } from '../engine/plain-data.ts'
import { toolClass } from '../engine/tools.ts'

// They change nothing that a shell tool runs.
const DESCRIPTIONS: ReadonlySet<string> = new Set(['description', 'explanation'])

/** The arguments of a call without its descriptions. Other tools than shells may store such a text, so there it counts. */
export function readBoundArgs(tool: string | undefined, args: unknown): unknown {
  if (tool === undefined || toolClass(tool) !== 'shell' || !isRecord(args) || typeof args.command !== 'string')
    return args
  return Object.fromEntries(Object.entries(args).filter(([key]) => !DESCRIPTIONS.has(key)))
}
