// `arc completion` prints a completion script; the script calls `arc complete` to look up names.

import { join } from 'node:path'
import type { Command } from 'commander'
import { listProfiles } from '../../config/profile-files.ts'
import { HOST_NAMES } from '../../hosts/facts/list.ts'
import { arcHome } from '../../platform/home.ts'
import { context } from '../context.ts'
import { print } from '../output.ts'
import { type NameLookup, readNodes } from './completion/command-nodes.ts'
import { type Shell, scriptFor } from './completion/shell-scripts.ts'

/** Prints the completion script of a shell. */
export async function completion(shell: Shell, arc: Command): Promise<number> {
  context().stdout.write(scriptFor(shell, readNodes(arc)))
  return 0
}

/** Prints names of a kind, one per line. */
export async function complete(kind: NameLookup): Promise<number> {
  for (const name of await findNames(kind)) if (isPlain(name)) print(name)
  return 0
}

async function findNames(kind: NameLookup): Promise<readonly string[]> {
  if (kind === 'profile') return findProfileNames()
  if (kind === 'host') return HOST_NAMES
  // `arc launch` takes a profile or an agent.
  if (kind === 'agent') return [...new Set([...findProfileNames(), ...HOST_NAMES])]
  const { ProfileHome } = await import('../../supervisor/profile-home.ts')
  const { BUILT_IN_HOOKS } = await import('../../config/built-in-hooks.ts')
  const { commands, hooks } = new ProfileHome().load().config
  return [...new Set([...Object.keys(BUILT_IN_HOOKS), ...Object.keys(hooks), ...commands.map(({ name }) => name)])]
}

function findProfileNames(): readonly string[] {
  return [...new Set(['default', ...listProfiles(join(arcHome(), 'profiles'))])]
}

// Shells split words at blanks and interpret some other characters.
function isPlain(name: string): boolean {
  return /^[\w.@:+-]+$/.test(name)
}
