// The blocks of the pages work: the commands of a page run one after the other in one temporary home, every program is
// compiled and run, every configuration is loaded, every script compiled, and every output compared. Lines that only call
// `arc` run in the process of the test; lines with anything else for the shell, and those that start programs, run for real.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { transform } from 'esbuild'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'
import { compileArma } from '../src/config/arma/compile-script.ts'
import { loadConfig } from '../src/config/load.ts'
import { formatProblem } from '../src/config/problem.ts'
import { BUILT_INS } from '../src/hooks/builtin/list.ts'
import { MemoryStateStore } from '../src/storage/memory/state-store.ts'
import { buildLoadOptions } from '../src/supervisor/config-source.ts'
import { type Block, blocksOf, type Program, programsOf, ROOT, RUN_PAGES, shellLines } from './doc-blocks.ts'
import { type Ran, runProgram } from './run-arc.ts'
import { runArcInProcess } from './run-in-process.ts'
import { askNobody } from './supervised-home.ts'

const PAGES = RUN_PAGES.map((page) => ({ page, blocks: blocksOf(page) }))
const BLOCKS = PAGES.flatMap(({ blocks }) => blocks)
const PROGRAMS = PAGES.flatMap(({ blocks }) => programsOf(blocks))
const placeOf = ({ page, line }: { readonly page: string; readonly line: number }) => `${page}:${line}`
// Pages run side by side, and each of their commands is a process: on a busy machine that takes a while.
const PAGE_MS = 240_000

/** What is not run, and why: each row is a promise that something else keeps. */
const NOT_RUN: readonly string[] = [
  'README.md: npm start and npm test are what runs this',
  'docs/guides/tasks.md: it needs the token of a daemon; src/daemon/a2a/a2a.process.test.ts drives the same client',
  'docs/guides/tasks.md: the store is yours; test/public-api.process.test.ts has one',
  'docs/guides/roundtables.md: one has to be broken off first, which src/cli/commands/roundtable.process.test.ts does',
  'docs/guides/roundtables.md: needs a table that a message opened in a session, as in src/cli/commands/roundtable/join.test.ts',
  'docs/guides/configuration.md: it is for three different shells, which src/cli/commands/completion.process.test.ts tries',
  'docs/guides/approvals.md: it is a screen; src/cli/commands/watch/render-watch.test.ts draws such screens',
  'docs/guides/hosts.md: it is a reply to an agent; src/daemon/hook-call/deny-text.test.ts reads such replies',
  'docs/guides/threat-model.md: the suite runs with the other tests',
  'docs/guides/managed.md: it creates accounts and needs root; test/managed.process.test.ts does',
  'docs/guides/managed.md: it needs a managed machine and root; test/managed.process.test.ts has one',
  'docs/guides/managed.md: it needs a managed machine and root; test/managed.process.test.ts has one',
]

const sandboxes: string[] = []
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of sandboxes) rmSync(folder, { recursive: true, force: true })
})

it('every block can be checked, or says why it cannot be run', () => {
  const known = ['sh', 'ts', 'js', 'json', 'jsonc', 'yaml', 'arma']
  const unknown = BLOCKS.filter(({ language, notRun, outputOf }) => {
    return notRun === undefined && outputOf === undefined && !known.includes(language)
  })
  expect(unknown.map(placeOf)).toEqual([])
  const skipped = BLOCKS.flatMap(({ page, notRun }) => (notRun === undefined ? [] : [`${page}: ${notRun}`]))
  expect(skipped.sort()).toEqual([...NOT_RUN].sort())
})

it('the pages have blocks of every kind, so that nothing passes for want of them', () => {
  const count = (...languages: string[]) => BLOCKS.filter(({ language }) => languages.includes(language)).length
  expect(count('sh')).toBeGreaterThan(12)
  expect(count('ts', 'js')).toBeGreaterThan(12)
  expect(count('json', 'jsonc', 'yaml')).toBeGreaterThan(8)
  expect(count('arma')).toBeGreaterThan(0)
})

/** Somebody's machine: a home, a project in git, `arc` and an agent on the path. */
interface Sandbox {
  readonly root: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
}

function makeSandbox(): Sandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'arc-docs-')))
  sandboxes.push(root)
  askNobody(join(root, '.arc'))
  const project = join(root, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  mkdirSync(join(root, 'bin'))
  for (const name of ['bin', 'examples', 'docs']) symlinkSync(join(ROOT, name), join(project, name))
  writeProgram(root, 'arc', `exec "${process.execPath}" "${join(ROOT, 'bin', 'arc')}" "$@"`)
  // Agents that do nothing but answer: what is shown is how they are started.
  for (const name of ['claude', 'codex', 'gemini', 'llm']) writeProgram(root, name, 'cat > /dev/null; echo "Agreed."')
  for (const name of ['check.sh', 'summarise.sh']) {
    writeFileSync(join(project, name), '#!/bin/sh\nexit 0\n')
    chmodSync(join(project, name), 0o755)
  }
  linkModules(project)
  const path = [join(root, 'bin'), dirname(process.execPath), process.env.PATH ?? ''].join(':')
  const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  // Only what a page starts itself runs on after it.
  const arc = { ARC_HOME: '', ARC_PROFILE: '', ARC_DAEMON: 'ask', NO_COLOR: '1' }
  return { root, project, env: { ...git, ...arc, HOME: root, PATH: path } }
}

function writeProgram(root: string, name: string, text: string): void {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(root, 'bin', name), 0o755)
}

function linkModules(project: string): void {
  mkdirSync(join(project, 'node_modules', '@types'), { recursive: true })
  symlinkSync(ROOT, join(project, 'node_modules', 'arc-supervisor'))
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'))
  for (const name of ['zod', 'ai', 'vitest', '@modelcontextprotocol']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
  }
}

const ID = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/
// As pages write an id, or the beginning of one.
const ID_IN_PAGE = /\b01J[A-Z0-9]{0,4}\b/g

// Programs that take over the terminal or stay in the background are started for real.
const STARTED = /^(?:serve|open|launch)\b/

/** What follows `arc` in a line that has nothing else for the shell: no pipe, no redirection, no second command. */
function plainCall(line: string): string | undefined {
  const [, words = ''] = /^\s*(?:\.\/bin\/)?arc (.*)$/s.exec(line) ?? []
  const unquoted = words.replaceAll(/'[^']*'|"[^"$`]*"/g, '').replace(/\s#.*$/s, '')
  return words === '' || /[|&;<>$`\n]/.test(unquoted) || STARTED.test(words) ? undefined : words
}

it('only lines with nothing else for the shell run in the process of the test', () => {
  const plain = ['arc status   # the mode', `./bin/arc check -- 'a | b' "x;y"`, 'arc hooks list']
  expect(plain.map(plainCall)).toEqual(['status   # the mode', `check -- 'a | b' "x;y"`, 'hooks list'])
  const other = ['arc logs | head', 'arc init && arc status', 'A=1 arc status', 'arc why "$(x)"', 'arc launch x', 'ls']
  expect(other.map(plainCall)).toEqual(other.map(() => undefined))
})

/** A page's commands, one after the other in one sandbox. */
class Session {
  readonly #sandbox = makeSandbox()
  readonly #exported: Record<string, string> = {}
  readonly #socket = join(this.#sandbox.root, '.arc/run/arc.sock')
  /** The id that a command printed first: what pages write as `01JZ`. */
  #id: string | undefined

  async run(line: string): Promise<Ran> {
    const command = line.replace(ID_IN_PAGE, (written) => this.#id ?? written)
    const isServing = /^\s*(?:\.\/bin\/)?arc serve\b/.test(command) && !command.includes('--background')
    if (isServing) return this.#serve(command)
    // What speaks to the daemon is for when it runs.
    if (command.includes('arc.sock') && !existsSync(this.#socket)) await this.#serve('arc serve')
    const call = plainCall(command)
    const ran = call === undefined ? await this.#shell(command) : await this.#arc(call)
    this.#id ??= ID.exec(ran.stdout)?.[0]
    return ran
  }

  // A variable that a line exports is there for the lines after it.
  async #shell(command: string): Promise<Ran> {
    const options = { cwd: this.#sandbox.project, env: this.#env() }
    const [, name] = /^\s*export (\w+)=/.exec(command) ?? []
    if (name === undefined) return runProgram('sh', ['-c', command], options)
    const ran = await runProgram('sh', ['-c', `${command}\nprintf '%s' "$${name}"`], options)
    this.#exported[name] = ran.stdout
    return { ...ran, stdout: '' }
  }

  // The shell splits the words.
  async #arc(words: string): Promise<Ran> {
    const options = { cwd: this.#sandbox.project, env: this.#env() }
    const { stdout } = await runProgram('sh', ['-c', `each() { printf '%s\\0' "$@"; }; each ${words}`], options)
    return runArcInProcess(stdout.split('\0').slice(0, -1), { ...options, home: '' })
  }

  #env(): Record<string, string> {
    return { ...this.#sandbox.env, ...this.#exported }
  }

  // Stays in the foreground: the page continues in another terminal.
  async #serve(command: string): Promise<Ran> {
    const env = { ...process.env, ...this.#env() }
    const child = spawn('sh', ['-c', `exec ${command.trim()}`], { cwd: this.#sandbox.project, env })
    children.push(child)
    let stdout = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.resume()
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
    while (!existsSync(this.#socket) && child.exitCode === null) await sleep(20)
    const code = child.exitCode === null ? 0 : await ended
    return { code, stdout, stderr: '' }
  }
}

const SHELL_PAGES = PAGES.filter(({ blocks }) => blocks.some(isRunInShell))

function isRunInShell({ language, notRun, outputOf }: Block): boolean {
  return outputOf !== undefined || (language === 'sh' && notRun === undefined)
}

it.concurrent.each(SHELL_PAGES)(
  'the commands of $page work, and print what it shows',
  { timeout: PAGE_MS },
  async ({ blocks }) => {
    const session = new Session()
    for (const block of blocks.filter(isRunInShell)) {
      if (block.outputOf !== undefined) {
        const { stdout } = await session.run(block.outputOf)
        expectOutput(block, stdout)
        continue
      }
      if (block.given !== undefined) expect((await session.run(block.given)).code).toBe(0)
      for (const { command, exitCode } of shellLines(block.text)) {
        const { code, stdout, stderr } = await session.run(command)
        const got = code === exitCode ? { code } : { code, stdout, stderr }
        expect({ at: placeOf(block), command, ...got }).toEqual({ at: placeOf(block), command, code: exitCode })
      }
    }
  },
)

// Every line is there, in this order; a line of `…` means any number of other lines.
function expectOutput(block: Block, stdout: string): void {
  const wanted = block.text.trimEnd().split('\n')
  const printed = stdout.split('\n').map((line) => line.trimEnd())
  let at = 0
  for (const line of wanted.filter((text) => text.trim() !== '…')) {
    const found = printed.indexOf(line.trimEnd(), at)
    if (found < 0) expect({ at: placeOf(block), line, printed: stdout }).toBe('not printed')
    at = found + 1
  }
}

const CONFIGURATIONS = BLOCKS.filter(
  ({ language, notRun }) => notRun === undefined && ['json', 'jsonc', 'yaml'].includes(language),
)

it.each(CONFIGURATIONS)('the configuration at $page:$line loads without a problem', ({ page, language, text }) => {
  const home = join(makeSandbox().root, 'home')
  mkdirSync(join(home, 'profiles'), { recursive: true })
  writeFileSync(join(home, 'profiles', 'default.json'), '{}')
  writeFileSync(join(home, 'profiles', `page.${language}`), text)
  for (const script of blocksOf(page).filter((block) => block.language === 'arma')) {
    const [, name = 'hooks.arma'] = /^# (\S+\.arma)/.exec(script.text) ?? []
    writeFileSync(join(home, 'profiles', name), script.text)
  }
  const options = buildLoadOptions({ home, profile: 'page', builtIns: BUILT_INS, state: new MemoryStateStore() })
  const { problems, layers } = loadConfig(options)
  expect(problems.map(formatProblem)).toEqual([])
  expect(layers.length).toBeGreaterThan(0)
})

it.each(BLOCKS.filter(({ language }) => language === 'arma'))('the script at $page:$line compiles', ({ text }) => {
  const { hooks, errors } = compileArma(text)
  expect(errors).toEqual([])
  expect(hooks.length).toBeGreaterThan(0)
})

it('the programs of the pages and the examples in TypeScript fit the types of the package', () => {
  const { project } = makeSandbox()
  const files = PROGRAMS.map((program, at) => {
    const file = join(project, `program-${at}.mts`)
    writeFileSync(file, program.text)
    return file
  })
  const example = join(project, 'hook-pack.mts')
  writeFileSync(example, ts.sys.readFile(join(ROOT, 'examples/hooks/hook-pack.ts')) ?? '')
  const checked = ts.createProgram([...files, example], {
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, types: ['node'] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, moduleDetection: ts.ModuleDetectionKind.Force },
  })
  const wrong = ts.getPreEmitDiagnostics(checked).map(({ file, start, messageText }) => {
    const at = files.indexOf(file?.fileName ?? '')
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0
    const program = PROGRAMS[at]
    const where =
      program === undefined ? (file?.fileName ?? '') : placeOf({ ...program, line: program.line + line + 1 })
    return `${where}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
  expect(wrong).toEqual([])
})

it.concurrent.each(PROGRAMS)('the program at $page:$line runs', async ({ text }: Program) => {
  const { project, env } = makeSandbox()
  const { code } = await transform(text, { loader: 'ts', format: 'esm', target: 'node20' })
  writeFileSync(join(project, 'program.mjs'), code)
  const ran = await runProgram(process.execPath, ['program.mjs'], { cwd: project, env })
  // Notices of hooks go to stderr; nothing else does.
  const complaints = ran.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('arc['))
  expect({ code: ran.code, complaints }).toEqual({ code: 0, complaints: [] })
})
