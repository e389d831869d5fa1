// Finds the files that a program reads its code from, by its name and arguments.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Word } from '../../risk/shell/execution.ts'
import type { CodeLocation, CollectorPort, FileLanguage } from './collector-port.ts'
import { readMakeRecipes } from './make-recipes.ts'
import { coverLocalProgram, readPackageScript } from './package-scripts.ts'

/** Names of shells. */
export const SHELL_NAMES = /^(?:ba|da|z|k|mk|a)?sh$/

const INTERPRETERS: readonly { readonly names: RegExp; readonly language: FileLanguage; readonly code?: RegExp }[] = [
  { names: SHELL_NAMES, language: 'shell', code: /^-[a-zA-Z]*[cs]$/ },
  { names: /^(?:source|\.)$/, language: 'shell' },
  { names: /^(?:node|nodejs|tsx|ts-node|deno)$/, language: 'javascript', code: /^(?:-e|-p|-pe|--eval|--print)$/ },
  { names: /^(?:python|pypy)[\d.]*$/, language: 'python', code: /^-[a-zA-Z]*c$/ },
  {
    names: /^(?:ruby|perl|php|lua|Rscript|julia|osascript|fish|tclsh)[\d.]*$/,
    language: 'other',
    code: /^-[a-zA-Z]*[eErE]$/,
  },
]

/** Programs that download or build the code they run. */
const FETCHING: readonly { readonly names: RegExp; readonly first?: RegExp; readonly what: string }[] = [
  { names: /^(?:uvx|pipx|pnpx|bunx)$/, what: 'a package that is fetched' },
  { names: /^(?:docker|podman|nerdctl)$/, first: /^(?:run|exec|compose)$/, what: 'what runs in a container' },
  {
    names: /^(?:cargo|go|gradle|gradlew|mvn|mvnw|dotnet|bazel|rake|invoke|tox|nox|task|mage|ninja)$/,
    what: 'what it builds or runs',
  },
  { names: /^(?:uv|poetry|pipenv|bundle|mise|nix|nix-shell|direnv)$/, what: 'what it prepares and runs' },
]

/** Whether a file of this name is code without an extension. */
export function isInterpreter(name: string): boolean {
  return /^(?:Makefile|makefile|GNUmakefile|[Jj]ustfile)$/.test(name)
}

/** Reads the files that a program reads its code from. */
export function readProgramFiles(
  collector: CollectorPort,
  name: string,
  args: readonly Word[],
  location: CodeLocation,
): void {
  const found = INTERPRETERS.find(({ names }) => names.test(name))
  if (found !== undefined) readInterpreterFile(collector, name, args, { ...location, ...found })
  else if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) readPackageManager(collector, name, args, location)
  else if (name === 'npx') readFetchedProgram(collector, args, location)
  else if (/^(?:g|b)?make$/.test(name)) readMakeRecipes(collector, args, location, MAKE)
  else if (name === 'just') readMakeRecipes(collector, args, location, JUST)
  const fetching = FETCHING.find(({ names }) => names.test(name))
  const first = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''
  if (fetching?.first?.test(first) ?? fetching !== undefined)
    collector.noteUnfollowed(`${name} ${first}: ${fetching?.what}`)
}

const MAKE = ['GNUmakefile', 'makefile', 'Makefile']
const JUST = ['justfile', 'Justfile', '.justfile']

interface Interpreter extends CodeLocation {
  readonly language: FileLanguage
  readonly code?: RegExp | undefined
}

function readInterpreterFile(
  collector: CollectorPort,
  name: string,
  args: readonly Word[],
  { cwd, depth, language, code }: Interpreter,
) {
  if (args.some(({ text }) => code?.test(text))) return
  const module = args.findIndex(({ text }) => text === '-m')
  if (language === 'python' && module >= 0) {
    const path = resolve(cwd, (args[module + 1]?.text ?? '').replaceAll('.', '/'))
    for (const file of [`${path}.py`, join(path, '__init__.py'), join(path, '__main__.py')]) {
      collector.addFile(file, { cwd, depth, language })
    }
    return
  }
  const operand = args.find(({ text }) => !/^[-+]/.test(text))
  if (operand === undefined || operand.isGlob) return
  if (!operand.isKnown) return void collector.noteUnfollowed(`the script of ${name}: ${operand.text}`)
  const file = resolve(cwd, operand.text)
  const folder = language === 'javascript' && !existsSync(file) ? ['.js', '.mjs', '.cjs'].map((end) => file + end) : []
  for (const candidate of [file, ...folder.filter((path) => existsSync(path))]) {
    collector.addFile(candidate, { cwd, depth, language })
  }
}

const RUN = /^(?:run|run-script|rum|urn)$/
const SHORT = /^(?:test|t|tst|start|stop|restart)$/
const HARMLESS =
  /^(?:ls|list|version|-v|--version|help|config|root|prefix|bin|why|outdated|audit|view|info|ping|whoami)$/

// Options that name another folder or workspace.
const ELSEWHERE = /^(?:(?:--prefix|-C|--dir|--cwd|--workspace|-w|--filter|-F)$|--(?:prefix|dir|cwd|workspace|filter)=)/

function readPackageManager(
  collector: CollectorPort,
  name: string,
  args: readonly Word[],
  location: CodeLocation,
): void {
  if (args.some(({ text }) => ELSEWHERE.test(text))) {
    collector.noteUnfollowed(`${name} in another folder or workspace`)
  }
  const words = args.filter(({ text }) => !text.startsWith('-'))
  const [verb, second] = words
  if (verb === undefined || HARMLESS.test(verb.text)) return
  const script = RUN.test(verb.text) ? second : verb
  if (script === undefined) return
  if (!script.isKnown) return void collector.noteUnfollowed(`the script ${script.text} of ${name}`)
  if (readPackageScript(collector, /^tst?$/.test(script.text) ? 'test' : script.text, location)) return
  if (RUN.test(verb.text) || SHORT.test(verb.text)) return
  if (/^(?:exec|x|dlx)$/.test(verb.text)) readFetchedProgram(collector, words.slice(1), location)
  else readProgramOfManager(collector, name, verb.text, location)
}

// `bun file.ts`, `yarn eslint`: a file or a local program instead of a script.
function readProgramOfManager(collector: CollectorPort, name: string, verb: string, location: CodeLocation): void {
  if (name === 'bun' && /[./]/.test(verb)) {
    collector.addFile(resolve(location.cwd, verb), { ...location, language: 'javascript' })
  } else if (!(name === 'yarn' && coverLocalProgram(collector, verb, location))) {
    collector.noteUnfollowed(`what ${name} ${verb} fetches and runs`)
  }
}

function readFetchedProgram(collector: CollectorPort, args: readonly Word[], location: CodeLocation): void {
  const isNamed = args.some(({ text }) => /^(?:-p|--package|-c|--call)(?:=|$)/.test(text))
  const program = args.find(({ text }) => !text.startsWith('-'))
  if (program === undefined) return
  if (isNamed || !program.isKnown || !coverLocalProgram(collector, program.text, location)) {
    collector.noteUnfollowed(`the package ${program.text}, which is fetched when it runs`)
  }
}
