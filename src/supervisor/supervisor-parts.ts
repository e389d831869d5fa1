// The parts of a supervisor that several supervisors of one process can share: the stores, the watched folders, the
// user's configuration, the services and the built-in hooks. Here the parts of a supervisor that shares nothing.

import { AdvanceApprovals } from '../approvals/advance-approvals.ts'
import type { Config } from '../config/config.ts'
import { FolderWatchers } from '../config/folder-watchers.ts'
import type { UserConfig } from '../config/watch.ts'
import type { Clock } from '../engine/clock.ts'
import type { Mode } from '../engine/mode.ts'
import { ExceptionBook } from '../exceptions/exception-book.ts'
import { createParts } from '../hooks/builtin/built-in.ts'
import { createServices, type PipelineServices, type ScriptNotice } from '../hooks/pipeline-services.ts'
import { openStores, type Stores, type StoresOptions } from '../storage/open-stores.ts'
import { canonicalize } from '../trace/canonical.ts'
import { BlockedSteps } from './blocked-steps.ts'
import { DurableBreaker } from './breaker/breaker.ts'
import { ClosingWork } from './closing-work.ts'

/** The parts of one supervisor. */
export interface SupervisorParts {
  readonly stores: Stores
  readonly folders: FolderWatchers
  /** The user's configuration, where projects share it. */
  readonly user: UserConfig | undefined
  /** The problems and configurations that were reported: each is reported by one supervisor. */
  readonly reported: WeakSet<object>
  /** The parts of the hooks of a configuration. */
  hooks(config: Config): HookParts
  /** Ends the use of the parts; safe to call twice. */
  close(): void | Promise<void>
}

/** The parts of hooks that do not depend on the project. */
export interface HookParts {
  readonly services: PipelineServices
  readonly breaker: DurableBreaker
  /** Creates the code of a built-in hook, or returns the code that was created for the same options. */
  readonly createParts: typeof createParts
  /** What follows when a step ends blocked. */
  readonly blockedSteps: BlockedSteps
}

/** What the parts of hooks need from their supervisor or daemon. */
export interface HookPartsOptions {
  readonly home: string
  readonly clock: Clock
  readonly notify: (notice: ScriptNotice) => void
  readonly report: (message: string) => void
  /** Resumes paused watchdogs after the end of this process. */
  readonly resumeLater?: ResumeLater | undefined
}

/** Starts a process for the job, a JSON text. */
export type ResumeLater = (job: string) => void

/** Opens the parts of a supervisor that shares nothing. */
export function openOwnParts(options: HookPartsOptions & StoresOptions): SupervisorParts {
  const { home, report, waitMs, isGrouped } = options
  const stores = openStores(home, report, { waitMs, isGrouped })
  const closing = new ClosingWork(report)
  return {
    stores,
    folders: new FolderWatchers(),
    user: undefined,
    reported: new WeakSet(),
    hooks: (config) => buildHookParts(config, stores, options, closing),
    close: () => closing.finish(() => stores.close()),
  }
}

/** Creates the services and the breaker of a configuration. */
export function buildHookParts(
  { profile, breaker: settings, exceptions }: Config,
  { state, trace, traceFailure }: Stores,
  { home, clock, notify, report, resumeLater }: HookPartsOptions,
  closing: ClosingWork,
): HookParts {
  const services = createServices({ home, state, trace, clock, profile: () => profile, notify, traceFailure })
  const onTrip = (): void => report('Too many failures of hooks in a row: advise and enforce act as log for now.')
  const breaker = new DurableBreaker({ ...settings, profile, onTrip }, services)
  const blockedSteps = new BlockedSteps(state, report)
  const findExceptions = openExceptions(exceptions, services)
  const ofSupervisor = {
    maxMode: (): Mode => breaker.maxMode(),
    whenBlocked: blockedSteps.add,
    whenClosed: closing.add,
    resumeLater:
      resumeLater && ((options: string) => resumeLater(JSON.stringify({ profile, options: JSON.parse(options) }))),
    findExceptions,
  }
  return { services: { ...services, ...ofSupervisor }, breaker, createParts, blockedSteps }
}

/** Looks for the exceptions of a configuration, and for approvals in advance. */
export function openExceptions(
  exceptions: Config['exceptions'],
  services: Pick<PipelineServices, 'state' | 'clock' | 'newId' | 'record'>,
): NonNullable<PipelineServices['findExceptions']> {
  const { state, clock, newId, record } = services
  const approvals = new AdvanceApprovals({ state, clock, newId, canonicalize, record })
  const book = new ExceptionBook(exceptions, { state, clock, approvals, record })
  return (request) => book.find(request)
}
