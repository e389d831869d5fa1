// Which programs run others, or code, and what finds it in their arguments.

import { BUILTINS } from './builtins.ts'
import { CARRIERS } from './carriers.ts'
import { CONTAINERS } from './containers.ts'
import type { Call, Output, Walk } from './context.ts'
import { GIT } from './git.ts'
import { INTERPRETERS } from './interpreters.ts'
import { LAUNCHERS } from './launchers.ts'
import { MULTIPLEXERS } from './multiplexers.ts'
import { REMOTES } from './remotes.ts'
import { SHELLS } from './shells.ts'
import { WRAPPERS } from './wrappers.ts'

/** Runs one call of a program; the name is without its folder. */
export type Program = (walk: Walk, call: Call, name: string) => Output

let table: Map<string, Program> | undefined

/** What is known about a program; undefined for one that only does its own work. */
export function findProgram(name: string): Program | undefined {
  table ??= new Map([
    ...BUILTINS,
    ...WRAPPERS,
    ...SHELLS,
    ...INTERPRETERS,
    ...LAUNCHERS,
    ...MULTIPLEXERS,
    ...REMOTES,
    ...GIT,
    ...CONTAINERS,
    ...CARRIERS,
  ])
  return table.get(name) ?? table.get(withoutVersion(name))
}

// python3.11, perl5.36 and bash.exe are what they are called after.
function withoutVersion(name: string): string {
  const last = name.charCodeAt(name.length - 1)
  const isDigit = last >= 0x30 && last <= 0x39
  if (!isDigit && last !== 0x65 && last !== 0x45) return name
  return name
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/-?\d[\d.]*$/, '')
}
