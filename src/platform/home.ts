// Where ARC keeps its state: $ARC_HOME, or ~/.arc. Only its owner may look inside.

import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The folder of all state; not created by asking. */
export function arcHome(): string {
  const given = process.env.ARC_HOME
  return given === undefined || given === '' ? join(homedir(), '.arc') : given
}

/** The database file; its folder is created if it is missing. */
export function databaseFile(home = arcHome()): string {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return join(home, 'arc.db')
}

/** The variable in which the launcher passes the folder that was chosen at installation. */
export const STATE_DIR_VARIABLE = 'ARC_STATE_DIR'

/** The folder for what must outlive the home: `$XDG_STATE_HOME/arc`, or `~/.local/state/arc`. */
export function stateDir(): string {
  const { [STATE_DIR_VARIABLE]: fixed, XDG_STATE_HOME: given } = process.env
  return fixed || join(given || join(homedir(), '.local', 'state'), 'arc')
}

/** Where the last good texts of the configuration are kept. */
export function lastGoodDir(home: string): string {
  return join(home, 'last-good')
}

const LAYER_FILES = ['json', 'jsonc', 'yaml', 'yml'].map((ending) => join('.arc', `config.${ending}`))

/**
 * The root of the project that a directory belongs to: the nearest with a project layer, if any.
 * The user's own `~/.arc` is no project, though it looks like one from below.
 */
export function findProject(dir: string, home = arcHome()): string | undefined {
  const own = resolveRealPath(home)
  for (let at = resolve(dir); ; at = dirname(at)) {
    const isLayer = LAYER_FILES.some((file) => existsSync(join(at, file)))
    if (isLayer && resolveRealPath(join(at, '.arc')) !== own) return at
    if (dirname(at) === at) return undefined
  }
}

/** A path without links; as it is where there is nothing yet. */
export function resolveRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
