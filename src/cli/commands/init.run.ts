// `arc init`: creates ARC's home with a default profile. Existing files are kept.

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cannotWrite, createFile, makeFolder, replaceFile } from '../../config/edit/atomic-file.ts'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { findVariants } from '../../config/profile-files.ts'
import { readTextFile } from '../../config/read-file.ts'
import { type FileKind, SCHEMAS, toJsonSchema } from '../../config/schema.ts'
import { isAtLeast, type Mode, readMode } from '../../engine/mode.ts'
import { confirmFile, markHomeUnattended, readUnattendedHome } from '../../guard/unattended-home.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import colors from '../colors.ts'
import { confirm, recordChange } from '../confirm.ts'
import { alignColumns, info, print, printJson } from '../output.ts'
import { describeMode } from '../supervision-state.ts'
import { changeSetting } from './profile.run.ts'

/** The options of `arc init`. */
export interface InitOptions {
  readonly enforcement?: string
  /** `none`: commands that loosen need no confirmation, for scripts and tests. */
  readonly confirm?: 'ask' | 'none'
  readonly json?: boolean
}

/** Creates the missing files of the home; with a mode, sets it in the active profile. */
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
  for (const problem of problems.filter(isFatal)) info(formatProblem(problem))
  const result = { home: profiles.home, profile, enforcement: config.enforcement }
  if (json === true) printJson(result)
  else printReady(result, isNew)
  return problems.some(isFatal) ? 1 : 0
}

// Switching confirmations off in a home that is in use must itself be confirmed.
async function setConfirm(home: string, how: 'ask' | 'none'): Promise<boolean> {
  if (how === 'ask') {
    rmSync(confirmFile(home), { force: true })
    return true
  }
  const isInUse = ['arc.db', 'installs.json', join('bin', 'arc')].some((name) => existsSync(join(home, name)))
  if (isInUse) {
    const confirmed = await confirm('turn confirmations off', {
      show: () => info(`Approving and loosening in ${home} would no longer need confirmation.`),
      question: 'Turn confirmations off?',
    })
    if (confirmed === undefined) return false
    if (readUnattendedHome(home) === undefined) {
      recordChange({ action: 'config:confirm', message: 'confirmations are turned off' }, confirmed)
    }
  }
  markHomeUnattended(home)
  return true
}

// Lowering the mode must be confirmed; a new home has no mode yet.
async function mayChangeMode(profiles: ProfileHome, enforcement: string): Promise<boolean> {
  const name = profiles.active
  if (profiles.findFile(name) === undefined) return true
  const before = profiles.load(name).config.enforcement
  if (isAtLeast(readMode(enforcement, '--enforcement'), before)) return true
  const confirmed = await confirm('lower the mode', {
    show: () => info(`The mode of profile ${name} is lowered: ${before} → ${enforcement}`),
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
  readonly enforcement: Mode
}

function printReady({ home, profile, enforcement }: Ready, isNew: boolean): void {
  print(`${colors.green('✓')} ${isNew ? 'Created' : 'Already exists:'} ${home}`)
  print(`  profile ${colors.bold(profile)}, mode ${colors.bold(enforcement)}`)
  print(`  ${describeMode(enforcement)}`)
  const next = [
    ['arc check git push --force', 'what ARC would decide on a command'],
    ['arc install', 'register ARC with the agents of this machine'],
    ...(enforcement === 'enforce' ? [] : [['arc mode enforce', 'stop and hold what the hooks decide']]),
    ['arc profile show', 'all settings and their sources'],
  ]
  print('Next:')
  for (const line of alignColumns(next.map(([line = '', what = '']) => [line, colors.dim(what)]))) print(`  ${line}`)
}

// Written whenever they differ from this version's: editors use them for completion, offline.
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
