// `arc init`: a home for ARC with a profile to begin with. What is there already stays as it is.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cannotWrite, createFile, makeFolder, replaceFile } from '../../config/edit/atomic-file.ts'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { findVariants } from '../../config/profile-files.ts'
import { readTextFile } from '../../config/read-file.ts'
import { type FileKind, SCHEMAS, toJsonSchema } from '../../config/schema.ts'
import { isAtLeast, readMode } from '../../engine/mode.ts'
import { confirmFile, markHomeUnattended, readUnattendedHome } from '../../guard/unattended-home.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import colors from '../colors.ts'
import { confirm, recordChange } from '../confirm.ts'
import { alignColumns, print, printJson, tell } from '../output.ts'
import { changeSetting } from './profile.run.ts'

/** What `arc init` was asked. */
export interface InitOptions {
  readonly enforcement?: string
  /** `none`: commands that loosen ask nobody, for scripts and tests. */
  readonly confirm?: 'ask' | 'none'
  readonly json?: boolean
}

/** Creates what is missing of the home; with a mode, sets it in the profile in use. */
export async function init({ enforcement, confirm: how, json }: InitOptions): Promise<number> {
  const profiles = new ProfileHome()
  if (how !== undefined && !(await setConfirm(profiles.home, how))) return 1
  if (enforcement !== undefined && !(await mayChangeMode(profiles, enforcement))) return 1
  makeFolder(profiles.home)
  const isNew = findVariants(join(profiles.dir, 'default')).length === 0
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

// A home in use stops asking only when a person says so.
async function setConfirm(home: string, how: 'ask' | 'none'): Promise<boolean> {
  if (how === 'ask') {
    rmSync(confirmFile(home), { force: true })
    return true
  }
  const isInUse = ['arc.db', 'installs.json', join('bin', 'arc')].some((name) => existsSync(join(home, name)))
  if (isInUse) {
    const confirmed = await confirm('switch confirmations off', {
      show: () => tell(`Approving and loosening in ${home} would ask nobody any more.`),
      question: 'Switch confirmations off?',
    })
    if (confirmed === undefined) return false
    if (readUnattendedHome(home) === undefined) {
      recordChange({ action: 'config:confirm', message: 'confirmations are switched off' }, confirmed)
    }
  }
  markHomeUnattended(home)
  return true
}

// A mode that is lower than the one in force is confirmed; a new home has none in force yet.
async function mayChangeMode(profiles: ProfileHome, enforcement: string): Promise<boolean> {
  const name = profiles.active
  if (profiles.findFile(name) === undefined) return true
  const before = profiles.load(name).config.enforcement
  if (isAtLeast(readMode(enforcement, '--enforcement'), before)) return true
  const confirmed = await confirm('lower the mode', {
    show: () => tell(`The mode of the profile ${name} becomes lower: ${before} → ${enforcement}`),
    question: 'Lower the mode?',
  })
  if (confirmed === undefined) return false
  recordChange(
    { action: 'config:set', message: `enforcement is ${enforcement} in ${name}`, data: { before } },
    confirmed,
  )
  return true
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
