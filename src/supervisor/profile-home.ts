// The profiles of `$ARC_HOME` for commands: listing, loading, choosing and editing them.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Change, type ChangeOf, type EditOptions, editFile } from '../config/edit/edit-file.ts'
import { type LastGood, openLastGood } from '../config/last-good.ts'
import { type Loaded, type LoadOptions, loadConfig } from '../config/load.ts'
import { formatProblem, isFatal, type Problem } from '../config/problem.ts'
import { findVariants, isProfileName, listProfiles, PROFILE_NAME, profileFiles } from '../config/profile-files.ts'
import { readTextFile } from '../config/read-file.ts'
import { readStrictness, type StrictnessRecord } from '../config/strictness.ts'
import { openStrictnessStore, readOnlyStrictness } from '../config/strictness-store.ts'
import { ArcError, didYouMean, show } from '../engine/errors.ts'
import type { Mode } from '../engine/mode.ts'
import { whyRefused } from '../exceptions/exception-rules.ts'
import { BUILT_INS } from '../hooks/builtin/list.ts'
import { whyNotRunnable } from '../hooks/handlers/handler-factory.ts'
import { createOptionCheck } from '../hooks/hook-options.ts'
import { arcHome, lastGoodDir } from '../platform/home.ts'

/** The profiles of one home. */
export class ProfileHome {
  readonly home: string
  readonly dir: string
  readonly lastGood: LastGood

  constructor(home = arcHome()) {
    this.home = resolve(home)
    this.dir = join(this.home, 'profiles')
    this.lastGood = openLastGood(lastGoodDir(this.home))
  }

  /** The active profile: `$ARC_PROFILE`, else the choice of the config file, else `default`. */
  get active(): string {
    return this.load().config.profile
  }

  /** The profile that the config file chooses; the environment is ignored. */
  get chosen(): string {
    return loadConfig(this.#options({ lastGood: this.#readOnly() })).config.profile
  }

  /** The names of all profiles; `default` is always one. */
  list(): readonly string[] {
    return [...new Set([...listProfiles(this.dir).filter(isProfileName), 'default'])].sort()
  }

  /** The file of a profile, if it has one. */
  findFile(name: string): string | undefined {
    return profileFiles(this.dir, name)[0]
  }

  /** Throws when the profile does not exist. */
  require(name: string): void {
    requireProfileName(name)
    if (this.list().includes(name)) return
    const near = didYouMean(name, this.list())
    throw new ArcError('ARC_PROFILE_UNKNOWN', `There is no profile ${show(name)}.${near}`)
  }

  /** Loads a profile; the active one by default. Writes nothing. */
  load(name = process.env.ARC_PROFILE || undefined): Loaded {
    return loadConfig(this.#options({ profile: name, lastGood: this.#readOnly() }))
  }

  /** Changes a setting of a profile; throws with all problems when the change is invalid. */
  async change(name: string, change: Change | ChangeOf, template: string): Promise<boolean> {
    this.require(name)
    const file = this.findFile(name) ?? join(this.dir, `${name}.json`)
    return this.#edit(file, change, { kind: 'profile', template, check: this.#checkFor(file, name) })
  }

  /** Chooses the profile in the config file. */
  async choose(name: string): Promise<boolean> {
    this.require(name)
    const stem = join(this.home, 'config')
    const file = findVariants(stem)[0] ?? `${stem}.json`
    const check = this.#checkFor(file, undefined)
    return this.#edit(file, { path: ['profile'], value: name }, { kind: 'config', check })
  }

  /** Stores the strictness of a profile: after the user changed the profile. */
  async storeStrictness(name: string): Promise<void> {
    const { user } = loadConfig({
      ...this.#options({ profile: name, lastGood: this.#readOnly() }),
      strictness: undefined,
    })
    await this.#changeInForce((profiles) => ({ ...profiles, [name]: readStrictness(user) }))
  }

  /** Removes a profile from the strictness record: after the user deleted the profile. */
  async removeStrictness(name: string): Promise<void> {
    await this.#changeInForce(({ [name]: _gone, ...profiles }) => profiles)
  }

  async #changeInForce(
    change: (profiles: StrictnessRecord['profiles']) => StrictnessRecord['profiles'],
  ): Promise<void> {
    const file = join(this.home, 'arc.db')
    // Imported on use: most commands need no database.
    const { SqliteStateStore } = await import('../storage/sqlite/state-store.ts')
    const state = existsSync(file) ? new SqliteStateStore(file) : undefined
    try {
      const store = openStrictnessStore(this.home, state)
      store.set({ profile: this.chosen, profiles: change(store.get()?.profiles ?? {}) })
    } finally {
      state?.close()
    }
  }

  /** The text of a new profile. It has the mode that currently applies, so that the new file lowers nothing. */
  template(name: string): string {
    return profileTemplate(name, this.load(name).user.enforcement)
  }

  async #edit(file: string, change: Change | ChangeOf, options: EditOptions): Promise<boolean> {
    const edited = await editFile(file, change, options)
    if (edited.problems !== undefined) throw invalidConfig(edited.problems)
    return edited.isChanged
  }

  // The problems that a new text would cause: in the file itself, or in other files that had none.
  #checkFor(file: string, profile: string | undefined): (text: string) => readonly Problem[] {
    const load = (read = readTextFile) => loadConfig(this.#options({ profile, read })).problems.filter(isFatal)
    const known = new Set(load().map(({ message }) => message))
    return (text) => {
      const problems = load((path) => (path === file ? { text } : readTextFile(path)))
      return problems.filter((found) => found.file === file || !known.has(found.message))
    }
  }

  #options(options: Partial<LoadOptions>): LoadOptions {
    return {
      home: this.home,
      lastGood: openLastGood(),
      strictness: readOnlyStrictness(openStrictnessStore(this.home)),
      checkCommand: ({ command }) => whyNotRunnable(command),
      checkOptions: createOptionCheck(BUILT_INS),
      checkException: whyRefused,
      ...options,
    }
  }

  // Loading a profile for display must not change its last good state.
  #readOnly(): LastGood {
    return { ...this.lastGood, set: () => undefined }
  }
}

/** Throws when a profile cannot have this name. */
export function requireProfileName(name: string): void {
  if (!isProfileName(name)) throw new ArcError('ARC_PROFILE_UNKNOWN', `${PROFILE_NAME}, not ${show(name)}.`)
}

/** The error for an invalid file. */
export function invalidConfig(problems: readonly Problem[]): ArcError {
  return new ArcError('ARC_CONFIG_INVALID', problems.map(formatProblem).join('\n     '))
}

/** The text of a new profile. */
export function profileTemplate(name: string, mode: Mode = 'log'): string {
  return `// A profile of ARC: which hooks check the actions of an agent, and what they may do.
// Every key is optional. "arc profile set KEY VALUE" changes a key and keeps these comments; "arc profile show" lists
// the effective settings and their origin. Editors complete keys from the schema.
{
  "$schema": "../schema/profile.json",
  "name": ${JSON.stringify(name)},
  // off: no hook runs · log: decisions are only recorded · advise: agents get suggestions, nothing is blocked ·
  // enforce: decisions are applied
  "enforcement": ${JSON.stringify(mode)}
}
`
}
