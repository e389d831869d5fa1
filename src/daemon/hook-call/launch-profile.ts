// The profile of `arc launch` for the calls of its agent. The environment of an agent may only tighten the rules, so a
// launched profile is in a file below the home, and calls name that file: `NAME@launch-ID`.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runDir } from '../process/paths.ts'

/** The variable that names the launch to the hooks of the agent. */
export const LAUNCH_VARIABLE = 'ARC_LAUNCH'

/** The profile that a call requests. */
export interface RequestedProfile {
  readonly profile: string | undefined
  /** True when only the environment names the profile. */
  readonly onlyTightens: boolean
}

/** Creates the file of a launch. */
export function createLaunchMark(home: string, profile: string): { readonly id: string; remove(): void } {
  mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(runDir(home), 'launch-'))
  writeFileSync(join(folder, 'profile'), profile, { mode: 0o600 })
  return { id: basename(folder), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Encodes profile and launch for a hook call. */
export function encodeProfile({ ARC_PROFILE, ARC_LAUNCH }: NodeJS.ProcessEnv): string | undefined {
  if (!ARC_PROFILE) return undefined
  return ARC_LAUNCH ? `${ARC_PROFILE}@${ARC_LAUNCH}` : ARC_PROFILE
}

/** Decodes profile and launch. A launch that does not exist or has another profile is ignored. */
export function resolveProfile(home: string, requested: string | undefined): RequestedProfile {
  const [, name, id] = /^(.+)@(launch-\w+)$/.exec(requested ?? '') ?? []
  if (name === undefined || id === undefined) return { profile: requested?.replace(/@.*$/, ''), onlyTightens: true }
  return { profile: name, onlyTightens: readLaunchedProfile(home, id) !== name }
}

function readLaunchedProfile(home: string, id: string): string | undefined {
  try {
    return readFileSync(join(runDir(home), id, 'profile'), 'utf8')
  } catch {
    // The launch has ended or never existed.
    return undefined
  }
}
