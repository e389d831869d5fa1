// Supervision for one run of an agent: flags, variables and files in a temporary folder. The user's own configuration
// is not changed and stays in force.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runDir } from '../../../daemon/process/paths.ts'
import { ArcError } from '../../../engine/errors.ts'
import { findPartNotOwnedByRoot } from '../../../guard/root-owned.ts'
import { type Env, HOST_NAMES, type Host, type HostName } from '../../../hosts/host.ts'
import { hookLine } from '../../../hosts/install/command-line.ts'
import type { InstallFile } from '../../../hosts/install/plan.ts'
import { HOSTS } from '../../../hosts/list.ts'

/** The program to start. */
interface AgentProgram {
  readonly command: string
  readonly args: readonly string[]
}

/** The environment of the run. */
export interface LaunchEnvironment {
  /** The program that the agent calls as its hook. */
  readonly launcher: string
  readonly home: string
  readonly cwd: string
  readonly env: Env
  /** Should a failing hook block the call? */
  readonly failClosed?: boolean
}

/** The arguments, variables and files that add supervision. */
export interface Injection {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** A note for the user. */
  readonly note?: string | undefined
  /** Are the tool calls supervised, not only start and end? */
  readonly isSupervised: boolean
  /** Removes the files; safe to call twice. */
  remove(): void
}

/** Prepares supervision for one run of an agent. */
export function createInjection({ command, args }: AgentProgram, place: LaunchEnvironment): Injection {
  const name = basename(command).replace(/\.(?:exe|cmd)$/i, '')
  const nothing = { args, env: {}, remove: () => undefined, isSupervised: false }
  if (!isHost(name)) {
    return { ...nothing, note: `${name} is not an agent that ARC knows: only its start and end are supervised` }
  }
  const inject = INJECTORS[name]
  if (inject === undefined) {
    return {
      ...nothing,
      note: `${name} cannot be supervised for a single run; arc install ${name} supervises every run`,
    }
  }
  const unreviewed = name === 'codex' ? findProjectHooks(place.cwd) : undefined
  if (unreviewed !== undefined) {
    const why = `supervising a single run would also start the hooks in ${unreviewed}, which codex has not asked you to review`
    return { ...nothing, note: `${why}; arc install codex supervises every run and leaves that review to you` }
  }
  mkdirSync(runDir(place.home), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runDir(place.home), 'launch-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const injected = inject({ ...place, folder, host: HOSTS[name] })
    if (injected.ignored !== undefined) {
      remove()
      const why = `${name} reads settings for a single run only from files that root owns, and ${injected.ignored} is not`
      return { ...nothing, note: `${why}; arc install ${name} supervises every run` }
    }
    const after = [...(injected.before ?? []), ...args, ...(injected.after ?? [])]
    return { args: after, env: injected.env ?? {}, note: injected.note, isSupervised: true, remove }
  } catch (error) {
    remove()
    throw error
  }
}

interface Given extends LaunchEnvironment {
  readonly host: Host
  readonly folder: string
}

interface Injected {
  /** Arguments before the user's own. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly note?: string
  /** Why the agent ignores its files. */
  readonly ignored?: string | undefined
}

// Cline takes a folder for hooks on its command line and does not look into it; Cursor takes nothing.
const INJECTORS: Readonly<Partial<Record<HostName, (given: Given) => Injected>>> = {
  claude: (given) => ({ before: ['--settings', write(given, firstFile(given))] }),
  codex: ({ host, launcher }) => ({
    before: [
      // Codex skips hooks that the user has not reviewed, and these lines are new in each run.
      '--dangerously-bypass-hook-trust',
      ...installedEvents(host).flatMap((event) => [
        '-c',
        `hooks.${event}=[{hooks=[{type="command",command=${JSON.stringify(hookLine(launcher, host.name))}}]}]`,
      ]),
    ],
    note: "codex runs without its own review of hooks this time; after arc install codex you review ARC's hooks once",
  }),
  gemini: (given) => {
    const env = systemSettings(given, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', '/etc/gemini-cli/settings.json')
    return { env, ignored: findPartNotOwnedByRoot(env.GEMINI_CLI_SYSTEM_SETTINGS_PATH as string) }
  },
  qwen: (given) => ({ env: systemSettings(given, 'QWEN_CODE_SYSTEM_SETTINGS_PATH', '/etc/qwen-code/settings.json') }),
  copilot: (given) => ({ before: ['--plugin-dir', copilotPlugin(given)] }),
  opencode: (given) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(given) } }),
}

// Codex starts without its review of all hooks, which must not enable the hooks of a cloned repository.
function findProjectHooks(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const files = ['hooks.json', 'config.toml'].map((name) => join(dir, '.codex', name))
    const found = files.find((file) => /\bhooks\b/.test(readText(file) ?? ''))
    if (found !== undefined || dir === dirname(dir)) return found
  }
}

// The first file of the host's installation, in the folder of this run.
function firstFile({ host, folder }: Given): InstallFile {
  const [file] = host.install.files({ scope: 'user', dir: folder, env: {} })
  if (file === undefined) throw new ArcError('ARC_LAUNCH_INVALID', `${host.title} has no file for hooks.`)
  return file
}

function write({ launcher, failClosed }: Given, file: InstallFile, before?: string): string {
  const text = file.add(before, { command: launcher, failClosed })
  if (typeof text !== 'string') throw new ArcError('ARC_LAUNCH_INVALID', `${file.path}: ${text.message}`)
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 })
  writeFileSync(file.path, text, { mode: file.mode ?? 0o600 })
  return file.path
}

// System settings are merged last: a copy of them with ARC's hooks.
function systemSettings(given: Given, variable: string, usual: string): Record<string, string> {
  return { [variable]: write(given, firstFile(given), readText(given.env[variable] || usual)) }
}

function copilotPlugin({ host, folder, launcher }: Given): string {
  const hooks = Object.fromEntries(
    installedEvents(host).map((event) => [event, [{ type: 'command', bash: hookLine(launcher, host.name, event) }]]),
  )
  const plugin = {
    name: 'arc',
    version: '1.0.0',
    description: 'Supervision by ARC, for this run.',
    hooks: 'hooks.json',
  }
  writeFileSync(join(folder, 'plugin.json'), JSON.stringify(plugin), { mode: 0o600 })
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify({ version: 1, hooks }), { mode: 0o600 })
  return folder
}

// A configuration that the user passes in this variable is kept.
function opencodeConfig(given: Given): string {
  const plugin = pathToFileURL(write(given, firstFile(given))).href
  const own = JSON.parse(given.env.OPENCODE_CONFIG_CONTENT || '{}') as { readonly plugin?: readonly unknown[] }
  return JSON.stringify({ ...own, plugin: [...(own.plugin ?? []), plugin] })
}

function installedEvents({ events }: Host): string[] {
  return Object.keys(events).filter((name) => events[name]?.isInstalled)
}

function isHost(name: string): name is HostName {
  return (HOST_NAMES as readonly string[]).includes(name)
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist.
    return undefined
  }
}
