// Which programs run others, or code, and what finds it in their arguments.

import type { Program } from '../interpreter-port.ts'
import { BUILTINS } from './builtins.ts'
import { INTERPRETERS } from './code-interpreters.ts'
import { CONTAINERS } from './container-commands.ts'
import { GIT } from './git-helpers.ts'
import { LAUNCHERS } from './launchers.ts'
import { MULTIPLEXERS } from './multiplexers.ts'
import { CARRIERS } from './option-scripts.ts'
import { REMOTES } from './remotes.ts'
import { SHELLS } from './shells.ts'
import { WRAPPERS } from './wrappers.ts'

const TABLE: ReadonlyMap<string, Program> = new Map([
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

/** The entry of a program; undefined for a program that runs no other program. */
export function findProgram(name: string): Program | undefined {
  return TABLE.get(name) ?? TABLE.get(withoutVersion(name))
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
