// `arc profile …`: lists, shows and changes profiles. Comments, order and layout of the files are kept.

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
import { openDryRun } from '../../supervisor/dry-run.ts'
import { invalidConfig, ProfileHome, profileTemplate, requireProfileName } from '../../supervisor/profile-home.ts'
import { type ProfileSummary, type ShownProfile, showProfile, summarize } from '../../supervisor/profile-view.ts'
import colors from '../colors.ts'
import { confirm, readRequester, recordChange, requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { findReachNotes } from '../hook-reach.ts'
import { syncMode } from '../mode-sync.ts'
import { alignColumns, info, oneLine, print, printJson, report, shortPath } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists all profiles. */
export async function printProfiles({ json }: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  const { active } = profiles
  const all = profiles.list().map((name) => summarize(profiles, name, active))
  if (json === true) printJson(all)
  else
    for (const line of alignColumns(all.map(summaryRow), { head: ['', 'name', 'enforcement', 'tool', 'file'] }))
      print(line)
  if (!all.some(({ inUse }) => inUse))
    info(`arc: the active profile ${show(active)} does not exist; the defaults apply`)
  return 0
}

function summaryRow({ name, file, inUse, enforcement, tool, problems }: ProfileSummary): string[] {
  const wrong = problems.some(isFatal) ? colors.red(' (has problems)') : ''
  return [inUse ? '*' : '', name, enforcement, oneLine(tool ?? '', 30), `${file ?? 'defaults'}${wrong}`]
}

/** Shows one profile: all settings and their sources. */
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
  const notes = [inUse ? 'active' : 'not active', ...(isStale ? ['last good version in force'] : [])].join(', ')
  print(`${colors.bold(name)}  ${colors.dim(`(${notes})  ${file ?? 'no file: the defaults'}`)}`)
  const rows = settings.map(({ key, value, from }) => {
    const isDefault = from === 'default'
    const text = oneLine(showValue(value), 60)
    return [key, isDefault ? text : colors.bold(text), colors.dim(shortPath(from, [profiles.home]))]
  })
  for (const line of alignColumns(rows)) print(`  ${line}`)
  for (const problem of problems) info(`${colors.red('problem')} ${formatProblem(problem)}`)
  if (inUse) printReachNotes()
  const other = inUse ? '' : ` --profile ${name}`
  info(colors.dim(`To change a setting: arc profile set KEY VALUE${other}`))
}

// A hook that is never reached is no problem of the file: it is only said.
function printReachNotes(): void {
  const { preview, close } = openDryRun({ cwd: context().cwd, report })
  try {
    for (const { hook, source, note } of findReachNotes(preview.hooks())) {
      info(`${colors.yellow('note')} ${source}: the hook ${oneLine(hook)} ${note}`)
    }
  } finally {
    close()
  }
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Creates a profile: a copy of another one, or a commented template. */
export async function createProfile(name: string, options: JsonOption & { readonly from?: string }): Promise<number> {
  const profiles = new ProfileHome()
  requireProfileName(name)
  if ((EXTENSIONS as readonly string[]).includes(extname(name))) {
    throw new ArcError('ARC_PROFILE_UNKNOWN', `A profile name has no file extension, but ${show(name)} has one.`)
  }
  const { text, extension } = draftProfile(profiles, name, options.from)
  const confirmed = requirePerson('create a profile')
  const [taken] = profileFiles(profiles.dir, name)
  const file = join(profiles.dir, `${name}${extension}`)
  if (taken !== undefined || !createFile(file, text)) {
    throw new ArcError('ARC_PROFILE_EXISTS', `The profile ${show(name)} already exists: ${taken ?? file}.`)
  }
  recordChange({ action: 'profile:create', message: `created the profile ${name}` }, confirmed)
  return printChanged(profiles, name, options, `created ${file}`)
}

function draftProfile(
  profiles: ProfileHome,
  name: string,
  from: string | undefined,
): { text: string; extension: string } {
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

/** Sets the active profile. */
export async function useProfile(name: string, options: JsonOption): Promise<number> {
  const profiles = new ProfileHome()
  profiles.require(name)
  const before = profiles.chosen
  if (before !== name) {
    const modes = [before, name].map((one) => `${one} (${profiles.load(one).config.enforcement})`)
    const confirmed = await confirm('change the active profile', {
      show: () => info(`The active profile changes: ${modes.join(' → ')}`),
      question: `Use the profile ${name}?`,
    })
    if (confirmed === undefined) return 1
    await profiles.choose(name)
    recordChange({ action: 'profile:use', message: `the active profile is ${name}`, data: { before } }, confirmed)
  } else await profiles.choose(name)
  await profiles.storeStrictness(name)
  syncMode(profiles)
  const forced = context().env.ARC_PROFILE
  if (forced && forced !== name) info(`arc: $ARC_PROFILE is set here, so ${show(forced)} stays active in this shell`)
  return printChanged(profiles, name, options, `the active profile is now ${name}`)
}

interface ChangeOptions extends JsonOption {
  readonly profile?: string
}

/** Changes a setting of the active or the named profile. */
export async function setSetting(key: string, value: string, options: ChangeOptions): Promise<number> {
  return change(key, readValue(value), options)
}

/** Removes a setting, so that the value below it applies again. */
export async function unsetSetting(key: string, options: ChangeOptions): Promise<number> {
  return change(key, undefined, options)
}

/** A change of one setting; without a value the setting is removed. */
export interface SettingChange {
  readonly name: string
  readonly key: string
  readonly value: unknown
}

/**
 * Changes a setting, for `arc profile set`, `arc profile unset`, `arc mode` and `arc init`.
 * Afterwards the launcher and the fail-closed switches of the installed hosts are updated.
 */
export async function changeSetting(profiles: ProfileHome, { name, key, value }: SettingChange): Promise<boolean> {
  const isChanged = await profiles.change(name, { path: readKeyPath(key), value }, profiles.template(name))
  await profiles.storeStrictness(name)
  syncMode(profiles)
  return isChanged
}

/**
 * Changes a setting after confirmation, and records the change with its source. Raising the mode needs no
 * confirmation. Returns undefined if the change was not confirmed.
 */
export async function changeConfirmed(profiles: ProfileHome, change: SettingChange): Promise<boolean | undefined> {
  const { name, key, value } = change
  profiles.require(name)
  const path = readKeyPath(key)
  const { enforcement } = profiles.load(name).config
  const isRaised = path.length === 1 && path[0] === 'enforcement' && isRaise(enforcement, value)
  const shown = value === undefined ? 'unset' : showValue(value)
  const confirmed = isRaised
    ? readRequester()
    : await confirm('change a setting', {
        show: () => info(`Profile ${name} (mode ${enforcement}): ${key} becomes ${shown}`),
        question: `Change ${key}?`,
      })
  if (confirmed === undefined) return undefined
  const isChanged = await changeSetting(profiles, change)
  const data = { profile: name, key, value, before: enforcement }
  const message = `${describeChange(change)} in ${name}`
  if (isChanged) recordChange({ action: 'config:set', message, data }, confirmed)
  return isChanged
}

function describeChange({ key, value }: SettingChange): string {
  return value === undefined ? `${key} is unset` : `${key} is ${oneLine(showValue(value), 60)}`
}

async function change(key: string, value: unknown, options: ChangeOptions): Promise<number> {
  const profiles = new ProfileHome()
  const name = options.profile ?? profiles.active
  const isChanged = await changeConfirmed(profiles, { name, key, value })
  if (isChanged === undefined) return 1
  const what = describeChange({ name, key, value })
  return printChanged(profiles, name, options, `${what} in ${name}${isChanged ? '' : ' (unchanged)'}`)
}

// Raising the mode only makes supervision stricter, so it needs no confirmation.
function isRaise(before: Mode, value: unknown): boolean {
  try {
    return isAtLeast(readMode(value, 'enforcement'), before)
  } catch {
    // Not a mode: changing the setting reports the error.
    return false
  }
}

// Parsed as JSON if possible, so that numbers, lists and objects can be given; else plain text.
function readValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Deletes a profile that is not active and that no other profile extends. */
export async function deleteProfile(name: string, options: JsonOption & { readonly yes?: boolean }): Promise<number> {
  const profiles = new ProfileHome()
  requireProfileName(name)
  const files = profileFiles(profiles.dir, name)
  // A profile whose file was removed by hand may still be in force by its last good version.
  if (files.length === 0 && profiles.lastGood.get(`profile:${name}`) === undefined) profiles.require(name)
  requireUnused(profiles, name)
  const confirmed = await confirm('delete a profile', {
    show: () => info(`Will be deleted: ${files.join(', ') || name}`),
    question: `Delete the profile ${name}?`,
  })
  if (confirmed === undefined) return 1
  for (const file of files) remove(file)
  profiles.lastGood.forget(`profile:${name}`)
  await profiles.removeStrictness(name)
  recordChange({ action: 'profile:delete', message: `deleted the profile ${name}` }, confirmed)
  if (options.json === true) printJson({ name, files, deleted: true })
  else info(`deleted ${files.join(', ') || name}`)
  return 0
}

function requireUnused(profiles: ProfileHome, name: string): void {
  if (name === profiles.active || name === profiles.chosen) {
    throw new ArcError('ARC_PROFILE_IN_USE', `The profile ${show(name)} is active.`)
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

function printChanged(profiles: ProfileHome, name: string, { json }: JsonOption, message: string): number {
  if (json === true) printJson(showProfile(profiles, name))
  else info(message)
  return 0
}
