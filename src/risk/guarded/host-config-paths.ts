// A table: exempt from the file length limit.
// The paths of the agents' hook settings: per user, by environment variable, and system-wide.

import type { GuardedRoot } from '../../engine/guarded-paths.ts'

/** The settings folder of one agent. */
interface HostConfigFolder {
  /** Below the user's home folder. */
  readonly folder: string
  /** A variable that names this folder instead. */
  readonly variable?: string
  /** A variable that names the parent folder instead. */
  readonly parentVariable?: string
  /** Files and folders in it that configure hooks. */
  readonly names: readonly string[]
}

const HOST_CONFIG_FOLDERS: readonly HostConfigFolder[] = [
  { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', names: ['settings.json', 'settings.local.json', 'hooks'] },
  { folder: '.codex', variable: 'CODEX_HOME', names: ['config.toml', 'hooks.json', 'hooks', 'rules'] },
  { folder: '.gemini', parentVariable: 'GEMINI_CLI_HOME', names: ['settings.json', 'hooks'] },
  { folder: '.qwen', variable: 'QWEN_HOME', names: ['settings.json', 'hooks'] },
  { folder: '.cursor', names: ['hooks.json', 'hooks'] },
  { folder: '.copilot', variable: 'COPILOT_HOME', names: ['config.json', 'settings.json', 'hooks'] },
  {
    folder: '.config/opencode',
    variable: 'OPENCODE_CONFIG_DIR',
    names: ['opencode.json', 'opencode.jsonc', 'config.json', 'plugin', 'plugins'],
  },
  { folder: '.cline', names: ['hooks'] },
  { folder: 'Documents/Cline/Hooks', names: [''] },
]

// System-wide settings, which override those of a user.
const MACHINE_FOLDERS = [
  '/etc/claude-code',
  '/etc/codex',
  '/etc/gemini-cli',
  '/etc/qwen-code',
  '/etc/cursor',
  '/etc/opencode',
  '/Library/Application Support/ClaudeCode',
  '/Library/Application Support/Cursor',
  '/Library/Application Support/GeminiCli',
]

// Variables that name a settings file.
const FILE_VARIABLES = [
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
  'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
  'QWEN_CODE_SYSTEM_SETTINGS_PATH',
  'OPENCODE_CONFIG',
]

/** Variables with the path of an agent's or ARC's settings. */
export const CONFIG_VARIABLES: ReadonlySet<string> = new Set([
  ...HOST_CONFIG_FOLDERS.flatMap(({ variable, parentVariable }) => [variable ?? '', parentVariable ?? '']).filter(
    Boolean,
  ),
  ...FILE_VARIABLES,
  'ARC_HOME',
  'XDG_CONFIG_HOME',
])

type Environment = Readonly<Record<string, string | undefined>>

/** The settings of all agents for a user with this home folder and environment. `isThere` checks whether a path exists. */
export function listHostConfigPaths(
  home: string,
  env: Environment,
  isThere: (path: string) => boolean = () => false,
): GuardedRoot[] {
  const roots: GuardedRoot[] = []
  const add = (path: string, folder?: string): void => {
    roots.push({ kind: 'host-settings', path, folder, isPresent: isThere(path) })
  }
  for (const config of HOST_CONFIG_FOLDERS)
    for (const folder of listFolders(config, home, env))
      for (const name of config.names) add(name === '' ? folder : `${folder}/${name}`, folder)
  add(`${home}/.claude.json`)
  for (const folder of MACHINE_FOLDERS) add(folder)
  for (const variable of FILE_VARIABLES) if (isAbsolute(env[variable])) add(env[variable])
  return roots
}

/** The folders that these variables name; the default folder when a variable is not set. */
export function resolveConfigVariables(home: string, arcHome: string, env: Environment): Map<string, string> {
  const found = new Map([['ARC_HOME', arcHome]])
  for (const { variable, folder } of HOST_CONFIG_FOLDERS)
    if (variable !== undefined) found.set(variable, `${home}/${folder}`)
  found.set('XDG_CONFIG_HOME', `${home}/.config`)
  for (const name of CONFIG_VARIABLES) {
    const value = env[name]
    if (name !== 'ARC_HOME' && isAbsolute(value)) found.set(name, value)
  }
  return found
}

// The default folder is included even if a variable names another folder: agents without the variable use it.
function listFolders({ folder, variable, parentVariable }: HostConfigFolder, home: string, env: Environment): string[] {
  const folders = [`${home}/${folder}`]
  const own = variable === undefined ? undefined : env[variable]
  const parent = parentVariable === undefined ? undefined : env[parentVariable]
  const config = folder.startsWith('.config/') ? env.XDG_CONFIG_HOME : undefined
  if (isAbsolute(own)) folders.push(trimmed(own))
  if (isAbsolute(parent)) folders.push(`${trimmed(parent)}/${folder}`)
  if (isAbsolute(config)) folders.push(`${trimmed(config)}/${folder.slice('.config/'.length)}`)
  return [...new Set(folders)]
}

function isAbsolute(value: string | undefined): value is string {
  return value?.startsWith('/') === true
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
