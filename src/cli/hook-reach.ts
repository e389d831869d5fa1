// Hooks that an installed agent never reaches, for the commands that list or configure hooks.

import { describe } from '../engine/errors.ts'
import type { PipelineHook } from '../hooks/live-pipeline.ts'
import type { HostName } from '../hosts/host.ts'
import { findReach, type Reach, type RegisteredOnDemand } from '../hosts/reach.ts'
import { openDryRun } from '../supervisor/dry-run.ts'
import { findInstalled, readOnDemandEvents } from './agents.ts'
import { report } from './output.ts'

/** A hook that is not reached everywhere, and why. */
export interface ReachNote {
  readonly hook: string
  /** `file:line` of the hook, or the kind of its origin. */
  readonly source: string
  readonly note: string
}

/** The agents with ARC's hooks, each once, and their events that are registered on demand. */
export interface InstalledHosts {
  readonly names: readonly HostName[]
  readonly registered: RegisteredOnDemand
}

/** The agents with ARC's hooks. */
export function installedHosts(): InstalledHosts {
  const agents = tryToFind()
  // In another project the same agent has its own lines: one that has the event is enough.
  const registered = (name: HostName) => agents.filter(({ host }) => host.name === name).flatMap(readOnDemandEvents)
  return { names: [...new Set(agents.map(({ host }) => host.name))], registered }
}

// Settings of agents that this account may not read are no reason to show nothing: the error is reported.
function tryToFind(): ReturnType<typeof findInstalled> {
  try {
    return findInstalled()
  } catch (error) {
    report(describe(error))
    return []
  }
}

/** How far a hook is reached by the installed agents. */
export function readReach(
  { points }: Pick<PipelineHook, 'points'>,
  { names, registered }: InstalledHosts = installedHosts(),
): Reach {
  return findReach(points, names, registered)
}

/** The enabled hooks that an installed agent never reaches. */
export function findReachNotes(hooks: readonly PipelineHook[]): readonly ReachNote[] {
  const installed = installedHosts()
  return hooks.flatMap((hook) => {
    const { note } = hook.enabled ? readReach(hook, installed) : {}
    return note === undefined ? [] : [{ hook: hook.name, source: hook.source, note }]
  })
}

/** The points of the enabled hooks of a folder's pipeline. Hooks of a project count if it is trusted. */
export function readHookPoints(cwd: string): readonly string[] {
  const { preview, close } = openDryRun({ cwd, report })
  try {
    const enabled = preview.hooks().filter((hook) => hook.enabled)
    return [...new Set(enabled.flatMap(({ points }) => points))]
  } finally {
    close()
  }
}
