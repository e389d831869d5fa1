// `arc profile …`: which profiles there are, what one comes to, and changing them. The files stay their writer's:
// comments, order and layout are kept.

import { rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { cannotWrite, createFile } from '../../config/edit/atomic-file.ts'
import { editText } from '../../config/edit/edit-file.ts'
import { readKeyPath } from '../../config/edit/key-path.ts'
import { EXTENSIONS } from '../../config/extensions.ts'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { profileFiles } from '../../config/profile-files.ts'
import { readTextFile } from '../../config/read-file.ts'
import { ArcError, show } from '../../engine/errors.ts'
import { isAtLeast, type Mode, readMode } from '../../engine/mode.ts'
import { invalidConfig, ProfileHome, profileTemplate, requireProfileName } from '../../supervisor/profile-home.ts'
import { type ProfileSummary, type ShownProfile, showProfile, summarize } from '../../supervisor/profile-view.ts'
import colors from '../colors.ts'
import { anybody, confirm, recordChange, requirePerson } from '../confirm.ts'
import { followMode } from '../mode-sync.ts'
import { alignColumns, oneLine, print, printJson, shortPath, tell } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** All profiles, a line each. */
export async function listProfiles({ json }: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  const { active } = profiles
  const all = profiles.list().map((name) => summarize(profiles, name, active))
  if (json === true) printJson(all)
  else
    for (const line of alignColumns(all.map(rowOf), { head: ['', 'name', 'enforcement', 'tool', 'file'] })) print(line)
  if (!all.some(({ inUse }) => inUse))
    tell(`arc: the profile in use, ${show(active)}, does not exist; the defaults hold`)
  return 0
}

function rowOf({ name, file, inUse, enforcement, tool, problems }: ProfileSummary): string[] {
  const wrong = problems.some(isFatal) ? colors.red(' (has problems)') : ''
  return [inUse ? '*' : '', name, enforcement, oneLine(tool ?? '', 30), `${file ?? 'defaults'}${wrong}`]
}

/** One profile: every setting in force, and where it comes from. */
export async function showOne(given: string | undefined, { json }: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  const name = given ?? profiles.active
  profiles.require(name)
  const shown = showProfile(profiles, name)
  if (json === true) printJson(shown)
  else printProfile(profiles, shown)
  return 0
}

function printProfile(profiles: ProfileHome, shown: ShownProfile): void {
  const { name, file, inUse, isStale, settings, problems } = shown
  const notes = [inUse ? 'in use' : 'not in use', ...(isStale ? ['last good state in force'] : [])].join(', ')
  print(`${colors.bold(name)}  ${colors.dim(`(${notes})  ${file ?? 'no file of its own: the defaults'}`)}`)
  const rows = settings.map(({ key, value, from }) => {
    const isDefault = from === 'default'
    const text = oneLine(showValue(value), 60)
    return [key, isDefault ? text : colors.bold(text), colors.dim(shortPath(from, [profiles.home]))]
  })
  for (const line of alignColumns(rows)) print(`  ${line}`)
  for (const problem of problems) tell(`${colors.red('problem')} ${formatProblem(problem)}`)
  const other = inUse ? '' : ` --profile ${name}`
  tell(colors.dim(`To change one: arc profile set KEY VALUE${other}`))
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A new profile, as another one or with comments that say what can stand in it. */
export async function createProfile(name: string, options: JsonOption & { readonly from?: string }): Promise<number> {
  const profiles = new ProfileHome()
  requireProfileName(name)
  if ((EXTENSIONS as readonly string[]).includes(extname(name))) {
    throw new ArcError('ARC_PROFILE_UNKNOWN', `A profile's name has no ending of a file, but ${show(name)} has.`)
  }
  const { text, extension } = startOf(profiles, name, options.from)
  const confirmed = requirePerson('create a profile')
  const [taken] = profileFiles(profiles.dir, name)
  const file = join(profiles.dir, `${name}${extension}`)
  if (taken !== undefined || !createFile(file, text)) {
    throw new ArcError('ARC_PROFILE_EXISTS', `There is a profile ${show(name)} already: ${taken ?? file}.`)
  }
  recordChange({ action: 'profile:create', message: `created the profile ${name}` }, confirmed)
  return done(profiles, name, options, `created ${file}`)
}

function startOf(profiles: ProfileHome, name: string, from: string | undefined): { text: string; extension: string } {
  const fresh = { text: profileTemplate(name), extension: '.json' }
  if (from === undefined) return fresh
  profiles.require(from)
  const file = profiles.findFile(from)
  if (file === undefined) return fresh
  const { text, problem } = readTextFile(file)
  if (text === undefined) throw invalidConfig(problem === undefined ? [] : [problem])
  const renamed = editText(file, text, { path: ['name'], value: name }, 'profile')
  if (renamed.problems !== undefined) throw invalidConfig(renamed.problems)
  return { text: renamed.text, extension: extname(file) }
}

/** Chooses the profile in use. */
export async function useProfile(name: string, options: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  profiles.require(name)
  const before = profiles.chosen
  if (before !== name) {
    const modes = [before, name].map((one) => `${one} (${profiles.load(one).config.enforcement})`)
    const confirmed = await confirm('choose another profile', {
      show: () => tell(`The profile in use changes: ${modes.join(' → ')}`),
      question: `Use the profile ${name}?`,
    })
    if (confirmed === undefined) return 1
    await profiles.choose(name)
    recordChange({ action: 'profile:use', message: `the profile in use is ${name}`, data: { before } }, confirmed)
  } else await profiles.choose(name)
  await profiles.storeStrictness(name)
  followMode(profiles)
  const forced = process.env.ARC_PROFILE
  if (forced && forced !== name) tell(`arc: here $ARC_PROFILE is set, so ${show(forced)} stays in use`)
  return done(profiles, name, options, `${name} is in use from now on`)
}

interface ChangeOptions extends JsonOption {
  readonly profile?: string
}

/** Changes one setting of a profile, the one in use unless named. */
export async function setSetting(key: string, value: string, options: ChangeOptions): Promise<number> {
  return change(key, readValue(value), options)
}

/** Takes one setting away, so that what it overrode holds again. */
export async function unsetSetting(key: string, options: ChangeOptions): Promise<number> {
  return change(key, undefined, options)
}

/** A setting of a profile; without a value it is taken away. */
export interface Change {
  readonly name: string
  readonly key: string
  readonly value: unknown
}

/**
 * Changes one setting of a profile: the one way for `arc profile set`, `arc profile unset`, `arc mode` and `arc init`.
 * The launcher and the fail-closed switches of the hosts are brought in step afterwards.
 */
export async function changeSetting(profiles: ProfileHome, { name, key, value }: Change): Promise<boolean> {
  const isChanged = await profiles.change(name, { path: readKeyPath(key), value }, profiles.template(name))
  await profiles.storeStrictness(name)
  followMode(profiles)
  return isChanged
}

/**
 * The same for a person: raising the mode is free, every other change is confirmed, and the change is recorded with its
 * source. Undefined when it was not confirmed.
 */
export async function changeConfirmed(profiles: ProfileHome, change: Change): Promise<boolean | undefined> {
  const { name, key, value } = change
  profiles.require(name)
  const path = readKeyPath(key)
  const { enforcement } = profiles.load(name).config
  const isRaised = path.length === 1 && path[0] === 'enforcement' && isRaise(enforcement, value)
  const shown = value === undefined ? 'unset' : showValue(value)
  const confirmed = isRaised
    ? anybody()
    : await confirm('change a setting', {
        show: () => tell(`In the profile ${name}, mode ${enforcement}: ${key} becomes ${shown}`),
        question: `Change ${key}?`,
      })
  if (confirmed === undefined) return undefined
  const isChanged = await changeSetting(profiles, change)
  const data = { profile: name, key, value, before: enforcement }
  const message = `${describeChange(change)} in ${name}`
  if (isChanged) recordChange({ action: 'config:set', message, data }, confirmed)
  return isChanged
}

function describeChange({ key, value }: Change): string {
  return value === undefined ? `${key} is not set` : `${key} is ${oneLine(showValue(value), 60)}`
}

async function change(key: string, value: unknown, options: ChangeOptions): Promise<number> {
  const profiles = new ProfileHome()
  const name = options.profile ?? profiles.active
  const isChanged = await changeConfirmed(profiles, { name, key, value })
  if (isChanged === undefined) return 1
  const what = describeChange({ name, key, value })
  return done(profiles, name, options, `${what} in ${name}${isChanged ? '' : ' already'}`)
}

// Raising the mode is free: it only makes supervision stricter.
function isRaise(before: Mode, value: unknown): boolean {
  try {
    return isAtLeast(readMode(value, 'enforcement'), before)
  } catch {
    // No mode at all: the change itself says so.
    return false
  }
}

// JSON where it is JSON, so that numbers, lists and objects can be given; else the text as it is.
function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Deletes a profile that nothing needs any more. */
export async function deleteProfile(name: string, options: JsonOption & { readonly yes?: boolean }): Promise<number> {
  const profiles = new ProfileHome()
  requireProfileName(name)
  const files = profileFiles(profiles.dir, name)
  // One whose file somebody removed by hand is still in force by its last good state.
  if (files.length === 0 && profiles.lastGood.get(`profile:${name}`) === undefined) profiles.require(name)
  refuseInUse(profiles, name)
  const confirmed = await confirm('delete a profile', {
    show: () => tell(`To be deleted: ${files.join(', ') || name}`),
    question: `Delete the profile ${name}?`,
  })
  if (confirmed === undefined) return 1
  for (const file of files) remove(file)
  profiles.lastGood.forget(`profile:${name}`)
  await profiles.removeStrictness(name)
  recordChange({ action: 'profile:delete', message: `deleted the profile ${name}` }, confirmed)
  if (options.json === true) printJson({ name, files, deleted: true })
  else tell(`deleted ${files.join(', ') || name}`)
  return 0
}

function refuseInUse(profiles: ProfileHome, name: string): void {
  if (name === profiles.active || name === profiles.chosen) {
    throw new ArcError('ARC_PROFILE_IN_USE', `The profile ${show(name)} is in use.`)
  }
  const file = profiles.findFile(name)
  const needs = (other: string) => profiles.load(other).layers.some((layer) => layer.file.source.file === file)
  const user = profiles.list().find((other) => other !== name && needs(other))
  if (user === undefined) return
  throw new ArcError('ARC_PROFILE_IN_USE', `The profile ${show(user)} extends ${show(name)}.`)
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

function done(profiles: ProfileHome, name: string, { json }: JsonOption, message: string): number {
  if (json === true) printJson(showProfile(profiles, name))
  else tell(message)
  return 0
}
