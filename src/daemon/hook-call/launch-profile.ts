// The profile of `arc launch` for the calls of its agent. The environment of an agent may only tighten; a profile that
// was launched is in a file below the home instead, and calls name that file: `NAME@launch-ID`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runDir } from '../process/paths.ts'

/** The variable that names the launch to the hooks of the agent. */
export const LAUNCH_VARIABLE = 'ARC_LAUNCH'

/** A profile as a call asks for it. */
export interface RequestedProfile {
  readonly profile: string | undefined
  /** True when only the environment says so. */
  readonly onlyTightens: boolean
}

/** Marks the start of a launch. */
export function createLaunchMark(home: string, profile: string): { readonly id: string; remove(): void } {
  mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runDir(home), 'launch-'))
  writeFileSync(join(folder, 'profile'), profile, { mode: 0o600 })
  return { id: basename(folder), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The form in which a hook passes on profile and launch. */
export function encodeProfile({ ARC_PROFILE, ARC_LAUNCH }: NodeJS.ProcessEnv): string | undefined {
  if (!ARC_PROFILE) return undefined
  return ARC_LAUNCH ? `${ARC_PROFILE}@${ARC_LAUNCH}` : ARC_PROFILE
}

/** Reads it; a launch that is not there, or has another profile, counts as none. */
export function resolveProfile(home: string, asked: string | undefined): RequestedProfile {
  const [, name, id] = /^(.+)@(launch-\w+)$/.exec(asked ?? '') ?? []
  if (name === undefined || id === undefined) return { profile: asked?.replace(/@.*$/, ''), onlyTightens: true }
  return { profile: name, onlyTightens: launchedProfile(home, id) !== name }
}

function launchedProfile(home: string, id: string): string | undefined {
  try {
    return readFileSync(join(runDir(home), id, 'profile'), 'utf8')
  } catch {
    // The launch is over, or never was.
    return undefined
  }
}
