// Collects the files that a project's hooks would run, from file to file, without running anything.
// Code that cannot be found is reported: trust then covers the whole project.

import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, resolve, sep } from 'node:path'
import { readBoundedFile } from '../../config/read-file.ts'
import type { Followed } from '../../config/trust.ts'
import { quoteForShell } from '../../engine/shell-quote.ts'
import { analyzeShell } from '../../risk/shell/analyze.ts'
import type { ShellCommand, Unknown, Word } from '../../risk/shell/execution.ts'
import type { CodeFile, CodeLocation, CollectorPort, FileLanguage } from './collector-port.ts'
import { matchFiles } from './glob-files.ts'
import { readJavaScript, readPython } from './module-imports.ts'
import { isInterpreter, readProgramFiles, SHELL_NAMES } from './program-files.ts'

const MAX_FILES = 1_000
const MAX_DEPTH = 16
const MAX_READ_BYTES = 256 * 1024

/** Finds the files that the command lines of a project's hooks run. */
export function findExecutedFiles(dir: string, lines: readonly (string | readonly string[])[]): Followed {
  const collector = new ExecutedFileCollector(resolve(dir))
  for (const line of lines) collector.addCommandLine(line)
  return collector.result()
}

/** Collects the files of one project. */
class ExecutedFileCollector implements CollectorPort {
  readonly dir: string
  readonly #files = new Set<string>()
  readonly #names = new Map<string, readonly string[]>()
  readonly #unfollowed = new Map<string, Set<string>>()
  #line = ''

  constructor(dir: string) {
    this.dir = dir
  }

  addCommandLine(line: string | readonly string[]): void {
    this.#line = typeof line === 'string' ? line : line.join(' ')
    const text = typeof line === 'string' ? line : line.map(quoteForShell).join(' ')
    this.readShell(text, { cwd: this.dir, depth: 0 })
  }

  result(): Followed {
    const unfollowed = [...this.#unfollowed].map(([line, what]) => ({ line, what: [...what].slice(0, 20) }))
    return { files: [...this.#files], names: [...this.#names], unfollowed }
  }

  /** Notes code that cannot be found. */
  noteUnfollowed(what: string): void {
    const known = this.#unfollowed.get(this.#line) ?? new Set()
    this.#unfollowed.set(this.#line, known.add(what))
  }

  /** The path relative to the project. */
  displayPath(file: string): string {
    return file.startsWith(this.dir + sep) ? file.slice(this.dir.length + 1) : file
  }

  /** Whether the file is in the project. */
  isInProject(file: string): boolean {
    return file.startsWith(this.dir + sep)
  }

  /** Adds a file, and reads it for further files. */
  addFile(file: string, { depth, cwd, language }: CodeFile): void {
    if (this.#files.has(file)) return
    if (this.#files.size >= MAX_FILES || depth > MAX_DEPTH) {
      this.noteUnfollowed(`more than ${MAX_FILES} files, or more than ${MAX_DEPTH} files that start each other`)
      return
    }
    this.#files.add(file)
    const target = resolveLink(file)
    // Programs outside the project are covered by their content; they are not read.
    if (target === undefined || !(this.isInProject(file) || this.isInProject(target))) return
    const { text, problem } = readBoundedFile(target, MAX_READ_BYTES)
    if (problem?.kind === 'too-large') this.noteUnfollowed(`${this.displayPath(file)}, which is too large to read`)
    if (text !== undefined) this.#text(text, { cwd, file: target, depth }, detectLanguage(target, text, language))
  }

  /** Adds a file without reading it. */
  coverFile(file: string): void {
    this.#files.add(file)
  }

  #text(text: string, location: CodeLocation & { readonly file: string }, language: FileLanguage): void {
    if (language === 'shell') this.readShell(withOwnFolder(text, dirname(location.file)), location)
    else if (language === 'javascript') readJavaScript(this, text, location)
    else if (language === 'python') readPython(this, text, location)
    else if (language === 'other')
      this.noteUnfollowed(`what ${this.displayPath(location.file)} loads or starts: its language is not read`)
  }

  /** Reads a shell script for files. */
  readShell(text: string, location: CodeLocation): void {
    const { cwd, depth } = location
    if (depth > MAX_DEPTH) return void this.noteUnfollowed('scripts that start each other without end')
    const known = text.replace(
      /\{workspace\}|\$\{?(?:ARC_WORKSPACE|ARCAN_WORKSPACE|CLAUDE_PROJECT_DIR|PWD)\b\}?/g,
      () => this.dir,
    )
    const { commands, snippets, unknown, assigned } = analyzeShell(known, { cwd, home: homedir() })
    for (const part of unknown) this.noteUnfollowed(describeUnknown(part))
    if (assigned.has('PATH')) this.noteUnfollowed(`programs by name after a change of PATH`)
    for (const command of commands) if (command.location !== 'remote') this.#command(command, location)
    for (const { language, code } of snippets) {
      const at = { cwd, file: join(cwd, 'inline'), depth: depth + 1 }
      if (language === 'javascript') readJavaScript(this, code, at)
      else if (language === 'python') readPython(this, code, at)
    }
  }

  #command(command: ShellCommand, location: CodeLocation): void {
    const { name, path, args } = command
    const cwd = command.cwd ?? this.dir
    const next = { cwd, depth: location.depth + 1 }
    if (command.env.has('PATH')) this.noteUnfollowed(`${name ?? 'a program'} with another PATH`)
    if (command.cwd === undefined && [path, ...args.map(({ text }) => text)].some((text) => text?.includes('/'))) {
      this.noteUnfollowed(`${path ?? name ?? 'a program'} in a folder that is not known`)
    }
    if (path !== undefined) this.addFile(resolve(cwd, path), next)
    if (name !== undefined) readProgramFiles(this, name, args, next)
    for (const { operator, target } of command.redirects) {
      if (operator === '<' && target.isKnown) this.#addIfCode(target, next)
    }
    for (const word of args) this.#addIfCode(word, next)
  }

  // A word that names a file with code counts, for any program.
  #addIfCode(word: Word, { cwd, depth }: CodeLocation): void {
    if (word.isGlob) return void this.addPattern(word.text, cwd, depth)
    if (!word.isKnown || word.text.startsWith('-') || word.text.length > 1_000) return
    const file = resolve(cwd, word.text)
    if (this.isInProject(file) && isCode(file)) this.addFile(file, { cwd, depth })
  }

  /** Adds the files that a pattern matches, and their names. */
  addPattern(pattern: string, cwd: string, depth: number): void {
    const matched = matchFiles(resolve(cwd, pattern), this.dir)
    if (matched === undefined) return void this.noteUnfollowed(`the pattern ${pattern}`)
    this.#names.set(
      this.displayPath(resolve(cwd, pattern)),
      matched.map((file) => this.displayPath(file)),
    )
    for (const file of matched) this.addFile(file, { cwd, depth: depth + 1 })
  }
}

function describeUnknown({ why, text, from = [] }: Unknown): string {
  const printed = from.map(({ name }) => name ?? 'a program').join(' | ')
  if (why === 'dynamic-script' && printed !== '')
    return `a script that is only known when it runs: what ${printed} prints`
  if (why === 'dynamic-command') return `a program that is only known when it runs: ${text}`
  if (why === 'dynamic-script') return `a script that is only known when it runs: ${text}`
  return `text that cannot be read as shell: ${text}`
}

// Replaces the usual expressions for the folder of the script.
function withOwnFolder(text: string, folder: string): string {
  const self = '"?\\$(?:0|\\{0\\}|BASH_SOURCE|\\{BASH_SOURCE(?:\\[0\\])?\\})"?'
  const named = `\\$\\(\\s*dirname\\s+(?:--\\s+)?${self}\\s*\\)`
  const entered = `\\$\\(\\s*cd\\s+(?:--\\s+)?"?${named}"?\\s*(?:>\\s*/dev/null\\s*)?(?:&&|;)\\s*pwd(?:\\s+-P)?\\s*\\)`
  return text.replace(new RegExp(`${entered}|${named}|\\$\\{0%/\\*\\}`, 'g'), () => folder)
}

const LANGUAGES: Readonly<Record<string, FileLanguage>> = {
  ...{ '.sh': 'shell', '.bash': 'shell', '.zsh': 'shell', '.ksh': 'shell', '.env': 'shell' },
  ...{ '.js': 'javascript', '.mjs': 'javascript', '.cjs': 'javascript', '.ts': 'javascript', '.mts': 'javascript' },
  ...{ '.cts': 'javascript', '.tsx': 'javascript', '.jsx': 'javascript', '.py': 'python', '.pyw': 'python' },
  ...{
    '.rb': 'other',
    '.pl': 'other',
    '.pm': 'other',
    '.php': 'other',
    '.lua': 'other',
    '.awk': 'other',
    '.fish': 'other',
  },
  ...{ '.ps1': 'other', '.tcl': 'other', '.r': 'other', '.jl': 'other', '.mk': 'none', '.json': 'none' },
}

function detectLanguage(file: string, text: string, given: FileLanguage | undefined): FileLanguage {
  const shebang = /^#!\s*(\S+)(?:\s+(?:-S\s+)?(\S+))?/.exec(text)
  const named = basename(shebang?.[1] ?? '')
  const program = named === 'env' ? basename(shebang?.[2] ?? '') : named
  if (SHELL_NAMES.test(program)) return 'shell'
  if (/^(?:node|bun|deno|tsx|ts-node)/.test(program)) return 'javascript'
  if (/^(?:python|pypy)/.test(program)) return 'python'
  if (program !== '') return 'other'
  return given ?? LANGUAGES[extname(file).toLowerCase()] ?? (isExecutable(file) ? 'shell' : 'none')
}

function isCode(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return false
  return (stats.mode & 0o111) !== 0 || extname(file).toLowerCase() in LANGUAGES || isInterpreter(basename(file))
}

function isExecutable(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0
}

function resolveLink(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
