// Reports and records the problems and changes of a supervisor's configuration, each once: supervisors of several projects
// share the user's files, and hosts start a process for each event.

import { resolve, sep } from 'node:path'
import { digestProblems } from '../config/digest.ts'
import type { Loaded } from '../config/loaded.ts'
import { formatProblem, type Problem } from '../config/problem.ts'
import type { ConfigReload } from '../config/watch.ts'
import type { Clock } from '../engine/clock.ts'
import { describe } from '../engine/errors.ts'
import { recordEvent } from '../hooks/pipeline-services.ts'
import { update } from '../storage/state.ts'
import type { SupervisorParts } from './supervisor-parts.ts'

const MESSAGES = {
  'config:change': 'the configuration changed',
  'config:problem': 'the configuration has problems, so its last good state is used',
  'config:good': 'the configuration has no problems any more',
} as const

/** An event of the configuration in the trace. */
export type ConfigAction = keyof typeof MESSAGES

/** The state of a supervisor that an event describes. */
export interface ConfigFacts {
  readonly files: readonly string[]
  readonly loaded: Loaded
  readonly mode: string
  readonly hooks: number
}

export interface ConfigReportsOptions {
  readonly parts: SupervisorParts
  readonly clock: Clock
  readonly project: string | undefined
  /** The folder of the configuration, if not the home. */
  readonly configHome: string | undefined
  readonly report: (message: string) => void
}

const KEY = 'config:problems'
const PROJECT_TTL_MS = 90 * 86_400_000
const MAX_RECORDED = 20
const NO_PROBLEMS = digestProblems([])

/** The problems of one supervisor. */
export class ConfigReports {
  readonly #options: ConfigReportsOptions
  #problems: readonly Problem[] = []

  constructor(options: ConfigReportsOptions) {
    this.#options = options
  }

  get problems(): readonly Problem[] {
    return this.#problems
  }

  /** Reports the problems that were not reported; true when they differ from the previous ones. */
  set(problems: readonly Problem[], stale: readonly string[]): boolean {
    const areNew = digestProblems(problems) !== digestProblems(this.#problems)
    this.#problems = problems
    if (!areNew) return false
    const { parts, report } = this.#options
    const unreported = problems.filter((problem) => !parts.reported.has(problem))
    for (const problem of unreported) {
      parts.reported.add(problem)
      report(formatProblem(problem))
    }
    if (stale.length > 0 && unreported.length > 0) report(`Using the last good state of ${stale.join(', ')}.`)
    return true
  }

  /** A change of the user's files reaches all projects: the first supervisor that applies it records it. */
  isRecordedElsewhere({ previous, current, files }: ConfigReload): boolean {
    const { reported, user } = this.#options.parts
    const isOfUser = previous.user !== current.user && !files.some((file) => this.#isInProject(file))
    if (user === undefined || !isOfUser) return false
    const isRecorded = reported.has(current.user)
    reported.add(current.user)
    return isRecorded
  }

  /**
   * Do the problems differ from those that any process saw last? Those of a project and of another configuration folder
   * are tracked apart from those of the user.
   */
  haveChanged(): boolean {
    const { configHome, project } = this.#options
    const isOwn = ({ file }: Problem): boolean => this.#isInProject(file)
    const others = this.#problems.filter((problem) => !isOwn(problem))
    const isNew = this.#isNewDigest(configHome === undefined ? KEY : `${KEY}:${configHome}`, others)
    if (project === undefined) return isNew
    const own = this.#problems.filter(isOwn)
    return this.#isNewDigest(`${KEY}:project:${resolve(project)}`, own, PROJECT_TTL_MS) || isNew
  }

  record(action: ConfigAction, { files, loaded, mode, hooks }: ConfigFacts): void {
    const { parts, clock } = this.#options
    const { profile } = loaded.config
    const count = this.#problems.length
    const data = { files, problems: this.#problems.slice(0, MAX_RECORDED).map(formatProblem), stale: loaded.stale }
    const suffix = count === 0 ? '' : `; ${count} ${count === 1 ? 'problem' : 'problems'}: ${data.problems[0]}`
    const message = `${MESSAGES[action]}: profile ${profile}, mode ${mode}, ${hooks} hooks${suffix}`
    const level = count === 0 ? 'info' : loaded.absent.length > 0 ? 'error' : 'warn'
    const when = { time: clock.wall(), profile, traceFailure: parts.stores.traceFailure }
    recordEvent(parts.stores.trace, { component: 'config', action, level, message, data }, when)
  }

  #isInProject(file: string): boolean {
    const { project } = this.#options
    return project !== undefined && file.startsWith(resolve(project) + sep)
  }

  #isNewDigest(key: string, problems: readonly Problem[], ttlMs?: number): boolean {
    const now = digestProblems(problems)
    let isNew = false
    const change = (before: string | undefined): string | undefined => {
      isNew = now !== (before ?? NO_PROBLEMS)
      return isNew ? now : undefined
    }
    try {
      update<string>(this.#options.parts.stores.state, key, change, ttlMs)
    } catch (error) {
      this.#options.report(`Earlier problems of the configuration cannot be read: ${describe(error)}`)
    }
    return isNew
  }
}
