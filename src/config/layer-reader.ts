// Reads one layer of the configuration: from its files; else its last good state; else its valid entries. Collects the
// problems and the files of all layers that it read.

import { describe, didYouMean, show } from '../engine/errors.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import type { Config } from './config.ts'
import { type Chain, type LayerLocation, readChain } from './extends-chain.ts'
import { type Layer, override } from './layers.ts'
import type { LayerFindings, LoadOptions } from './loaded.ts'
import { formatKey, isFatal, type Problem, problem } from './problem.ts'
import { cacheReads, type ReadFile, readFromBundle, readTextFile } from './read-file.ts'
import { findEntry, withoutEntries } from './valid-entries.ts'

/** The state of a layer: good, never there, deleted, bad with a last good state, bad without one. */
export interface LayerState {
  readonly is: 'good' | 'none' | 'vanished' | 'stale' | 'part'
  readonly layers: readonly Layer[]
  readonly chain: Chain
}

/** Reads the layers of one load. */
export class LayerReader {
  readonly problems: Problem[] = []
  readonly stale: string[] = []
  readonly absent: string[] = []
  readonly files = new Set<string>()
  readonly #options: LoadOptions
  // Each file is read once, so that one load sees one state of it.
  readonly #read: ReadFile

  constructor(options: LoadOptions) {
    this.#options = options
    this.#read = cacheReads(options.read ?? readTextFile)
  }

  /** All findings so far. */
  findings(): LayerFindings {
    return { problems: this.problems, stale: this.stale, absent: this.absent, files: [...this.files] }
  }

  /** Reads a layer that builds on a configuration. */
  read(name: string, place: LayerLocation, base: Config): LayerState {
    const { lastGood } = this.#options
    const chain = this.#checkChain(readChain(place, this.#read), base)
    for (const file of chain.looked) this.files.add(file)
    this.problems.push(...chain.problems)
    const isGood = !chain.problems.some(isFatal)
    if (isGood && chain.layers.length > 0) {
      this.#storeLastGood(name, chain, place)
      return { is: 'good', layers: chain.layers, chain }
    }
    // A project's file may come and go with a branch; a missing file of the user is a problem.
    if (isGood && place.kind === 'project') return { is: 'none', layers: [], chain }
    const stored = lastGood.get(name)
    if (isGood && stored === undefined) return { is: 'none', layers: [], chain }
    if (isGood) this.problems.push(problem('missing', `${place.stem}.json`, `The file of ${name} is missing.${STAYS}`))
    const before =
      stored &&
      this.#checkChain(
        readChain(place, (file) => readFromBundle(stored, file)),
        base,
      )
    if (before === undefined || before.problems.some(isFatal)) {
      this.absent.push(name)
      return { is: 'part', layers: chain.goodEntries, chain }
    }
    this.stale.push(name)
    return { is: isGood ? 'vanished' : 'stale', layers: before.layers, chain }
  }

  #storeLastGood(name: string, { texts }: Chain, { stem }: LayerLocation): void {
    try {
      this.#options.lastGood.set(name, texts)
    } catch (error) {
      const message = `The last good state of ${name} cannot be written: ${describe(error)}.`
      this.problems.push(problem('not-saved', stem, message))
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

const STAYS = ' Its stricter settings stay active; write {} into the file for no settings.'
