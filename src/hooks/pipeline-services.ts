// The services of the hooks: real ones for a supervisor, and inert ones for a dry run.

import { join } from 'node:path'
import { isProfileName, listProfiles } from '../config/profile-files.ts'
import type { Clock } from '../engine/clock.ts'
import type { Guard } from '../engine/guarded-paths.ts'
import type { Handler } from '../engine/hook.ts'
import { openHomeGuard } from '../guard/home-guard.ts'
import { linearRegex, systemClock } from '../platform/engine-services.ts'
import { newId } from '../platform/ids.ts'
import type { StateStore, TraceStore } from '../storage/ports.ts'
import { RepeatedFailure, TRACE_FAILURE } from '../storage/repeated-failure.ts'
import type { CommandResult, SupervisionEvent, SupervisionServices } from './builtin/services.ts'
import { createFactService } from './facts/fact-service.ts'
import { inheriting } from './handlers/command/environment.ts'
import { runToEnd } from './handlers/command/spawn.ts'
import { makeHandler } from './handlers/handler-factory.ts'

/** A message to the user, from `/notify` in a script. */
export interface ScriptNotice {
  readonly message: string
  readonly channel: string | undefined
  readonly hook: string
  readonly point: string
}

/** The services of all hooks of a pipeline. */
export interface PipelineServices extends SupervisionServices {
  readonly notify: (notice: ScriptNotice) => void
}

const GRACE_MS = 1_000

/** The services of a supervisor. */
export function createServices(from: {
  /** `$ARC_HOME`: its files are guarded by real path. Without it, by their usual names. */
  readonly home?: string
  readonly state: StateStore
  readonly trace: Pick<TraceStore, 'append'>
  readonly clock?: Clock
  readonly profile: () => string
  readonly notify: (notice: ScriptNotice) => void
  /** Receives failures to write the log; default stderr. */
  readonly traceFailure?: RepeatedFailure
}): PipelineServices {
  const {
    home,
    state,
    trace,
    clock = systemClock,
    profile,
    notify,
    traceFailure = new RepeatedFailure(TRACE_FAILURE),
  } = from
  return {
    guard: home === undefined ? undefined : openHomeGuard(home),
    facts: home === undefined ? undefined : createFactService(state, clock),
    listProfiles: home === undefined ? undefined : () => listProfiles(join(home, 'profiles')).filter(isProfileName),
    state,
    clock,
    newId,
    runCommand,
    handler: makeHandler,
    regex: linearRegex,
    fetch: (...args) => fetch(...args),
    record: (event) => recordEvent(trace, event, { time: clock.wall(), profile: profile(), traceFailure }),
    notify,
  }
}

/** Services for a dry run: no program is started, nothing is sent, nothing is written. */
export function dryRunServices(
  state: StateStore,
  onSkipped: (what: string) => void = () => undefined,
  guard?: Guard,
): PipelineServices {
  // A skipped command counts as a success, so that a dry run reports no false failures.
  const notRun: CommandResult = { exitCode: 0, stdout: '', stderr: '', timedOut: false }
  return {
    state,
    clock: systemClock,
    newId,
    regex: linearRegex,
    runCommand: async (command) => {
      onSkipped(typeof command === 'string' ? command : command.join(' '))
      return notRun
    },
    // Created and dropped, so that a bad description is reported.
    handler: (description) => {
      makeHandler(description)
      const skipped: Handler = (_step, { hook }) => onSkipped(`the reviewer of ${hook}`)
      return skipped
    },
    fetch: async (target) => {
      onSkipped(target instanceof Request ? target.url : String(target))
      return new Response('')
    },
    record: () => undefined,
    notify: () => undefined,
    guard,
    facts: guard === undefined ? undefined : createFactService(state, systemClock),
  }
}

/** Writes an event to the log. A failure to write is reported and has no other effect. */
export function recordEvent(
  trace: Pick<TraceStore, 'append'>,
  {
    component,
    action,
    level,
    message,
    data,
  }: Omit<SupervisionEvent, 'component'> & { readonly component: EventComponent },
  { time, profile, traceFailure = new RepeatedFailure(TRACE_FAILURE) }: RecordedWhen,
): void {
  const hook = typeof data?.hook === 'string' ? data.hook : undefined
  const session = typeof data?.session === 'string' ? data.session : undefined
  const entry = { id: newId(), time, component, action, level, profile, session, hook, reason: message, metadata: data }
  void traceFailure.settle(trace.append(entry))
}

interface RecordedWhen {
  readonly time: number
  readonly profile?: string
  readonly traceFailure?: RepeatedFailure
}

type EventComponent = SupervisionEvent['component'] | 'config' | 'tasks'

const runCommand: SupervisionServices['runCommand'] = async (command, { cwd, timeoutMs, signal, input = '' }) => {
  const [file = '', ...args] = typeof command === 'string' ? ['sh', '-c', command] : command
  if (file === '') return { exitCode: undefined, stdout: '', stderr: 'there is no command to run', timedOut: false }
  const run = { file, args, cwd, env: inheriting(), input, timeoutMs, graceMs: GRACE_MS, signal }
  const { ending, stdout, stderr } = await runToEnd(run)
  return {
    exitCode: ending.kind === 'exit' ? ending.code : undefined,
    stdout: stdout.text,
    stderr: ending.kind === 'not-started' ? `could not be started: ${ending.why}` : stderr.text,
    timedOut: ending.kind === 'timeout',
  }
}
