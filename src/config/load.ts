// Loads the effective configuration from the files of the user and of a project. A bad file changes nothing: its last
// good state is used, and every problem is reported. Writes only the last good texts and the strictness record.

import { basename, join, resolve } from 'node:path'
import { describe, didYouMean, show } from '../engine/errors.ts'
import { type Config, DEFAULTS } from './config.ts'
import type { LayerLocation } from './extends-chain.ts'
import { LayerReader } from './layer-reader.ts'
import { type Layer, override } from './layers.ts'
import { loadProject } from './load-project.ts'
import type { Loaded, LoadOptions } from './loaded.ts'
import { problem } from './problem.ts'
import { isProfileName, listProfiles, PROFILE_NAME } from './profile-files.ts'
import {
  raiseTo,
  raiseToConfig,
  readStrictness,
  type Strictness,
  type StrictnessRecord,
  strictestMode,
} from './strictness.ts'

export type { Loaded, LoadedProject, LoadOptions } from './loaded.ts'

/**
 * Loads the configuration. Never throws because of the content of files.
 * @example
 * const { config, problems } = loadConfig({ home, project: process.cwd(), lastGood: openLastGood(join(home, 'last-good')) })
 */
export function loadConfig(options: LoadOptions): Loaded {
  const loaded = loadProject(new Loading(options).run(), options)
  options.onLoaded?.(loaded)
  return loaded
}

// Loads the part of the user.
class Loading {
  readonly #options: LoadOptions
  readonly #reader: LayerReader
  // A file of the user is missing or bad.
  #isDegraded = false
  #hasConfigFile = false
  #record: { readonly was: StrictnessRecord | undefined } | undefined

  constructor(options: LoadOptions) {
    this.#options = options
    this.#reader = new LayerReader(options)
  }

  run(): Loaded {
    const home = resolve(this.#options.home)
    const profiles = join(home, 'profiles')
    const base = this.#userLayer('config', { kind: 'config', stem: join(home, 'config'), profiles }, DEFAULTS)
    const named = base.layers.at(-1)?.file.settings.profile ?? 'default'
    // A profile that a deleted file chose may only tighten, like one from the environment of an agent.
    const chosen = base.isVanished === true ? 'default' : named
    const profile = this.#options.profile ?? named
    const onlyTightens = this.#options.onlyTightens === true || base.isVanished === true
    const isGoodBefore = !this.#isDegraded
    const own = this.#profile(profile, profiles, base.config, chosen)
    let user = this.#raise(own.config, profile, chosen)
    if (onlyTightens && profile !== chosen) {
      const configured = this.#raise(this.#profile(chosen, profiles, base.config, 'default').config, chosen, chosen)
      user = { ...raiseToConfig(user, configured), profile }
      if (isGoodBefore && !this.#isDegraded)
        this.#storeStrictness(chosen, { [chosen]: configured, [profile]: own.config })
    } else if (!this.#isDegraded) this.#storeStrictness(chosen, { [profile]: own.config })
    user = this.#dropRefused(user)
    return { config: user, user, chosen, layers: [...base.layers, ...own.layers], ...this.#reader.findings() }
  }

  #profile(name: string, profiles: string, base: Config, otherwise: string): UserLayer {
    const stem = join(profiles, name)
    const named = { ...base, profile: name }
    if (!isProfileName(name)) {
      this.#reader.problems.push(problem('invalid', stem, `${PROFILE_NAME}, not ${show(name)}.`))
    } else {
      const found = this.#userLayer(`profile:${name}`, { kind: 'profile', stem, profiles }, named)
      if (!found.isMissing || name === 'default') return found
      const near = didYouMean(name, listProfiles(profiles))
      const message = `There is no profile ${name}; the profile ${otherwise} is used instead.${near}`
      this.#reader.problems.push(problem('missing', `${stem}.json`, message))
    }
    // A misspelt name must not lead to the defaults: the profile without that name applies.
    this.#isDegraded = true
    this.#reader.absent.push(`profile:${name}`)
    if (name === otherwise) return this.#profile('default', profiles, base, 'default')
    const instead = this.#profile(otherwise, profiles, base, 'default')
    return { ...instead, config: { ...instead.config, profile: name } }
  }

  // An exception that may not be used is ignored and reported; the rest of its file applies.
  #dropRefused(user: Config): Config {
    const exceptions = user.exceptions.filter((exception) => {
      const why = this.#options.checkException?.(exception, user)
      if (why === undefined) return true
      const { file, ...position } = exception.origin
      const message = `The exception ${exception.id} is ignored: ${why}`
      this.#reader.problems.push(problem('refused', file, message, { key: 'exceptions', position }))
      return false
    })
    return exceptions.length === user.exceptions.length ? user : { ...user, exceptions }
  }

  // Missing or bad files never make the configuration looser.
  #raise(config: Config, name: string, chosen: string): Config {
    const record = this.#readRecord()
    if (record === undefined) return config
    const isLost = this.#isDegraded || (record.profile !== chosen && !this.#hasConfigFile)
    const facts = [...new Set(isLost ? [name, chosen, record.profile] : [])].flatMap((profile) => {
      return Object.hasOwn(record.profiles, profile) ? [record.profiles[profile] as Strictness] : []
    })
    const raised = facts.reduce(raiseTo, config)
    if (raised === config) return config
    this.#isDegraded = true
    const why = `Configuration files are missing or bad, so the last known mode applies: ${raised.enforcement}.`
    const fix = 'Restore the files, or set the mode: arc mode MODE'
    this.#reader.problems.push(
      problem('held', join(resolve(this.#options.home), 'profiles', `${name}.json`), `${why} ${fix}`),
    )
    return raised
  }

  // Read once per load.
  #readRecord(): StrictnessRecord | undefined {
    this.#record ??= { was: this.#options.strictness?.get() }
    return this.#record.was
  }

  #storeStrictness(chosen: string, configs: Readonly<Record<string, Config>>): void {
    const { strictness, home } = this.#options
    if (strictness === undefined) return
    const before = this.#readRecord()
    const facts = Object.fromEntries(Object.entries(configs).map(([name, config]) => [name, readStrictness(config)]))
    try {
      strictness.set({ profile: chosen, profiles: { ...before?.profiles, ...facts } })
    } catch (error) {
      this.#reader.problems.push(
        problem('not-saved', home, `The strictness record cannot be written: ${describe(error)}.`),
      )
    }
  }

  // Applies a layer of the user to the layers below it.
  #userLayer(name: string, place: LayerLocation, base: Config): UserLayer {
    const { is, layers, chain } = this.#reader.read(name, place, base)
    const over = layers.reduce(override, base)
    if (place.kind === 'config') this.#hasConfigFile = is === 'good' || is === 'stale' || is === 'part'
    if (is === 'good') return { layers, config: over }
    if (is === 'none') {
      if (place.kind === 'profile') this.#isDegraded ||= this.#wasLoadedBefore(place)
      return { layers: [], config: base, isMissing: true }
    }
    this.#isDegraded = true
    // Of a deleted file only the stricter settings are kept.
    if (is === 'vanished') return { layers, config: raiseToConfig(over, base), isVanished: true }
    const given = chain.goodEntries.map(({ file }) => file.settings)
    const enforcement = given.reduce((mode, given) => strictestMode(mode, given.enforcement ?? mode), over.enforcement)
    const asked = strictestMode(enforcement, chain.asked ?? enforcement)
    const floor = over.risk.floor || given.some(({ risk }) => risk?.floor === true)
    // Without a last good state, only the stricter entries of a bad file count.
    const exceptions = is === 'part' ? base.exceptions : over.exceptions
    return { layers, config: { ...over, enforcement: asked, risk: { ...over.risk, floor }, exceptions } }
  }

  // The profile has no file now, but was loaded before.
  #wasLoadedBefore({ stem }: LayerLocation): boolean {
    return Object.hasOwn(this.#readRecord()?.profiles ?? {}, basename(stem))
  }
}

/** A layer of the user, and the configuration with it. */
interface UserLayer {
  readonly layers: readonly Layer[]
  readonly config: Config
  readonly isMissing?: boolean
  readonly isVanished?: boolean
}
