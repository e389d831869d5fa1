// Hooks that an installed agent never reaches, for the commands that list or configure hooks.

import type { PipelineHook } from '../hooks/live-pipeline.ts'
import type { HostName } from '../hosts/host.ts'
import { findReach, type Reach } from '../hosts/reach.ts'
import { findInstalled } from './agents.ts'

/** A hook that is not reached everywhere, and why. */
export interface ReachNote {
  readonly hook: string
  /** `file:line` of the hook, or the kind of its origin. */
  readonly source: string
  readonly note: string
}

/** The agents with ARC's hooks, each once. */
export function installedHosts(): readonly HostName[] {
  return [...new Set(findInstalled().map(({ host }) => host.name))]
}

/** How far a hook is reached by the installed agents. */
export function readReach({ points }: Pick<PipelineHook, 'points'>, installed = installedHosts()): Reach {
  return findReach(points, installed)
}

/** The enabled hooks that an installed agent never reaches. */
export function findReachNotes(hooks: readonly PipelineHook[]): readonly ReachNote[] {
  const installed = installedHosts()
  return hooks.flatMap((hook) => {
    const { note } = hook.enabled ? readReach(hook, installed) : {}
    return note === undefined ? [] : [{ hook: hook.name, source: hook.source, note }]
  })
}
