// The supervisors of a daemon: one for each profile, and one for each project with its own layer. They share what is the
// same for all (`shared-home.ts`), so that many projects cost little more than one.

import { describe } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { findProject } from '../../platform/home.ts'
import { SharedHome } from '../../supervisor/shared-home.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts'
import { resolveProfile } from './launch-profile.ts'
import {
  buildSupervisorOptions,
  type Report,
  readConfiguredMode,
  STORE_WAIT_MS,
  type SupervisorProvider,
} from './supervisor-provider.ts'

/** Limits for the open supervisors, and what they share. */
interface PoolOptions {
  /** How many stay open; more only while all of them have calls in flight. */
  readonly maxOpen?: number | undefined
  /** How long a supervisor stays open without a call. */
  readonly idleMs?: number | undefined
  /** Sends the messages about held steps. */
  readonly announce?: SupervisorOptions['announce']
}

const MAX_OPEN = 512
const IDLE_MS = 15 * 60_000
// How often idle supervisors are looked for, as a part of the time that they may be idle.
const LOOKS_PER_IDLE_TIME = 15
// A supervisor that was just found may have a call that is not counted yet.
const MIN_OPEN_MS = 1_000
// The project of a folder is looked up again after this time: a configuration may have been added.
const PROJECT_TTL_MS = 1_000
const MAX_FOLDERS = 1_000

interface OpenSupervisor {
  readonly key: string
  readonly supervisor: Supervisor
  usedAt: number
  /** The calls in flight. */
  calls: number
}

/** Creates supervisors on demand and shares them. */
export class SupervisorPool implements SupervisorProvider {
  readonly home: string
  readonly #report: Report
  readonly #limits: { readonly maxOpen: number; readonly idleMs: number }
  readonly #announce: SupervisorOptions['announce']
  // In order of their last use: the first entry is the least recently used.
  readonly #open = new Map<string, OpenSupervisor>()
  readonly #bySupervisor = new WeakMap<Supervisor, OpenSupervisor>()
  readonly #projects = new Map<string, { readonly project: string | undefined; readonly until: number }>()
  readonly #closing = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #shared: SharedHome | undefined
  #isClosed = false

  constructor(home: string, report: Report, options: PoolOptions = {}) {
    const { maxOpen = MAX_OPEN, idleMs = IDLE_MS, announce } = options
    this.home = home
    this.#report = report
    this.#announce = announce
    this.#limits = { maxOpen, idleMs }
    this.#timer = setInterval(() => this.#closeIdle(), idleMs / LOOKS_PER_IDLE_TIME).unref()
  }

  /** The supervisor of the project around a folder; one that was not used for long is closed when there are too many. */
  async find(workspace: string | undefined, profile: string | undefined): Promise<Supervisor> {
    const key = this.#buildKey(workspace, profile)
    const known = this.#open.get(key)
    const found = known ?? this.#create(workspace, profile, key)
    found.usedAt = performance.now()
    this.#open.delete(key)
    this.#open.set(key, found)
    if (known === undefined) this.#closeSurplus()
    return found.supervisor
  }

  hold(supervisor: Supervisor): () => void {
    const open = this.#bySupervisor.get(supervisor)
    if (open === undefined) return () => undefined
    open.calls++
    return () => {
      open.calls--
    }
  }

  /** The number of open supervisors, and the numbers of the parts that they share. */
  get counts(): Readonly<Record<'supervisors' | keyof SharedHome['counts'], number>> {
    return { supervisors: this.#open.size, ...(this.#shared?.counts ?? NONE) }
  }

  /** The mode of an open supervisor, else the mode that the files set. */
  async readMode(workspace: string | undefined, profile: string | undefined): Promise<Mode> {
    const open = this.#open.get(this.#buildKey(workspace, profile))
    return open?.supervisor.engine.mode ?? readConfiguredMode(this.home, workspace, profile)
  }

  /** Waits for the work in flight and closes all supervisors; safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const open of [...this.#open.values()]) this.#close(open)
    await Promise.all(this.#closing)
    await this.#shared?.close()
  }

  #create(workspace: string | undefined, profile: string | undefined, key: string): OpenSupervisor {
    const options = buildSupervisorOptions({ home: this.home, workspace, profile, report: this.#report })
    const { notify, report } = options
    this.#shared ??= new SharedHome({ home: this.home, clock: systemClock, notify, report, storeWaitMs: STORE_WAIT_MS })
    const parts = this.#shared.open(options)
    try {
      const supervisor = new Supervisor({ ...options, parts, announce: this.#announce })
      void supervisor.watch()
      const open = { key, supervisor, usedAt: 0, calls: 0 }
      this.#bySupervisor.set(supervisor, open)
      return open
    } catch (error) {
      void parts.close()
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

  #closeSurplus(): void {
    this.#closeUnused(MIN_OPEN_MS, () => this.#open.size > this.#limits.maxOpen)
  }

  #closeIdle(): void {
    this.#closeUnused(this.#limits.idleMs, () => true)
    this.#closeSurplus()
  }

  #closeUnused(unusedMs: number, isWanted: () => boolean): void {
    const before = performance.now() - unusedMs
    for (const open of this.#open.values()) {
      if (open.usedAt > before || !isWanted()) return
      if (isUnused(open)) this.#close(open)
    }
  }

  #close({ key, supervisor }: OpenSupervisor): void {
    this.#open.delete(key)
    const closing = supervisor
      .close()
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#report(`A supervisor could not be closed: ${describe(error)}`)
      })
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
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

const NONE = { profiles: 0, watchedFolders: 0, userLoads: 0 }

// The supervisor without a project and a profile is that of the daemon itself.
const DAEMON_KEY = JSON.stringify([null, null])

function isUnused({ key, supervisor, calls }: OpenSupervisor): boolean {
  return key !== DAEMON_KEY && calls === 0 && !supervisor.isBusy
}
