// Where the supervisor of a call comes from: made for one call, or kept from one to the next.

import { keepLastGood } from '../../config/last-good.ts'
import { loadConfig } from '../../config/load.ts'
import { openStrictnessStore, readOnlyStrictness } from '../../config/strictness-store.ts'
import { describe } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { arcHome, findProject, lastGoodDir } from '../../platform/home.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { SupervisorProvider } from './answer.ts'
import { resolveProfile } from './launch-profile.ts'

// A host waits: a database that stays locked for longer is done without.
export const STORE_WAIT_MS = 1_000

/** Told of everything that is not as it should be. */
export type Report = (message: string) => void

/** Makes one supervisor at most. */
export interface SingleSupervisorProvider extends SupervisorProvider {
  /** The supervisor, if one was needed and could be made. */
  made(): Supervisor | undefined
  close(): Promise<void>
}

/** A supervisor for one call, to be closed after it. */
export function createSingleProvider(report: Report, home = arcHome()): SingleSupervisorProvider {
  let made: Supervisor | undefined
  return {
    async find(workspace, profile) {
      // Loaded late: without a database that can be loaded there must still be an answer.
      const { Supervisor } = await import('../../supervisor/supervisor.ts')
      made ??= new Supervisor(buildSupervisorOptions({ home, workspace, profile, report }))
      return made
    },
    readMode: (workspace, profile) => readConfiguredMode(home, workspace, profile),
    made: () => made,
    close: async () => made?.close(),
  }
}

interface SupervisorRequest {
  readonly home: string
  readonly workspace: string | undefined
  /** As the call asks for it. */
  readonly profile: string | undefined
  readonly report: Report
}

/** How a supervisor in the service of hosts is made: what it has to say goes into the replies. */
export function buildSupervisorOptions({ home, workspace, profile: asked, report }: SupervisorRequest) {
  const { profile, onlyTightens } = resolveProfile(home, asked)
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

/** The mode that the files say, without anything else. What cannot be read at all might say enforce. */
export async function readConfiguredMode(
  home: string,
  workspace: string | undefined,
  profile: string | undefined,
): Promise<Mode> {
  try {
    const project = workspace === undefined ? undefined : findProject(workspace, home)
    const lastGood = { ...keepLastGood(lastGoodDir(home)), set: () => undefined, forget: () => undefined }
    const strictness = readOnlyStrictness(openStrictnessStore(home))
    return loadConfig({ home, project, ...resolveProfile(home, profile), lastGood, strictness }).config.enforcement
  } catch (error) {
    process.stderr.write(`arc: the mode cannot be told, so the strictest holds: ${describe(error)}\n`)
    return 'enforce'
  }
}
