// The paths of the agents' hook settings: per user, by environment variable, and system-wide. The paths of each agent are
// in its facts.

import type { GuardedRoot } from '../../engine/guarded-paths.ts'
import type { SettingsFolder } from '../../hosts/facts/agent-facts.ts'
import { AGENT_FACTS } from '../../hosts/facts/list.ts'

const FOLDERS = AGENT_FACTS.flatMap(({ settings }) => settings.folders)
const HOME_FILES = AGENT_FACTS.flatMap(({ settings }) => settings.homeFiles ?? [])
const MACHINE_FOLDERS = AGENT_FACTS.flatMap(({ settings }) => settings.machineFolders ?? [])
const FILE_VARIABLES = AGENT_FACTS.flatMap(({ variables }) => variables.settingsFiles ?? [])

// The files and folders with hooks, in a home or a project, by the end of their path.
const SETTINGS_FILES: readonly string[] = [
  ...FOLDERS.flatMap(({ folder, names }) => names.map((name) => joinPath(folder, name))),
  ...HOME_FILES,
  ...AGENT_FACTS.flatMap(({ settings }) => settings.projectFiles ?? []),
]

/** Folders that contain little but settings, by the end of their path. */
export const SETTINGS_FOLDERS: readonly string[] = AGENT_FACTS.flatMap(({ settings }) => settings.ownFolders ?? [])

/** Variables with the path of an agent's settings. */
export const AGENT_CONFIG_VARIABLES: readonly string[] = [
  ...FOLDERS.flatMap(({ variable, parentVariable }) => [variable ?? '', parentVariable ?? '']).filter(Boolean),
  ...FILE_VARIABLES,
]

/** Variables with the path of an agent's or ARC's settings. */
export const CONFIG_VARIABLES: ReadonlySet<string> = new Set([...AGENT_CONFIG_VARIABLES, 'ARC_HOME', 'XDG_CONFIG_HOME'])

/** Whether it is a file with an agent's hooks, or in a folder of hooks, wherever that is. */
export function isSettingsPath(path: string): boolean {
  return SETTINGS_FILES.some((name) => path.endsWith(`/${name}`) || path.includes(`/${name}/`) || path === name)
}

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
  for (const config of FOLDERS)
    for (const folder of listSettingsFolders(config, home, env))
      for (const name of config.names) add(joinPath(folder, name), folder)
  for (const name of HOME_FILES) add(`${home}/${name}`)
  for (const folder of MACHINE_FOLDERS) add(folder)
  for (const variable of FILE_VARIABLES) if (isAbsolute(env[variable])) add(env[variable])
  return roots
}

/** The folders that these variables name; the default folder when a variable is not set. */
export function resolveConfigVariables(home: string, arcHome: string, env: Environment): Map<string, string> {
  const found = new Map([['ARC_HOME', arcHome]])
  for (const { variable, folder } of FOLDERS) if (variable !== undefined) found.set(variable, `${home}/${folder}`)
  found.set('XDG_CONFIG_HOME', `${home}/.config`)
  for (const name of CONFIG_VARIABLES) {
    const value = env[name]
    if (name !== 'ARC_HOME' && isAbsolute(value)) found.set(name, value)
  }
  return found
}

/**
 * The paths of a settings folder for a user with this home folder and environment. The default folder is included even if
 * a variable names another folder: agents without the variable use it.
 */
export function listSettingsFolders(
  { folder, variable, parentVariable }: SettingsFolder,
  home: string,
  env: Environment,
): string[] {
  const folders = [`${home}/${folder}`]
  const own = variable === undefined ? undefined : env[variable]
  const parent = parentVariable === undefined ? undefined : env[parentVariable]
  const config = folder.startsWith('.config/') ? env.XDG_CONFIG_HOME : undefined
  if (isAbsolute(own)) folders.push(trimmed(own))
  if (isAbsolute(parent)) folders.push(`${trimmed(parent)}/${folder}`)
  if (isAbsolute(config)) folders.push(`${trimmed(config)}/${folder.slice('.config/'.length)}`)
  return [...new Set(folders)]
}

function joinPath(folder: string, name: string): string {
  return name === '' ? folder : `${folder}/${name}`
}

function isAbsolute(value: string | undefined): value is string {
  return value?.startsWith('/') === true
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}
