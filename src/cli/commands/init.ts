// `arc init`: a home for ARC with a profile to begin with. What is there already stays as it is.

import { join } from 'node:path'
import { cannotWrite, createFile, makeFolder, replaceFile } from '../../config/edit/atomic-file.ts'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { filesOf } from '../../config/profiles.ts'
import { readTextFile } from '../../config/read-file.ts'
import { type FileKind, SCHEMAS, toJsonSchema } from '../../config/schema.ts'
import { ProfileHome } from '../../runtime/profile-home.ts'
import colors from '../colors.ts'
import { alignColumns, print, printJson, tell } from '../output.ts'
import { changeSetting } from './profile.ts'

/** What `arc init` was asked. */
export interface InitOptions {
  readonly enforcement?: string
  readonly json?: boolean
}

/** Creates what is missing of the home; with a mode, sets it in the profile in use. */
export async function init({ enforcement, json }: InitOptions): Promise<number> {
  const profiles = new ProfileHome()
  makeFolder(profiles.home)
  const isNew = filesOf(join(profiles.dir, 'default')).length === 0
  if (isNew) createFile(join(profiles.dir, 'default.json'), profiles.template('default'))
  writeSchemas(profiles.home)
  const profile = profiles.active
  if (enforcement !== undefined) {
    await changeSetting(profiles, { name: profile, key: 'enforcement', value: enforcement })
  }
  const { config, problems } = profiles.load()
  for (const problem of problems.filter(isFatal)) tell(formatProblem(problem))
  const result = { home: profiles.home, profile, enforcement: config.enforcement }
  if (json === true) printJson(result)
  else printReady(result, isNew)
  return problems.some(isFatal) ? 1 : 0
}

interface Ready {
  readonly home: string
  readonly profile: string
  readonly enforcement: string
}

const MEANINGS: Readonly<Record<string, string>> = {
  off: 'no hook runs',
  log: 'all is recorded, nothing is changed or stopped',
  advise: 'agents are told, never stopped',
  enforce: 'what hooks decide is done',
}

function printReady({ home, profile, enforcement }: Ready, isNew: boolean): void {
  print(`${colors.green('✓')} ${isNew ? 'Created' : 'There already:'} ${home}`)
  print(`  profile ${colors.bold(profile)}, mode ${colors.bold(enforcement)}: ${MEANINGS[enforcement] ?? ''}`)
  const next = [
    ['arc check -- git push --force', 'what would be decided on a command'],
    ['arc install claude', 'register ARC with an agent'],
    ...(enforcement === 'enforce'
      ? []
      : [['arc init --enforcement enforce', 'let hooks stop what they decide to stop']]),
    ['arc profile show', 'every setting, and where it comes from'],
  ]
  print('Next:')
  for (const line of alignColumns(next.map(([line = '', what = '']) => [line, colors.dim(what)]))) print(`  ${line}`)
}

// Ours, so written whenever this version's differ: editors complete from them without a network.
function writeSchemas(home: string): void {
  const folder = join(home, 'schema')
  try {
    makeFolder(folder)
    for (const kind of Object.keys(SCHEMAS) as FileKind[]) {
      const file = join(folder, `${kind}.json`)
      const text = `${JSON.stringify(toJsonSchema(kind), null, 2)}\n`
      if (readTextFile(file).text !== text) replaceFile(file, text)
    }
  } catch (error) {
    throw cannotWrite(folder, error)
  }
}
