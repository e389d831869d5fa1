// The table of programs that run other programs or code.

import type { Program } from '../interpreter-port.ts'
import { BUILTINS } from './builtins.ts'
import { CODE_INTERPRETERS } from './code-interpreters.ts'
import { CONTAINER_COMMANDS } from './container-commands.ts'
import { GIT_HELPERS } from './git-helpers.ts'
import { COMMAND_LAUNCHERS } from './launchers.ts'
import { MULTIPLEXERS } from './multiplexers.ts'
import { OPTION_SCRIPTS } from './option-scripts.ts'
import { PROJECT_RUNNERS } from './project-runners.ts'
import { REMOTES } from './remotes.ts'
import { SHELLS } from './shells.ts'
import { WRAPPERS } from './wrappers.ts'

const TABLE: ReadonlyMap<string, Program> = new Map([
  ...BUILTINS,
  ...WRAPPERS,
  ...SHELLS,
  ...CODE_INTERPRETERS,
  ...COMMAND_LAUNCHERS,
  ...MULTIPLEXERS,
  ...REMOTES,
  ...GIT_HELPERS,
  ...CONTAINER_COMMANDS,
  ...OPTION_SCRIPTS,
  ...PROJECT_RUNNERS,
])

/** The entry of a program; undefined for a program that runs no other program. */
export function findProgram(name: string): Program | undefined {
  return TABLE.get(name) ?? TABLE.get(withoutVersion(name))
}

// python3.11, perl5.36 and bash.exe have the entries of python, perl and bash.
function withoutVersion(name: string): string {
  const last = name.charCodeAt(name.length - 1)
  const isDigit = last >= 0x30 && last <= 0x39
  if (!isDigit && last !== 0x65 && last !== 0x45) return name
  return name
    .toLowerCase()
    .replace(/\.exe$/, '')
    .replace(/-?\d[\d.]*$/, '')
}
