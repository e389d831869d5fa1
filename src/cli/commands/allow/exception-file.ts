// Adds and removes exceptions in the files of profiles. Comments and layout of the files stay.

import type { Exception } from '../../../config/config.ts'
import type { ChangeOf } from '../../../config/edit/edit-file.ts'
import type { ExactSetting, RuleSetting } from '../../../config/exception-schema.ts'
import { ArcError } from '../../../engine/errors.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import type { ProfileHome } from '../../../supervisor/profile-home.ts'
import { type Confirmed, recordChange } from '../../confirm.ts'

/** An exception before it has a number, as the file has it. */
export type NewException = Omit<ExactSetting, 'id'> | Omit<RuleSetting, 'id'>

/** Adds an exception to profiles, with the same number in each, and records it. */
export async function addException(
  profiles: ProfileHome,
  names: readonly string[],
  given: NewException,
  confirmed: Confirmed,
): Promise<Exception> {
  const taken = names.flatMap((name) => profiles.load(name).user.exceptions.map(({ id }) => id))
  let id = Math.max(0, ...taken) + 1
  const append: ChangeOf = (content) => {
    const list = readList(content)
    if (list === undefined) return { path: ['exceptions'], value: [{ id, ...given }] }
    // Another process may have added one meanwhile.
    while (list.some((entry) => entry.id === id)) id++
    return { path: ['exceptions', list.length], value: { id, ...given } }
  }
  for (const name of names) {
    await profiles.change(name, append, profiles.template(name))
    await profiles.storeStrictness(name)
  }
  const data = { exception: { id, ...given }, profiles: names }
  const message = `exception ${id}: ${'rule' in given ? given.rule : given.rules.join(', ')}`
  recordChange({ action: 'exception:added', message, data }, confirmed)
  const added = profiles.load(names[0]).user.exceptions.find((exception) => exception.id === id)
  if (added === undefined) throw new ArcError('ARC_EXCEPTION_UNKNOWN', `The exception ${id} is not in force.`)
  return added
}

/** Removes an exception from the profiles that have it, and records it. Returns whether a file had it. */
export async function dropException(
  profiles: ProfileHome,
  names: readonly string[],
  { id, project, rules }: Exception,
  confirmed: Confirmed,
): Promise<boolean> {
  const remove: ChangeOf = (content) => {
    const list = readList(content) ?? []
    const index = list.findIndex((entry) => entry.id === id && entry.project === project)
    if (index < 0) return { path: ['exceptions'], value: readExceptions(content) }
    return list.length === 1
      ? { path: ['exceptions'], value: undefined }
      : { path: ['exceptions', index], value: undefined }
  }
  let isRemoved = false
  for (const name of names) {
    if (profiles.findFile(name) === undefined) continue
    isRemoved = (await profiles.change(name, remove, profiles.template(name))) || isRemoved
  }
  const data = { exception: id, rules, project, profiles: names }
  if (isRemoved) recordChange({ action: 'exception:removed', message: `exception ${id} is removed`, data }, confirmed)
  return isRemoved
}

function readExceptions(content: unknown): unknown {
  return isRecord(content) ? content.exceptions : undefined
}

function readList(content: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const list = readExceptions(content)
  return Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry : {})) : undefined
}
