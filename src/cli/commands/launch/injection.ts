// Supervision for one run of an agent: flags, variables and files in a folder of its own, which goes when the run is over.
// What the user has configured stays as it is and stays in force.

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

/** What is to be started. */
interface Started {
  readonly command: string
  readonly args: readonly string[]
}

/** Where it is to be started from. */
export interface Surroundings {
  /** The program that the agent is to call. */
  readonly launcher: string
  readonly home: string
  readonly cwd: string
  readonly env: Env
  /** Should a hook that breaks stop the call? */
  readonly failClosed?: boolean
}

/** What starts it supervised. */
export interface Injection {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** What a person should know. */
  readonly note?: string | undefined
  /** Is what the agent does supervised, beyond its start and end? */
  readonly isSupervised: boolean
  /** Takes the files away; safe to call twice. */
  remove(): void
}

/** How an agent is supervised for one run. */
export function injectionFor({ command, args }: Started, place: Surroundings): Injection {
  const name = basename(command).replace(/\.(?:exe|cmd)$/i, '')
  const nothing = { args, env: {}, remove: () => undefined, isSupervised: false }
  if (!isHost(name)) {
    return { ...nothing, note: `${name} is no agent that ARC knows: only its start and end are supervised` }
  }
  const inject = INJECTORS[name]
  if (inject === undefined) {
    return { ...nothing, note: `${name} cannot be supervised for one run; arc install ${name} does it for all` }
  }
  const unreviewed = name === 'codex' ? projectHooksOfCodex(place.cwd) : undefined
  if (unreviewed !== undefined) {
    const why = `supervising one run would also start the hooks in ${unreviewed}, which codex has not let you review`
    return { ...nothing, note: `${why}; arc install codex supervises every run and leaves that review to you` }
  }
  mkdirSync(runDir(place.home), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runDir(place.home), 'launch-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const injected = inject({ ...place, folder, host: HOSTS[name] })
    if (injected.ignored !== undefined) {
      remove()
      const why = `${name} takes settings for one run from files that only root can write, and ${injected.ignored} is none`
      return { ...nothing, note: `${why}; arc install ${name} supervises every run` }
    }
    const after = [...(injected.before ?? []), ...args, ...(injected.after ?? [])]
    return { args: after, env: injected.env ?? {}, note: injected.note, isSupervised: true, remove }
  } catch (error) {
    remove()
    throw error
  }
}

interface Given extends Surroundings {
  readonly host: Host
  readonly folder: string
}

interface Injected {
  /** Arguments before the user's own. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly note?: string
  /** What keeps the agent from reading its files. */
  readonly ignored?: string | undefined
}

// Cline takes a folder for hooks on its command line and does not look into it; Cursor takes nothing.
const INJECTORS: Readonly<Partial<Record<HostName, (given: Given) => Injected>>> = {
  claude: (given) => ({ before: ['--settings', write(given, fileOf(given))] }),
  codex: ({ host, launcher }) => ({
    before: [
      // Codex skips what nobody has reviewed, and lines that are new in each run can never have been.
      '--dangerously-bypass-hook-trust',
      ...installedEvents(host).flatMap((event) => [
        '-c',
        `hooks.${event}=[{hooks=[{type="command",command=${JSON.stringify(hookLine(launcher, host.name))}}]}]`,
      ]),
    ],
    note: "codex runs without its own review of hooks this time; arc install codex lets you review ARC's once",
  }),
  gemini: (given) => {
    const env = systemSettings(given, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', '/etc/gemini-cli/settings.json')
    return { env, ignored: findPartNotOwnedByRoot(env.GEMINI_CLI_SYSTEM_SETTINGS_PATH as string) }
  },
  qwen: (given) => ({ env: systemSettings(given, 'QWEN_CODE_SYSTEM_SETTINGS_PATH', '/etc/qwen-code/settings.json') }),
  copilot: (given) => ({ before: ['--plugin-dir', copilotPlugin(given)] }),
  opencode: (given) => ({ env: { OPENCODE_CONFIG_CONTENT: opencodeConfig(given) } }),
}

// Codex is started without its review of hooks, which covers all of them: a cloned repository must not gain by that.
function projectHooksOfCodex(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const files = ['hooks.json', 'config.toml'].map((name) => join(dir, '.codex', name))
    const found = files.find((file) => /\bhooks\b/.test(readText(file) ?? ''))
    if (found !== undefined || dir === dirname(dir)) return found
  }
}

// The first file that the host would be installed into, below the folder of this run.
function fileOf({ host, folder }: Given): InstallFile {
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

// The settings of the machine come last and add to the others: a copy of them, with our lines in it.
function systemSettings(given: Given, variable: string, usual: string): Record<string, string> {
  return { [variable]: write(given, fileOf(given), readText(given.env[variable] || usual)) }
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

// What the user gives this way themselves stays in it.
function opencodeConfig(given: Given): string {
  const plugin = pathToFileURL(write(given, fileOf(given))).href
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
    // There is none, as on most machines.
    return undefined
  }
}
