// Reads one layer: the file, the files that it extends (bases first) and its scripts. All of them or none.

import { createHash } from 'node:crypto'
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path'
import { didYouMean, show } from '../engine/errors.ts'
import type { Mode } from '../engine/mode.ts'
import { isRecord } from '../engine/plain-data.ts'
import { compileArma } from './arma/compile-script.ts'
import type { Script } from './config.ts'
import { EXTENSIONS } from './extensions.ts'
import type { Layer } from './layers.ts'
import { type Parsed, parseText } from './parse-text.ts'
import { formatKey, isFatal, type Problem, problem } from './problem.ts'
import { listProfiles } from './profile-files.ts'
import type { ReadFile } from './read-file.ts'
import type { FileKind } from './schema.ts'
import { modeInText, nearestMode, strictestMode } from './strictness.ts'
import { type Validated, type ValidFile, validate } from './validate.ts'

/** Where a layer is searched. */
export interface LayerLocation {
  readonly kind: FileKind
  /** The path without the extension. */
  readonly stem: string
  /** The folder of profiles for `extends`; a project has none. */
  readonly profiles?: string
  /** The directory that a project's files must not leave. */
  readonly within?: string
}

/** A layer and its files. */
export interface Chain {
  /** Bases first. Empty when there is no file, or when a file has a problem. */
  readonly layers: readonly Layer[]
  /** The valid entries of every file that could be parsed. */
  readonly goodEntries: readonly Layer[]
  /** The strictest mode in files that could not be parsed. */
  readonly asked?: Mode | undefined
  readonly problems: readonly Problem[]
  /** The text of every file. */
  readonly texts: Readonly<Record<string, string>>
  /** Every path that was read or looked for, to watch for changes. */
  readonly looked: readonly string[]
}

const MAX_CHAIN = 16

/** Reads a layer with the files that it extends. */
export function readChain(place: LayerLocation, read: ReadFile): Chain {
  return new ChainReader(place, read).run()
}

/** The existing files of a stem, in order of preference. */
function findFiles(stem: string, read: ReadFile): string[] {
  return EXTENSIONS.map((extension) => `${stem}${extension}`).filter((file) => {
    const { text, problem: wrong } = read(file)
    return text !== undefined || wrong !== undefined
  })
}

class ChainReader {
  readonly #place: LayerLocation
  readonly #read: ReadFile
  readonly #layers = new Map<string, Layer>()
  readonly #problems: Problem[] = []
  readonly #texts: Record<string, string> = {}
  readonly #looked = new Set<string>()
  #asked: Mode | undefined

  constructor(place: LayerLocation, read: ReadFile) {
    this.#place = place
    this.#read = read
  }

  run(): Chain {
    const [file] = this.#find(this.#place.stem)
    if (file !== undefined) this.#visit(file, this.#place.kind, [])
    const goodEntries = [...this.#layers.values()]
    const layers = this.#problems.some(isFatal) ? [] : goodEntries
    const rest = { problems: this.#problems, texts: this.#texts, looked: [...this.#looked] }
    return { layers, goodEntries, asked: this.#asked, ...rest }
  }

  #find(stem: string): string[] {
    for (const extension of EXTENSIONS) this.#looked.add(`${stem}${extension}`)
    const [file, ...others] = findFiles(stem, this.#read)
    for (const other of others) {
      this.#problems.push(
        problem('ambiguous', other, `This file is not in force, because ${file} is; remove one of them.`),
      )
    }
    return file === undefined ? [] : [file]
  }

  #visit(file: string, kind: FileKind, parents: readonly string[]): void {
    if (this.#layers.has(file)) return
    const text = this.#textOf(file)
    if (text === undefined) return
    const { parsed, problems: unread } = parseText(file, text)
    const checked: Validated = parsed === undefined ? { problems: unread } : validate(parsed, kind)
    this.#problems.push(...(checked.problems ?? []))
    const valid = checked.valid ?? checked.goodEntries
    const asked = askedMode(checked, parsed?.value) ?? (valid === undefined ? modeInText(text) : undefined)
    if (asked !== undefined) this.#asked = strictestMode(asked, this.#asked ?? asked)
    if (valid === undefined) return
    for (const base of this.#basesOf(valid, [...parents, file])) this.#visit(base, kindOfBase(kind), [...parents, file])
    this.#layers.set(file, { file: valid, scripts: this.#scriptsOf(valid) })
  }

  #textOf(file: string): string | undefined {
    this.#looked.add(file)
    const { text, problem: wrong } = this.#read(file)
    if (wrong !== undefined) this.#problems.push(wrong)
    if (text !== undefined) this.#texts[file] = text
    return text
  }

  #basesOf({ source, settings }: ValidFile, chain: readonly string[]): string[] {
    const { extends: given = [] } = settings
    const names = typeof given === 'string' ? [given] : given
    return names.flatMap((name, index) => {
      const path = typeof given === 'string' ? ['extends'] : ['extends', index]
      const base = this.#resolveBase(source, name, path)
      if (base === undefined) return []
      if (!chain.includes(base) && chain.length < MAX_CHAIN) return [base]
      const circle = [...chain.slice(Math.max(0, chain.indexOf(base))), base].map((file) =>
        relative(dirname(source.file), file),
      )
      const why = chain.includes(base)
        ? 'files extend each other in a circle'
        : `at most ${MAX_CHAIN} files can build on another`
      this.#complain('cycle', source, path, `${why}: ${circle.join(' -> ')}.`)
      return []
    })
  }

  #resolveBase(source: Parsed, name: string, path: readonly PropertyKey[]): string | undefined {
    const { profiles, within } = this.#place
    const isPath = /[\\/]/.test(name) || (EXTENSIONS as readonly string[]).includes(extname(name))
    if (!isPath && profiles === undefined) {
      this.#complain('invalid', source, path, `expected the path of a file, such as ./base.yaml, not ${show(name)}.`)
      return undefined
    }
    if (!isPath) {
      const [file] = this.#find(join(profiles ?? '', name))
      const near = file === undefined ? didYouMean(name, listProfiles(profiles ?? '')) : ''
      if (file === undefined) this.#complain('missing', source, path, `there is no profile ${show(name)}.${near}`)
      return file
    }
    const file = resolve(dirname(source.file), name)
    if (within !== undefined && !isInside(file, within)) {
      this.#complain('invalid', source, path, `expected a file of the project, but ${show(name)} is outside.`)
      return undefined
    }
    const found = this.#read(file)
    this.#looked.add(file)
    if (found.text !== undefined || found.problem !== undefined) return file
    this.#complain('missing', source, path, `there is no file ${show(file)}.`)
    return undefined
  }

  #scriptsOf({ source, settings }: ValidFile): Script[] {
    return (settings.scripts ?? []).flatMap((given, index) => {
      const path = ['scripts', index]
      const file = resolve(dirname(source.file), given)
      const before = this.#problems.length
      const text = this.#textOf(file)
      if (text === undefined) {
        if (this.#problems.length === before) this.#complain('missing', source, path, `there is no file ${show(file)}.`)
        return []
      }
      const script = compileArma(text)
      for (const { message, ...position } of script.errors) {
        this.#problems.push(problem('syntax', file, message, { position }))
      }
      if (script.errors.length > 0) return []
      const layer = this.#place.kind === 'project' ? 'project' : 'user'
      const sha256 = createHash('sha256').update(text).digest('hex')
      return [{ file, script, sha256, origin: { layer, file: source.file, ...source.at(path) } }]
    })
  }

  #complain(kind: Problem['kind'], source: Parsed, path: readonly PropertyKey[], message: string): void {
    const key = formatKey(path)
    this.#problems.push(problem(kind, source.file, `${key}: ${message}`, { key, position: source.at(path) }))
  }
}

// A config file extends a profile; a project extends project files.
function kindOfBase(kind: FileKind): FileKind {
  return kind === 'config' ? 'profile' : kind
}

function isInside(file: string, dir: string): boolean {
  const path = relative(dir, file)
  return path !== '' && !path.startsWith('..') && !isAbsolute(path)
}

// The mode that a misspelt `enforcement`, or a misspelt value of it, asks for.
function askedMode({ problems = [] }: Validated, value: unknown): Mode | undefined {
  if (!isRecord(value)) return undefined
  const keys = problems.map(({ key }) => key).filter((key) => Object.hasOwn(value, key))
  const key = keys.find((name) => name === 'enforcement' || didYouMean(name, ['enforcement']) !== '')
  return key === undefined ? undefined : nearestMode(value[key])
}
