// Trust in a project's hooks: one hash over what they are and over the files that they run, so that a changed script asks
// again. Where something cannot be followed, the hash covers every file of the project. Only reads.

import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fill } from './arma/compile-script.ts'
import { serializeContent } from './command-list.ts'
import type { CommandHook, Script } from './config.ts'
import { listFolderFiles } from './folder-files.ts'
import { namedFiles } from './named-files.ts'
import { isMissing } from './read-file.ts'

/** What a project would run. */
export interface ProjectHooks {
  readonly dir: string
  readonly commands: readonly CommandHook[]
  readonly scripts: readonly Script[]
}

/** The set of trusted hashes; kept elsewhere. */
export interface TrustedSet {
  isTrusted(dir: string, hash: string): boolean
}

/** What hooks run, followed from file to file. */
export interface Followed {
  readonly files: readonly string[]
  /** Patterns, and the files that each of them matches. */
  readonly names: readonly (readonly [string, readonly string[]])[]
  readonly unfollowed: readonly Unfollowed[]
}

/** What cannot be followed in the command line of a hook. */
interface Unfollowed {
  readonly line: string
  readonly what: readonly string[]
}

/** Follows command lines in a folder. */
export type Follow = (dir: string, lines: readonly (string | readonly string[])[]) => Followed

/** A file that the hooks name, as it is now. */
interface NamedFile {
  /** As the hooks name it, resolved. */
  readonly file: string
  readonly state: 'file' | 'missing' | 'directory' | 'special' | 'unreadable' | 'too-large'
  readonly sha256?: string
  /** Where a link leads. */
  readonly target?: string
}

/** A project's hooks in one figure. */
export interface Fingerprint {
  readonly hash: string
  readonly files: readonly NamedFile[]
  /** False when the named files are too many, or one cannot be read to its end: what cannot be hashed cannot be trusted. */
  readonly canTrust: boolean
  readonly unfollowed: readonly Unfollowed[]
  /** Whether they run whatever a pattern matches. */
  readonly hasPatterns: boolean
  /** Why these hooks cannot be trusted, where that is so. */
  readonly refusal?: string
}

const MAX_HASHED_BYTES = 64 * 1024 * 1024

/** Does this project run anything at all? */
export function hasHooks({ commands, scripts }: ProjectHooks): boolean {
  return commands.length > 0 || scripts.length > 0
}

const NOTHING: Followed = { files: [], names: [], unfollowed: [] }

/** The hash of a project's hooks and of every file that they run. Independent of where the project lies. */
export function fingerprint(project: ProjectHooks, follow: Follow = () => NOTHING): Fingerprint {
  const dir = resolve(project.dir)
  const lines = [...project.commands.map(({ command }) => command), ...project.scripts.flatMap(runLines)]
  const named = namedFiles(dir, lines)
  const { files: run, names, unfollowed } = lines.length === 0 ? NOTHING : follow(dir, lines)
  const tree = unfollowed.length === 0 ? { files: [] } : listFolderFiles(dir)
  const all = new Set([...(named ?? []), ...run, ...(tree.files ?? [])])
  const files = [...all].sort().map(inspect)
  const place = (file: string | undefined) => file && relative(dir, file)
  const hash = createHash('sha256')
  for (const command of project.commands) hash.update(`${JSON.stringify(['command', serializeContent(command)])}\n`)
  // A script counts by the text that is in force, which need not be the one on the disk.
  for (const { file, sha256 } of project.scripts) {
    hash.update(`${JSON.stringify(['script', place(resolve(file)), sha256])}\n`)
  }
  for (const { file, state, sha256, target } of files) {
    hash.update(`${JSON.stringify(['file', place(file), state, sha256 ?? null, place(target) ?? null])}\n`)
  }
  for (const entry of [...names].sort()) hash.update(`${JSON.stringify(['names', entry])}\n`)
  for (const entry of unfollowed) hash.update(`${JSON.stringify(['unfollowed', entry.line, entry.what])}\n`)
  const refusal = findRefusal(named !== undefined, files, tree.tooLarge)
  const canTrust = refusal === undefined
  return {
    hash: hash.digest('hex'),
    files,
    canTrust,
    unfollowed,
    hasPatterns: names.length > 0,
    ...(refusal !== undefined && { refusal }),
  }
}

function findRefusal(isNamed: boolean, files: readonly NamedFile[], tooLarge: string | undefined): string | undefined {
  if (!isNamed) return 'the hooks name more files than can be checked'
  const bad = files.find(({ state }) => state === 'unreadable' || state === 'too-large')
  if (bad !== undefined) return `${bad.file} cannot be read to its end`
  return tooLarge === undefined ? undefined : `they run what cannot be followed, and the whole project ${tooLarge}`
}

/** A project's hooks literally, a line each: for a person to read before trusting them. */
export function describeHooks(project: ProjectHooks & Partial<Fingerprint>): readonly string[] {
  const { files, unfollowed } =
    project.files === undefined ? fingerprint(project) : { unfollowed: [], ...project, files: project.files }
  return [
    ...project.commands.map(({ point, tool, command, blocking }) => {
      const where = tool === undefined ? point : `${point}:${tool}`
      return `${where}  ${literally(command)}${blocking ? '  (blocking)' : ''}`
    }),
    ...project.scripts.flatMap(({ file, script }) =>
      script.hooks.map(({ point, tool, command, args, position }) => {
        const where = tool === undefined ? point : `${point}:${tool}`
        const words = args.map((template) => fill(template, (name) => `$${name}`))
        return `${where}  /${command} ${literally(words)}  (${relative(project.dir, file)}:${position.line})`
      }),
    ),
    ...files
      .filter(({ state }) => state !== 'directory')
      .map(({ file, state, sha256, target }) => {
        const link = target === undefined ? '' : ` -> ${literally(target)}`
        return `file  ${literally(relative(project.dir, file))}${link}  ${sha256?.slice(0, 16) ?? state}`
      }),
    ...unfollowed.flatMap(({ line, what }) =>
      what.map((part) => `cannot be followed: ${literally(part)}  (in ${literally(line)})`),
    ),
  ]
}

// Control and direction characters would let a command show as something it is not.
function literally(command: string | readonly string[]): string {
  const text = typeof command === 'string' ? command : command.map((part) => JSON.stringify(part)).join(' ')
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

function runLines({ script }: Script): string[] {
  return script.hooks.flatMap(({ command, args, variables }) => {
    if (command !== 'run') return []
    const values = new Map<string, string>()
    const look = (name: string) => values.get(name) ?? `$${name}`
    for (const { name, value } of variables) values.set(name, fill(value, look))
    return [args.map((template) => fill(template, look)).join(' ')]
  })
}

function inspect(file: string): NamedFile {
  try {
    const target = realpathSync(file)
    const link = target === file ? {} : { target }
    const stats = statSync(target)
    if (stats.isDirectory()) return { file, state: 'directory', ...link }
    if (!stats.isFile()) return { file, state: 'special', ...link }
    if (stats.size > MAX_HASHED_BYTES) return { file, state: 'too-large', ...link }
    return { file, state: 'file', sha256: hashFile(target), ...link }
  } catch (error) {
    return { file, state: isMissing(error) ? 'missing' : 'unreadable' }
  }
}

function hashFile(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('It is no longer a file.')
    const hash = createHash('sha256')
    const chunk = Buffer.allocUnsafe(64 * 1024)
    let total = 0
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      total += read
      if (total > MAX_HASHED_BYTES) throw new Error('It grows while it is read.')
      hash.update(chunk.subarray(0, read))
    }
    return hash.digest('hex')
  } finally {
    closeSync(descriptor)
  }
}
