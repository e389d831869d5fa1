// Loads the effective configuration from the files of the user and of a project. A bad file changes nothing: its last
// good state is used, and every problem is reported. Writes only the last good texts and the strictness record.

import { basename, join, resolve, sep } from 'node:path'
import { describe, didYouMean, show } from '../engine/errors.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import { type Config, DEFAULTS } from './config.ts'
import { type Chain, type LayerLocation, readChain } from './extends-chain.ts'
import type { LastGood } from './last-good.ts'
import { type Layer, override, tighten } from './layers.ts'
import { formatKey, isFatal, type Problem, problem } from './problem.ts'
import { isProfileName, listProfiles, PROFILE_NAME } from './profile-files.ts'
import { cacheReads, type ReadFile, readFromBundle, readTextFile } from './read-file.ts'
import type { CommandSetting } from './schema.ts'
import {
  raiseTo,
  raiseToConfig,
  readStrictness,
  type Strictness,
  type StrictnessRecord,
  type StrictnessStore,
  strictestMode,
} from './strictness.ts'
import { type Fingerprint, type Follow, fingerprint, hasHooks, type ProjectHooks, type TrustedSet } from './trust.ts'
import { findEntry, withoutEntries, withoutHooks } from './valid-entries.ts'

/** What to load, and the services for it. */
export interface LoadOptions {
  /** `$ARC_HOME`. */
  readonly home: string
  /** The root of the project; its `.arc/config.*` is the layer above the user's. */
  readonly project?: string | undefined
  /** `$ARC_PROFILE`; otherwise the config file's `profile`, otherwise `default`. */
  readonly profile?: string | undefined
  /** The given profile comes from the environment of an agent: it may only tighten the profile that the files choose. */
  readonly onlyTightens?: boolean | undefined
  readonly lastGood: LastGood
  /** The strictness record; without it only the files count. */
  readonly strictness?: StrictnessStore | undefined
  /** Finds the files that the hooks of a project run. */
  readonly follow?: Follow | undefined
  /** The trusted projects; without it no project is trusted. */
  readonly trusted?: TrustedSet | undefined
  /** Names of hooks that a program registers itself, so that they can be configured. */
  readonly knownHooks?: readonly string[]
  /** Replaces reading from disk: to check a change before it is written. */
  readonly read?: ReadFile
  /** Called after each load. Must not throw. */
  readonly onLoaded?: (loaded: Loaded) => void
  /** Why a command cannot be run, such as a placeholder without a safe form; undefined when it can. */
  readonly checkCommand?: (command: CommandSetting) => string | undefined
  /** The mistakes in the `options` of a hook, each with its path. */
  readonly checkOptions?: (hook: string, options: unknown) => readonly OptionMistake[]
}

/** A mistake in a hook's `options`. */
export interface OptionMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The layer of a project. */
export interface LoadedProject extends ProjectHooks, Fingerprint {
  readonly isTrusted: boolean
}

/** A loaded configuration. */
export interface Loaded {
  readonly config: Config
  /** The configuration without the project. */
  readonly user: Config
  /** The profile that the files choose. */
  readonly chosen: string
  readonly problems: readonly Problem[]
  /** The layers whose files are bad and whose last good state is used. */
  readonly stale: readonly string[]
  /** The layers whose files are bad and that have no last good state: only their valid entries are used. */
  readonly absent: readonly string[]
  /** Present when the project has its own layer. */
  readonly project?: LoadedProject
  /** The active files of the user; a later file overrides an earlier one. */
  readonly layers: readonly Layer[]
  /** Every path that was read or looked for; a change of one means to load again. */
  readonly files: readonly string[]
}

/**
 * Loads the configuration. Never throws because of the content of files.
 * @example
 * const { config, problems } = loadConfig({ home, project: process.cwd(), lastGood: openLastGood(join(home, 'last-good')) })
 */
export function loadConfig(options: LoadOptions): Loaded {
  const loaded = new Loading(options).run()
  options.onLoaded?.(loaded)
  return loaded
}

class Loading {
  readonly #options: LoadOptions
  readonly #problems: Problem[] = []
  readonly #stale: string[] = []
  readonly #absent: string[] = []
  readonly #files = new Set<string>()
  // A file of the user is missing or bad.
  #isDegraded = false
  #hasConfigFile = false
  #record: { readonly was: StrictnessRecord | undefined } | undefined
  // Each file is read once, so that one load sees one state of it.
  readonly #read: ReadFile

  constructor(options: LoadOptions) {
    this.#options = options
    this.#read = cacheReads(options.read ?? readTextFile)
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
    const { config, project } = this.#project(user)
    const parts = { problems: this.#problems, stale: this.#stale, absent: this.#absent, files: [...this.#files] }
    const layers = [...base.layers, ...own.layers]
    return { config, user, chosen, layers, ...parts, ...(project === undefined ? {} : { project }) }
  }

  #profile(name: string, profiles: string, base: Config, otherwise: string): UserLayer {
    const stem = join(profiles, name)
    const named = { ...base, profile: name }
    if (!isProfileName(name)) {
      this.#problems.push(problem('invalid', stem, `${PROFILE_NAME}, not ${show(name)}.`))
    } else {
      const found = this.#userLayer(`profile:${name}`, { kind: 'profile', stem, profiles }, named)
      if (!found.isMissing || name === 'default') return found
      const near = didYouMean(name, listProfiles(profiles))
      const message = `There is no profile ${name}; the profile ${otherwise} is used instead.${near}`
      this.#problems.push(problem('missing', `${stem}.json`, message))
    }
    // A misspelt name must not lead to the defaults: the profile without that name applies.
    this.#isDegraded = true
    this.#absent.push(`profile:${name}`)
    if (name === otherwise) return this.#profile('default', profiles, base, 'default')
    const instead = this.#profile(otherwise, profiles, base, 'default')
    return { ...instead, config: { ...instead.config, profile: name } }
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
    this.#problems.push(problem('held', join(resolve(this.#options.home), 'profiles', `${name}.json`), `${why} ${fix}`))
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
      this.#problems.push(problem('not-saved', home, `The strictness record cannot be written: ${describe(error)}.`))
    }
  }

  // Applies a layer of the user to the layers below it.
  #userLayer(name: string, place: LayerLocation, base: Config): UserLayer {
    const { is, layers, chain } = this.#layers(name, place, base)
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
    return { layers, config: { ...over, enforcement: asked, risk: { ...over.risk, floor } } }
  }

  // The profile has no file now, but was loaded before.
  #wasLoadedBefore({ stem }: LayerLocation): boolean {
    return Object.hasOwn(this.#readRecord()?.profiles ?? {}, basename(stem))
  }

  #project(base: Config): { config: Config; project?: LoadedProject } {
    const { project: given, trusted } = this.#options
    if (given === undefined) return { config: base }
    const dir = resolve(given)
    const place: LayerLocation = { kind: 'project', stem: join(dir, '.arc', 'config'), within: dir }
    const { is, layers: found, chain } = this.#layers(`project:${dir}`, place, base)
    const readable = is === 'stale' ? chain.goodEntries.map(withoutHooks) : []
    const layers = [...(is === 'part' ? found.map(withoutHooks) : found), ...readable]
    const asked = is === 'stale' || is === 'part' ? chain.asked : undefined
    const start = asked === undefined ? base : { ...base, enforcement: strictestMode(base.enforcement, asked) }
    if (layers.length === 0) return { config: start }
    const config = layers.reduce((merged, layer) => {
      const step = tighten(merged, layer)
      this.#problems.push(...step.problems)
      return step.config
    }, start)
    // Merged with the defaults, so that the hash does not depend on the layers of the user.
    const { commands, scripts } = layers.reduce((merged, layer) => tighten(merged, layer).config, DEFAULTS)
    const hooks = { dir, commands, scripts }
    const print = fingerprint(hooks, this.#options.follow)
    // Files outside the project, such as system programs, are not watched.
    for (const { file } of print.files) if (file.startsWith(dir + sep)) this.#files.add(file)
    const isTrusted = !hasHooks(hooks) || (print.canTrust && trusted?.isTrusted(dir, print.hash) === true)
    const project = { ...hooks, ...print, isTrusted }
    if (isTrusted) return { config, project }
    this.#reportUntrusted(project)
    return { config: { ...config, commands: base.commands, scripts: base.scripts }, project }
  }

  #reportUntrusted({ dir, commands, scripts, refusal }: LoadedProject): void {
    const count = commands.length + scripts.length
    const { file, line, column } = [...commands, ...scripts][0]?.origin ?? { file: dir, line: 1, column: 1 }
    const hooks = `${count} ${count === 1 ? 'hook or script' : 'hooks and scripts'} of this project`
    const fix =
      refusal === undefined ? `Review and trust them with: arc trust ${dir}` : `They cannot be checked: ${refusal}.`
    const message = `The ${hooks} do not run, because their current content is not trusted. ${fix}`
    this.#problems.push(problem('untrusted', file, message, { position: { line, column } }))
  }

  // The layer from its files; else its last good state; else its valid entries.
  #layers(name: string, place: LayerLocation, base: Config): LayerState {
    const { lastGood } = this.#options
    const chain = this.#checkChain(readChain(place, this.#read), base)
    for (const file of chain.looked) this.#files.add(file)
    this.#problems.push(...chain.problems)
    const isGood = !chain.problems.some(isFatal)
    if (isGood && chain.layers.length > 0) {
      this.#storeLastGood(name, chain, place)
      return { is: 'good', layers: chain.layers, chain }
    }
    // A project's file may come and go with a branch; a missing file of the user is a problem.
    if (isGood && place.kind === 'project') return { is: 'none', layers: [], chain }
    const stored = lastGood.get(name)
    if (isGood && stored === undefined) return { is: 'none', layers: [], chain }
    if (isGood) this.#problems.push(problem('missing', `${place.stem}.json`, `The file of ${name} is missing.${STAYS}`))
    const before =
      stored &&
      this.#checkChain(
        readChain(place, (file) => readFromBundle(stored, file)),
        base,
      )
    if (before === undefined || before.problems.some(isFatal)) {
      this.#absent.push(name)
      return { is: 'part', layers: chain.goodEntries, chain }
    }
    this.#stale.push(name)
    return { is: isGood ? 'vanished' : 'stale', layers: before.layers, chain }
  }

  #storeLastGood(name: string, { texts }: Chain, { stem }: LayerLocation): void {
    try {
      this.#options.lastGood.set(name, texts)
    } catch (error) {
      const message = `The last good state of ${name} cannot be written: ${describe(error)}.`
      this.#problems.push(problem('not-saved', stem, message))
    }
  }

  // The checks that need the other layers: names of hooks, and commands.
  #checkChain(chain: Chain, base: Config): Chain {
    const { knownHooks = [], checkCommand, checkOptions } = this.#options
    const merged = chain.layers.reduce(override, base)
    const known = [...Object.keys(BUILT_IN_HOOKS), ...knownHooks, ...merged.commands.map(({ name }) => name)]
    const wrong = chain.layers.flatMap(({ file: { source, settings } }) => {
      const names = Object.entries(settings.hooks ?? {}).flatMap(([name, value]) => {
        if (typeof value !== 'object' || known.includes(name)) return []
        const where = { key: formatKey(['hooks', name]), position: source.at(['hooks', name], 'key') }
        return [problem('invalid', source.file, `There is no hook ${show(name)}.${didYouMean(name, known)}`, where)]
      })
      const commands = (settings.commands ?? []).flatMap((command, index) => {
        const message = checkCommand?.(command)
        const path = ['commands', index, 'command']
        const where = { key: formatKey(path), position: source.at(path) }
        return message === undefined ? [] : [problem('invalid', source.file, `${where.key}: ${message}`, where)]
      })
      const options = Object.entries(settings.hooks ?? {}).flatMap(([name, value]) => {
        if (typeof value !== 'object' || value.options === undefined) return []
        return (checkOptions?.(name, value.options) ?? []).map(({ path: inside, message }) => {
          const path = ['hooks', name, 'options', ...inside]
          const where = { key: formatKey(path), position: source.at(path) }
          return problem('invalid', source.file, `${where.key}: ${message}`, where)
        })
      })
      return [...names, ...commands, ...options]
    })
    if (wrong.length === 0) return chain
    const bad = new Set(wrong.map(({ file, key }) => `${file} ${findEntry(key)}`))
    const goodEntries = chain.goodEntries.map((layer) => withoutEntries(layer, bad))
    return { ...chain, layers: [], goodEntries, problems: [...chain.problems, ...wrong] }
  }
}

/** The state of a layer: good, never there, deleted, bad with a last good state, bad without one. */
interface LayerState {
  readonly is: 'good' | 'none' | 'vanished' | 'stale' | 'part'
  readonly layers: readonly Layer[]
  readonly chain: Chain
}

/** A layer of the user, and the configuration with it. */
interface UserLayer {
  readonly layers: readonly Layer[]
  readonly config: Config
  readonly isMissing?: boolean
  readonly isVanished?: boolean
}

const STAYS = ' Its stricter settings stay active; write {} into the file for no settings.'
