// Which projects' hooks a person has read and trusts: one hash a project, kept as state.

import { isRecord } from '../engine/plain-data.ts'
import { resolveRealPath } from '../platform/home.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import type { TrustedSet } from './trust.ts'

const PREFIX = 'trust:'

/** The projects that are trusted, as loading the configuration asks for them. */
export function trustedProjects(state: StateStore): TrustedSet {
  return {
    isTrusted(dir, hash) {
      const value = state.get(buildTrustKey(dir))?.value
      return isRecord(value) && value.hash === hash
    },
  }
}

/** Trusts a project's hooks as they are now. */
export function trustProject(state: StateStore, dir: string, hash: string, now: number): void {
  update(state, buildTrustKey(dir), () => ({ hash, since: now }))
}

/** Takes trust away; false when there was none. */
export function untrustProject(state: StateStore, dir: string): boolean {
  const key = buildTrustKey(dir)
  for (let entry = state.get(key); entry !== undefined; entry = state.get(key)) {
    if (state.remove(key, entry.version)) return true
  }
  return false
}

// By its real place: a link to it is the same project.
function buildTrustKey(dir: string): string {
  return PREFIX + resolveRealPath(dir)
}
