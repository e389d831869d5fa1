// The configuration in force, from the files of the user and of a project. A bad file changes nothing: its last good
// state stays in force, and every problem is reported. Only reads, apart from keeping the last good texts.

import { basename, dirname, join, resolve, sep } from 'node:path'
import { describe, didYouMean, show } from '../core/errors.ts'
import { type Chain, type LayerPlace, readChain } from './chain.ts'
import type { LastGood } from './last-good.ts'
import { type Config, DEFAULTS, type Layer, override, tighten } from './layers.ts'
import { isFatal, keyOf, type Problem, problem } from './problem.ts'
import { isProfileName, listProfiles, PROFILE_NAME } from './profiles.ts'
import { type FileText, type ReadFile, readTextFile } from './read-file.ts'
import { BUILT_IN_HOOKS, type CommandSetting } from './schema.ts'
import { type Fingerprint, type Follow, fingerprint, hasHooks, type ProjectHooks, type TrustedSet } from './trust.ts'

/** What to load, and what it needs from outside. */
export interface LoadOptions {
  /** `$ARC_HOME`. */
  readonly home: string
  /** The root of the project, whose `.arc/config.*` is the layer above the user's. */
  readonly project?: string | undefined
  /** `$ARC_PROFILE`; otherwise the config file's `profile`, otherwise `default`. */
  readonly profile?: string | undefined
  readonly lastGood: LastGood
  /** Follows what the hooks of a project run. */
  readonly follow?: Follow | undefined
  /** Without it no project is trusted. */
  readonly trusted?: TrustedSet | undefined
  /** Names of hooks that a program registers itself, so that they can be configured. */
  readonly knownHooks?: readonly string[]
  /** Reads files, where they are not taken as they stand: to try a change out before it is written. */
  readonly read?: ReadFile
  /** Says what is wrong with a command that cannot be run, such as a placeholder without a safe form. */
  readonly checkCommand?: (command: CommandSetting) => string | undefined
  /** Says what is wrong with the `options` of a hook, each mistake by its path inside them. */
  readonly checkOptions?: (hook: string, options: unknown) => readonly OptionMistake[]
}

/** A mistake in a hook's `options`. */
export interface OptionMistake {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A project's part in what was loaded. */
export interface LoadedProject extends ProjectHooks, Fingerprint {
  readonly isTrusted: boolean
}

/** What was loaded. */
export interface Loaded {
  readonly config: Config
  readonly problems: readonly Problem[]
  /** The layers that run on their last good state, because their files are bad now. */
  readonly stale: readonly string[]
  /** The layers whose files are bad and which never had a good state: they are not in force at all. */
  readonly absent: readonly string[]
  /** Present when there is a project with a layer of its own. */
  readonly project?: LoadedProject
  /** The user's files in force, the first to last that override each other. */
  readonly layers: readonly Layer[]
  /** Every path that decides; a change of one is a reason to load again. */
  readonly files: readonly string[]
}

/**
 * Loads the configuration. Never throws for what stands in files.
 * @example
 * const { config, problems } = loadConfig({ home, project: process.cwd(), lastGood: keepLastGood(join(home, 'last-good')) })
 */
export function loadConfig(options: LoadOptions): Loaded {
  return new Loading(options).run()
}

class Loading {
  readonly #options: LoadOptions
  readonly #problems: Problem[] = []
  readonly #stale: string[] = []
  readonly #absent: string[] = []
  readonly #files = new Set<string>()
  // Each file is read once, so that one load sees one state of it.
  readonly #read: ReadFile

  constructor(options: LoadOptions) {
    this.#options = options
    this.#read = remembering(options.read ?? readTextFile)
  }

  run(): Loaded {
    const home = resolve(this.#options.home)
    const profiles = join(home, 'profiles')
    const base = this.#layers('config', { kind: 'config', stem: join(home, 'config'), profiles }, DEFAULTS)
    const common = base.reduce(override, DEFAULTS)
    const chosen = base.at(-1)?.file.settings.profile
    const name = this.#options.profile ?? chosen ?? 'default'
    const named = { ...common, profile: name }
    const layers = this.#profile(name, profiles, named)
    const { config, project } = this.#project(layers.reduce(override, named))
    const parts = { problems: this.#problems, stale: this.#stale, absent: this.#absent, files: [...this.#files] }
    return { config, layers: [...base, ...layers], ...parts, ...(project === undefined ? {} : { project }) }
  }

  #profile(name: string, profiles: string, base: Config): readonly Layer[] {
    const stem = join(profiles, name)
    if (!isProfileName(name)) {
      this.#problems.push(problem('invalid', stem, `${PROFILE_NAME}, not ${show(name)}.`))
      this.#absent.push(`profile:${name}`)
      return []
    }
    return this.#layers(`profile:${name}`, { kind: 'profile', stem, profiles }, base)
  }

  #project(base: Config): { config: Config; project?: LoadedProject } {
    const { project: given, trusted } = this.#options
    if (given === undefined) return { config: base }
    const dir = resolve(given)
    const place: LayerPlace = { kind: 'project', stem: join(dir, '.arc', 'config'), within: dir }
    const layers = this.#layers(`project:${dir}`, place, base)
    if (layers.length === 0) return { config: base }
    const config = layers.reduce((merged, layer) => {
      const step = tighten(merged, layer)
      this.#problems.push(...step.problems)
      return step.config
    }, base)
    // By itself, so that its hash does not depend on what the user has.
    const { commands, scripts } = layers.reduce((merged, layer) => tighten(merged, layer).config, DEFAULTS)
    const hooks = { dir, commands, scripts }
    const print = fingerprint(hooks, this.#options.follow)
    // Devices and programs of the system are no reason to load again.
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
      refusal === undefined ? `Read and trust them with: arc trust ${dir}` : `They cannot be checked: ${refusal}.`
    const message = `The ${hooks} do not run, because they are not trusted as they are now. ${fix}`
    this.#problems.push(problem('untrusted', file, message, { position: { line, column } }))
  }

  // The layer as its files stand now, or else as it last was.
  #layers(name: string, place: LayerPlace, base: Config): readonly Layer[] {
    const { lastGood } = this.#options
    const chain = this.#checked(readChain(place, this.#read), base)
    for (const file of chain.looked) this.#files.add(file)
    this.#problems.push(...chain.problems)
    const isGood = !chain.problems.some(isFatal)
    if (isGood && chain.layers.length > 0) {
      this.#keep(name, chain, place)
      return chain.layers
    }
    // A project's file may come and go with a branch; one of the user's does not vanish by itself.
    if (isGood && place.kind === 'project') return []
    const kept = lastGood.get(name)
    if (isGood && kept === undefined) return this.#notFound(name, place)
    if (isGood)
      this.#problems.push(problem('missing', `${place.stem}.json`, `The file of ${name} has vanished.${STAYS}`))
    const before =
      kept &&
      this.#checked(
        readChain(place, (file) => textIn(kept, file)),
        base,
      )
    if (before === undefined || before.problems.some(isFatal)) {
      this.#absent.push(name)
      return []
    }
    this.#stale.push(name)
    return before.layers
  }

  // Without a file the defaults hold; but a profile that somebody asked for by name has to be there.
  #notFound(name: string, { kind, stem }: LayerPlace): readonly Layer[] {
    if (kind !== 'profile' || name === 'profile:default') return []
    const near = didYouMean(basename(stem), listProfiles(dirname(stem)))
    this.#absent.push(name)
    this.#problems.push(
      problem('missing', `${stem}.json`, `There is no ${name.replace(':', ' ')}; the defaults are in force.${near}`),
    )
    return []
  }

  #keep(name: string, { texts }: Chain, { stem }: LayerPlace): void {
    try {
      this.#options.lastGood.set(name, texts)
    } catch (error) {
      const message = `The last good state of ${name} cannot be kept on disk: ${describe(error)}.`
      this.#problems.push(problem('not-saved', stem, message))
    }
  }

  // What can only be checked beside the other layers: names of hooks, and commands.
  #checked(chain: Chain, base: Config): Chain {
    const { knownHooks = [], checkCommand, checkOptions } = this.#options
    const merged = chain.layers.reduce(override, base)
    const known = [...Object.keys(BUILT_IN_HOOKS), ...knownHooks, ...merged.commands.map(({ name }) => name)]
    const wrong = chain.layers.flatMap(({ file: { source, settings } }) => {
      const names = Object.entries(settings.hooks ?? {}).flatMap(([name, value]) => {
        if (typeof value !== 'object' || known.includes(name)) return []
        const where = { key: keyOf(['hooks', name]), position: source.at(['hooks', name], 'key') }
        return [problem('invalid', source.file, `There is no hook ${show(name)}.${didYouMean(name, known)}`, where)]
      })
      const commands = (settings.commands ?? []).flatMap((command, index) => {
        const message = checkCommand?.(command)
        const path = ['commands', index, 'command']
        const where = { key: keyOf(path), position: source.at(path) }
        return message === undefined ? [] : [problem('invalid', source.file, `${where.key}: ${message}`, where)]
      })
      const options = Object.entries(settings.hooks ?? {}).flatMap(([name, value]) => {
        if (typeof value !== 'object' || value.options === undefined) return []
        return (checkOptions?.(name, value.options) ?? []).map(({ path: inside, message }) => {
          const path = ['hooks', name, 'options', ...inside]
          const where = { key: keyOf(path), position: source.at(path) }
          return problem('invalid', source.file, `${where.key}: ${message}`, where)
        })
      })
      return [...names, ...commands, ...options]
    })
    return { ...chain, problems: [...chain.problems, ...wrong] }
  }
}

const STAYS = ' Its last good state stays in force; write {} into the file for no settings.'

function textIn(bundle: Readonly<Record<string, string>>, file: string): FileText {
  const text = Object.hasOwn(bundle, file) ? bundle[file] : undefined
  return text === undefined ? {} : { text }
}

function remembering(read: ReadFile): ReadFile {
  const known = new Map<string, FileText>()
  return (file) => {
    const found = known.get(file) ?? read(file)
    known.set(file, found)
    return found
  }
}
