// Which build of ARC is installed. The launcher of a home names the program that serves the home, so that two installed
// versions never replace each other's daemons in turn.

import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../../engine/plain-data.ts'
import { readLauncherProgram } from '../../guard/launcher.ts'

/** A program and its build. */
export interface InstalledBuild {
  /** The path of `arc`. */
  readonly program: string
  /** The version and a digest of the sources, such as `0.1.0+3f9a51c02b7d`. */
  readonly build: string
}

/** The build of a program; undefined where it has none, such as in a checkout that is not built. */
export function readBuild(program: string): string | undefined {
  try {
    const file = join(dirname(realpathSync(program)), '..', 'dist', 'build.json')
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(found) && typeof found.build === 'string' ? found.build : undefined
  } catch {
    // Not installed any more, or being updated.
    return undefined
  }
}

/** The program that serves a home: the one of its launcher, else the given one. */
export function findHomeProgram(home: string, otherwise: string): string {
  const program = readLauncherProgram(home)
  return program !== undefined && readBuild(program) !== undefined ? program : otherwise
}

/** The build that should serve a home instead of the running one; undefined if the running one should. */
export function findSuccessor(home: string, running: InstalledBuild | undefined): InstalledBuild | undefined {
  if (running === undefined) return undefined
  const program = findHomeProgram(home, running.program)
  const build = readBuild(program)
  return build === undefined || build === running.build ? undefined : { program, build }
}
