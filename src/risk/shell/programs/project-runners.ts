// Programs that run scripts of a project file: make, npm, just, task, rake, deno task, docker compose. The program itself is
// reported as before; if its file can be read, the scripts are run too.

import { type Field, makeField } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type Code, type ShellInvocation, unwrap } from '../invocation.ts'
import { resolvePath } from '../paths.ts'
import { readServiceCalls } from '../project-files/compose.ts'
import { readJustfile } from '../project-files/justfile.ts'
import { findIncludes, readMakefile } from '../project-files/makefile.ts'
import { LIFECYCLE, readPackageScripts, withPreAndPost } from '../project-files/package-scripts.ts'
import { readRakefile } from '../project-files/rakefile.ts'
import type { Constants, ScriptPart } from '../project-files/script-part.ts'
import { readTaskfile } from '../project-files/taskfile.ts'
import { CODE_INTERPRETERS, runSnippet } from './code-interpreters.ts'
import { CONTAINER_COMMANDS } from './container-commands.ts'
import { type OptionSpec, readMixed } from './options.ts'
import { WRAPPERS } from './wrappers.ts'

type Mixed = ReturnType<typeof readMixed>

interface Runner extends OptionSpec {
  /** Options with which nothing runs. */
  readonly queries?: readonly string[]
  /** The option for the file, and for the folder. */
  readonly file?: readonly string[]
  readonly folder?: readonly string[]
  /** The names of the file, first to last. */
  readonly names: readonly string[]
  /** Whether the file is also searched in the folders above. */
  readonly isSearchedAbove?: boolean
  readonly run: (shell: ProgramPort, call: ShellInvocation, code: Code, given: Mixed) => void
}

const MAKE: Runner = {
  short: 'CfIoWE',
  long: ['directory', 'file', 'makefile', 'include-dir', 'eval'],
  queries: ['n', 'just-print', 'dry-run', 'recon', 'q', 'question', 't', 'touch', 'p', 'v', 'version', 'h', 'help'],
  file: ['f', 'file', 'makefile'],
  folder: ['C', 'directory'],
  names: ['GNUmakefile', 'makefile', 'Makefile'],
  run: runMakefile,
}

const NPM: Runner = {
  short: 'Cw',
  long: ['prefix', 'dir', 'cwd', 'workspace', 'filter', 'loglevel', 'registry', 'userconfig'],
  queries: [
    'w',
    'workspace',
    'workspaces',
    'filter',
    'F',
    'h',
    'help',
    'v',
    'version',
    'ignore-scripts',
    'global',
    'g',
  ],
  folder: ['prefix', 'C', 'dir', 'cwd'],
  names: ['package.json'],
  isSearchedAbove: true,
  run: runPackageScripts,
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  make: MAKE,
  gmake: MAKE,
  npm: NPM,
  pnpm: NPM,
  yarn: NPM,
  bun: NPM,
  deno: { names: ['deno.json', 'deno.jsonc'], isSearchedAbove: true, run: runDenoTask },
  just: {
    short: 'fd',
    long: ['justfile', 'working-directory', 'set', 'shell'],
    queries: [
      'l',
      'list',
      'n',
      'dry-run',
      's',
      'show',
      'summary',
      'dump',
      'e',
      'edit',
      'fmt',
      'evaluate',
      'version',
      'help',
    ],
    file: ['f', 'justfile'],
    folder: ['d', 'working-directory'],
    names: ['justfile', '.justfile', 'Justfile'],
    isSearchedAbove: true,
    run: (shell, call, code, { operands }) => {
      const { words, given } = splitVariables(operands)
      runParts(shell, call, code, readJustfile(code.text, words, given), 'just')
    },
  },
  task: {
    short: 'td',
    long: ['taskfile', 'dir', 'output'],
    queries: ['l', 'list', 'a', 'list-all', 'n', 'dry', 'summary', 'status', 'version', 'h', 'help', 'init', 'i'],
    file: ['t', 'taskfile'],
    folder: ['d', 'dir'],
    names: [
      'Taskfile.yml',
      'Taskfile.yaml',
      'taskfile.yml',
      'taskfile.yaml',
      'Taskfile.dist.yml',
      'Taskfile.dist.yaml',
    ],
    isSearchedAbove: true,
    run: (shell, call, code, { operands }) => {
      const { words, given } = splitVariables(operands)
      runParts(shell, call, code, readTaskfile(code.text, words, given), 'task')
    },
  },
  rake: {
    short: 'fCIreE',
    long: ['rakefile', 'directory', 'require'],
    queries: ['T', 'tasks', 'n', 'dry-run', 'P', 'prereqs', 'D', 'describe', 'W', 'where', 'V', 'version', 'help', 'H'],
    file: ['f', 'rakefile'],
    folder: ['C', 'directory'],
    names: ['Rakefile', 'rakefile', 'Rakefile.rb', 'rakefile.rb'],
    isSearchedAbove: true,
    run: (shell, call, code, { operands }) => {
      const text = readRakefile(code.text, splitVariables(operands).words)
      runSnippet(shell, call, { ...code, text }, 'ruby', 'rake')
    },
  },
}

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const COMPOSE: Runner = {
  short: 'fp',
  long: ['file', 'project-name', 'profile', 'env-file', 'project-directory', 'scale', 'timeout'],
  file: ['f', 'file'],
  folder: ['project-directory'],
  names: COMPOSE_FILES,
  run: runServices,
}

const REPORTED: ReadonlyMap<string, Program> = new Map([...WRAPPERS, ...CODE_INTERPRETERS, ...CONTAINER_COMMANDS])

export const PROJECT_RUNNERS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ...Object.entries(RUNNERS).map(([name, runner]): [string, Program] => [name, reportAndRun(name, runner)]),
  ...['docker-compose', 'podman-compose'].map((name): [string, Program] => [name, reportAndRun(name, COMPOSE)]),
  ...['docker', 'podman', 'nerdctl'].map((name): [string, Program] => [name, reportAndRun(name, COMPOSE, 'compose')]),
])

function reportAndRun(name: string, runner: Runner, sub?: string): Program {
  const report = REPORTED.get(name)
  return (shell, call, given) => {
    const output = report === undefined ? void shell.emit(call) : report(shell, call, given)
    const at = sub === undefined ? 0 : call.fields.findIndex(({ text }) => text === sub)
    if (at >= 0 && call.frame.location === 'local')
      runProjectFile(shell, { ...call, fields: call.fields.slice(at) }, runner)
    return output
  }
}

function runProjectFile(shell: ProgramPort, call: ShellInvocation, runner: Runner): void {
  const given = readMixed(call.fields, runner)
  if (runner.queries?.some((query) => given.values.has(query))) return
  const folder = findValue(given, runner.folder)
  if (folder?.isKnown === false) return
  const scope = call.scope.copy()
  if (folder !== undefined) scope.cwd = resolvePath(scope.cwd, folder.text)
  const named = findValue(given, runner.file)
  const inner = { ...call, scope }
  const path =
    named === undefined
      ? findFile(shell, inner, runner)
      : named.isKnown
        ? resolvePath(scope.cwd, named.text)
        : undefined
  if (path === undefined) return
  const written = scope.readFile(path)?.text
  const code =
    written === undefined ? shell.openFile(inner, path, true) : { text: written, isKnown: true, isFile: true }
  if (code === undefined) return
  if (runner.isSearchedAbove) scope.cwd = path.slice(0, path.lastIndexOf('/')) || '/'
  runner.run(shell, inner, code, given)
}

function findValue({ values }: Mixed, names: readonly string[] | undefined): Field | undefined {
  return names?.map((name) => values.get(name)).find((value) => value !== undefined)
}

const MAX_ABOVE = 6

function findFile(shell: ProgramPort, call: ShellInvocation, { names, isSearchedAbove }: Runner): string | undefined {
  let folder = call.scope.cwd
  for (let level = 0; folder !== undefined && level <= (isSearchedAbove ? MAX_ABOVE : 0); level++) {
    for (const name of names) if (shell.hasFile(call, `${folder}/${name}`)) return resolvePath(folder, name)
    if (folder === '/' || folder === call.scope.home) return undefined
    folder = folder.slice(0, folder.lastIndexOf('/')) || '/'
  }
  return undefined
}

// Each part runs in its own shell. A part that is in the file as it is has exact positions.
function runParts(
  shell: ProgramPort,
  call: ShellInvocation,
  code: Code,
  parts: readonly ScriptPart[],
  via: string,
  args = '',
): void {
  for (const { text, start, end, name } of parts) {
    const isExact = code.text.slice(start, end) === text && args === ''
    const at = code.at === undefined ? undefined : code.at + start
    const span = at === undefined ? call.span : { start: at, end: at + end - start }
    const inner = { ...call, span, input: undefined }
    const part = { text: `${text}${args}`, isKnown: true, at: isExact ? at : undefined }
    shell.runFile(code, () => shell.runCode(inner, part, `${via} ${name}`, call.scope.copy()), `${name} ${start}`)
  }
}

function splitVariables(operands: readonly Field[]): { words: readonly string[]; given: Constants } {
  const words: string[] = []
  const given = new Map<string, string>()
  for (const { text, isKnown } of operands) {
    const match = /^([\w.-]+)[:?+]?=([\s\S]*)$/.exec(text)
    if (match?.[1] === undefined) words.push(text)
    else given.set(match[1], isKnown ? (match[2] ?? '') : `\${${match[1]}}`)
  }
  return { words, given }
}

function runMakefile(shell: ProgramPort, call: ShellInvocation, code: Code, { operands }: Mixed): void {
  const { words, given } = splitVariables(operands)
  const all = new Map([...[...call.env].map(([name, { text }]): [string, string] => [name, text]), ...given])
  runParts(shell, call, code, readMakefile(code.text, words, all), 'make')
  for (const name of findIncludes(code.text).slice(0, 5)) {
    const included = shell.openFile(call, name, true)
    if (included !== undefined && words.length > 0)
      runParts(shell, call, included, readMakefile(included.text, words, all), 'make')
  }
}

const SHORT_NAMES = new Set(['test', 'start', 'stop', 'restart'])

function runPackageScripts(shell: ProgramPort, call: ShellInvocation, code: Code, { operands }: Mixed): void {
  const program = call.fields[0]?.text.replace(/^.*\//, '') ?? 'npm'
  const [first, second, ...rest] = operands.map(({ text }) => text)
  const isRun = first === 'run' || first === 'run-script' || first === 'rum' || first === 'urn'
  const isShort = first !== undefined && (SHORT_NAMES.has(first) || program !== 'npm')
  const word = first === 't' || first === 'tst' ? 'test' : first
  const names = isRun
    ? withPreAndPost(second ?? '')
    : (LIFECYCLE[word ?? (program === 'yarn' ? 'install' : '')] ??
      (isShort || word === 'test' ? withPreAndPost(word ?? '') : []))
  const words = isRun ? rest : [...(second === undefined ? [] : [second]), ...rest]
  const isInstall = !isRun && word !== undefined && LIFECYCLE[word] !== undefined
  const named = readPackageScripts(code.text, names)
  const main = isRun ? second : word
  for (const part of named) {
    const args = part.name === main && !isInstall && words.length > 0 ? ` ${words.join(' ')}` : ''
    runParts(shell, call, code, [part], `${program} run`, args)
  }
}

function runDenoTask(shell: ProgramPort, call: ShellInvocation, code: Code, { operands }: Mixed): void {
  const [first, name] = operands.map(({ text }) => text)
  if (first === 'task' && name !== undefined)
    runParts(shell, call, code, readPackageScripts(code.text, [name], 'tasks'), 'deno task')
}

const STARTS = new Set(['up', 'start', 'run', 'create', 'restart'])

// A service is what `docker run` with the same volumes and command would be.
function runServices(shell: ProgramPort, call: ShellInvocation, code: Code, { operands }: Mixed): void {
  const [verb, ...services] = operands.map(({ text }) => text)
  if (verb === undefined || !STARTS.has(verb)) return
  for (const { words, start, end, name } of readServiceCalls(code.text, services)) {
    const span = code.at === undefined ? call.span : { start: code.at + start, end: code.at + end }
    const fields = words.map((word) => makeField(word, span))
    const inner = { ...unwrap(call, fields, `compose ${name}`), span, input: undefined, scope: call.scope.copy() }
    shell.runFile(code, () => shell.runCall(inner), name)
  }
}
