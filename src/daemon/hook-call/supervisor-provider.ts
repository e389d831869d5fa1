// Finds the supervisor of a call: here a supervisor for a single call; `supervisor-pool.ts` shares supervisors.

import { openLastGood } from '../../config/last-good.ts'
import { loadConfig } from '../../config/load.ts'
import { openStrictnessStore, readOnlyStrictness } from '../../config/strictness-store.ts'
import { describe } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { arcHome, findProject, lastGoodDir } from '../../platform/home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts'
import { resolveProfile } from './launch-profile.ts'

// The host waits: a database that is locked for longer is not used.
export const STORE_WAIT_MS = 1_000

/** Receives warnings and errors. */
export type Report = (message: string) => void

/** Finds supervisors. */
export interface SupervisorProvider {
  /** The supervisor of the project around a folder. */
  find(workspace: string | undefined, profile: string | undefined): Supervisor | Promise<Supervisor>
  /** Keeps a supervisor open until the returned function is called. */
  hold?(supervisor: Supervisor): () => void
  /** The mode in force there when there is no supervisor. Never throws. */
  readMode(workspace: string | undefined, profile: string | undefined): Promise<Mode>
}

/** Creates at most one supervisor. */
export interface SingleSupervisorProvider extends SupervisorProvider {
  /** The supervisor, if one was created. */
  created(): Supervisor | undefined
  close(): Promise<void>
}

/** A supervisor for one call; close it after the call. */
export function createSingleProvider(
  report: Report,
  home = arcHome(),
  ofProcess: Pick<SupervisorOptions, 'announce' | 'resumeLater'> = {},
): SingleSupervisorProvider {
  let created: Supervisor | undefined
  return {
    async find(workspace, profile) {
      // Imported late: a database driver that cannot load must not prevent a reply.
      const { Supervisor } = await import('../../supervisor/supervisor.ts')
      created ??= new Supervisor({ ...buildSupervisorOptions({ home, workspace, profile, report }), ...ofProcess })
      return created
    },
    readMode: (workspace, profile) => readConfiguredMode(home, workspace, profile),
    created: () => created,
    close: async () => created?.close(),
  }
}

interface SupervisorRequest {
  readonly home: string
  readonly workspace: string | undefined
  /** As the call requests it. */
  readonly profile: string | undefined
  readonly report: Report
}

/** The options of a supervisor for hosts: notices go into the replies, not to a terminal. */
export function buildSupervisorOptions({ home, workspace, profile: requested, report }: SupervisorRequest) {
  const { profile, onlyTightens } = resolveProfile(home, requested)
  const project = workspace === undefined ? undefined : findProject(workspace, home)
  return {
    home,
    report,
    notify: () => undefined,
    storeWaitMs: STORE_WAIT_MS,
    ...(project !== undefined && { project }),
    ...(profile !== undefined && { profile, onlyTightens }),
  }
}

/** The mode that the files set; `enforce` if they cannot be read, since they might say so. */
export async function readConfiguredMode(
  home: string,
  workspace: string | undefined,
  profile: string | undefined,
): Promise<Mode> {
  try {
    const project = workspace === undefined ? undefined : findProject(workspace, home)
    const lastGood = { ...openLastGood(lastGoodDir(home)), set: () => undefined, forget: () => undefined }
    const strictness = readOnlyStrictness(openStrictnessStore(home))
    return loadConfig({ home, project, ...resolveProfile(home, profile), lastGood, strictness }).config.enforcement
  } catch (error) {
    process.stderr.write(`arc: the mode cannot be read, so enforce applies: ${describe(error)}\n`)
    return 'enforce'
  }
}
