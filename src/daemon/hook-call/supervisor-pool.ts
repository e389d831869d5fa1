// The supervisors of a daemon: one for each project and profile, following its files, and no more than so many at once.

import { describe } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { findProject } from '../../platform/home.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import type { SupervisorProvider } from './answer.ts'
import { resolveProfile } from './launch-profile.ts'
import { buildSupervisorOptions, type Report, readConfiguredMode } from './supervisor-provider.ts'

const MAX_OPEN = 16
// Where the project of a folder is looked up again after so long: a layer may have been added.
const PROJECT_KNOWN_MS = 1_000
const MAX_FOLDERS = 1_000

/** Supervisors that are kept. */
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

  /** The supervisor of the project around a folder; the least used one goes when there are too many. */
  find(workspace: string | undefined, profile: string | undefined): Promise<Supervisor> {
    const key = this.#keyOf(workspace, profile)
    const known = this.#open.get(key)
    const supervisor = known ?? this.#make(workspace, profile, key)
    // The order of a Map is that of insertion: the first is the one that was asked for longest ago.
    this.#open.delete(key)
    this.#open.set(key, supervisor)
    if (this.#open.size > MAX_OPEN) this.#closeOldest()
    return supervisor
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  /** Of one that is open, as it is there; else as the files say. */
  async readMode(workspace: string | undefined, profile: string | undefined): Promise<Mode> {
    const open = await this.#open.get(this.#keyOf(workspace, profile))?.catch(() => undefined)
    return open?.engine.mode ?? readConfiguredMode(this.home, workspace, profile)
  }

  /** Waits for what is under way and closes all of them; safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map((supervisor) => this.#close(supervisor)))
  }

  async #make(workspace: string | undefined, profile: string | undefined, key: string): Promise<Supervisor> {
    try {
      const options = buildSupervisorOptions({ home: this.home, workspace, profile, report: this.#report })
      // Many calls at once: each is answered when the commit that it shares with others is done.
      const supervisor = new Supervisor({ ...options, isGrouped: true })
      // Judged at once with what is there; the watch follows.
      supervisor.watch().catch((error) => this.#report(`The files are not followed: ${describe(error)}`))
      return supervisor
    } catch (error) {
      // Tried anew with the next call.
      this.#open.delete(key)
      throw error
    }
  }

  #keyOf(workspace: string | undefined, profile: string | undefined): string {
    const project = workspace === undefined ? null : (this.#projectOf(workspace) ?? null)
    // A launch that is over is another key than while it ran.
    const { profile: name = null, onlyTightens } = resolveProfile(this.home, profile)
    return JSON.stringify([project, name, name !== null && onlyTightens])
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

  #projectOf(workspace: string): string | undefined {
    const now = performance.now()
    const known = this.#projects.get(workspace)
    if (known !== undefined && known.until > now) return known.project
    if (this.#projects.size >= MAX_FOLDERS) this.#projects.clear()
    const project = findProject(workspace, this.home)
    this.#projects.set(workspace, { project, until: now + PROJECT_KNOWN_MS })
    return project
  }
}
