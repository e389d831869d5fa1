// The one definition of "the same configuration" and "the same problems": equal digests.

import { hash } from 'node:crypto'
import { serializeContent } from './command-list.ts'
import type { Config } from './config.ts'
import { serializeException } from './exception-list.ts'
import type { Loaded } from './load.ts'
import { formatProblem, type Problem } from './problem.ts'

/** A digest of the settings. Positions in files are not part of it: a new comment changes nothing. */
function digestConfig({ commands, scripts, exceptions, ...settings }: Config): string {
  const hooks = commands.map((command) => [command.name, serializeContent(command)])
  const files = scripts.map(({ file, sha256 }) => [file, sha256])
  return hash('sha256', JSON.stringify([settings, hooks, files, exceptions.map(serializeException)]), 'hex')
}

/** A short name of a configuration for the trace: the profile and the start of the digest. */
export function nameConfig(config: Config): string {
  return `${config.profile}@${digestConfig(config).slice(0, 12)}`
}

/** A digest of problems. Their texts may hold values of the files, so only the digest is stored. */
export function digestProblems(problems: readonly Problem[]): string {
  return hash('sha256', JSON.stringify(problems.map(formatProblem)), 'hex')
}

/** What differs between two loads: the configuration, or only its problems. */
export function compareLoaded(previous: Loaded, current: Loaded) {
  const isChanged = digestConfig(previous.config) !== digestConfig(current.config)
  return { isChanged, isSame: !isChanged && describeState(previous) === describeState(current) }
}

function describeState({ problems, stale, absent }: Loaded): string {
  return JSON.stringify([digestProblems(problems), stale, absent])
}
