// `arc completion`: a script that teaches a shell to complete arc; `arc complete`: the names that the script looks up.

import { join } from 'node:path'
import type { Command } from 'commander'
import { listProfiles } from '../../config/profile-files.ts'
import { arcHome } from '../../platform/home.ts'
import { print } from '../output.ts'
import { type Shell, scriptFor } from './completion/shells.ts'
import { type LookUp, placesOf } from './completion/tree.ts'

/** Prints the completion script of a shell. */
export async function completion(shell: Shell, arc: Command): Promise<number> {
  process.stdout.write(scriptFor(shell, placesOf(arc)))
  return 0
}

/** Prints names of a kind, a line each. Says nothing when something is wrong: it runs while somebody types. */
export async function complete(kind: LookUp): Promise<number> {
  for (const name of await namesOf(kind)) if (isPlain(name)) print(name)
  return 0
}

async function namesOf(kind: LookUp): Promise<readonly string[]> {
  if (kind === 'profile') return [...new Set(['default', ...listProfiles(join(arcHome(), 'profiles'))])]
  if (kind === 'host') return (await import('../../hosts/host.ts')).HOST_NAMES
  const { ProfileHome } = await import('../../supervisor/profile-home.ts')
  const { BUILT_IN_HOOKS } = await import('../../config/built-in-hooks.ts')
  const { commands, hooks } = new ProfileHome().load().config
  return [...new Set([...Object.keys(BUILT_IN_HOOKS), ...Object.keys(hooks), ...commands.map(({ name }) => name)])]
}

// Shells split words at blanks and would run what stands in some other characters.
function isPlain(name: string): boolean {
  return /^[\w.@:+-]+$/.test(name)
}
