// The supervisors of a daemon: one for each project and profile, following its files, with a limit.

import { describe } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { findProject } from '../../platform/home.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import { resolveProfile } from './launch-profile.ts'
import {
  buildSupervisorOptions,
  type Report,
  readConfiguredMode,
  type SupervisorProvider,
} from './supervisor-provider.ts'

const MAX_OPEN = 16
// The project of a folder is looked up again after this time: a configuration may have been added.
const PROJECT_TTL_MS = 1_000
const MAX_FOLDERS = 1_000

/** Creates supervisors on demand and shares them. */
export class SupervisorPool implements SupervisorProvider {
  readonly home: string
  readonly #report: Report
  readonly #open = new Map<string, Promise<Supervisor>>()
  readonly #projects = new Map<string, { readonly project: string | undefined; readonly until: number }>()
  #isClosed = false

  constructor(home: string, report: Report) {
    this.home = home
    this.#report = report
  }

  /** The supervisor of the project around a folder; the least recently used one is closed when there are too many. */
  find(workspace: string | undefined, profile: string | undefined): Promise<Supervisor> {
    const key = this.#buildKey(workspace, profile)
    const known = this.#open.get(key)
    const supervisor = known ?? this.#create(workspace, profile, key)
    // A Map keeps the order of insertion: the first entry is the least recently used.
    this.#open.delete(key)
    this.#open.set(key, supervisor)
    if (this.#open.size > MAX_OPEN) this.#closeOldest()
    return supervisor
  }

  /** The number of open supervisors. */
  get size(): number {
    return this.#open.size
  }

  /** The mode of an open supervisor, else the mode that the files set. */
  async readMode(workspace: string | undefined, profile: string | undefined): Promise<Mode> {
    const open = await this.#open.get(this.#buildKey(workspace, profile))?.catch(() => undefined)
    return open?.engine.mode ?? readConfiguredMode(this.home, workspace, profile)
  }

  /** Waits for the work in flight and closes all supervisors; safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map((supervisor) => this.#close(supervisor)))
  }

  async #create(workspace: string | undefined, profile: string | undefined, key: string): Promise<Supervisor> {
    try {
      const options = buildSupervisorOptions({ home: this.home, workspace, profile, report: this.#report })
      // Calls at the same time share a commit; each reply waits for it.
      const supervisor = new Supervisor({ ...options, isGrouped: true })
      // Calls do not wait for the file watch.
      supervisor.watch().catch((error) => this.#report(`The configuration files are not watched: ${describe(error)}`))
      return supervisor
    } catch (error) {
      // The next call tries again.
      this.#open.delete(key)
      throw error
    }
  }

  #buildKey(workspace: string | undefined, profile: string | undefined): string {
    const project = workspace === undefined ? null : (this.#findProject(workspace) ?? null)
    if (profile === undefined) return JSON.stringify([project, null])
    // The key changes when a launch ends.
    const { profile: name, onlyTightens } = resolveProfile(this.home, profile)
    return JSON.stringify([project, name, onlyTightens])
  }

  #closeOldest(): void {
    const [oldest] = this.#open
    if (oldest === undefined) return
    this.#open.delete(oldest[0])
    void this.#close(oldest[1])
  }

  async #close(supervisor: Promise<Supervisor>): Promise<void> {
    try {
      await (await supervisor).close()
    } catch (error) {
      if (!this.#isClosed) this.#report(`A supervisor could not be closed: ${describe(error)}`)
    }
  }

  #findProject(workspace: string): string | undefined {
    const now = performance.now()
    const known = this.#projects.get(workspace)
    if (known !== undefined && known.until > now) return known.project
    if (this.#projects.size >= MAX_FOLDERS) this.#projects.clear()
    const project = findProject(workspace, this.home)
    this.#projects.set(workspace, { project, until: now + PROJECT_TTL_MS })
    return project
  }
}
