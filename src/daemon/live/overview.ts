// The overview of a daemon: mode, breaker, hooks, counters, sessions, approvals, and what needs attention.

import { readInstalls } from '../../guard/installs.ts'
import type { PipelineHook } from '../../hooks/live-pipeline.ts'
import { HOST_NAMES, type HostName } from '../../hosts/host.ts'
import { readTexts } from '../../hosts/install/apply.ts'
import { findOnDemand, listOnDemand } from '../../hosts/install/registered-events.ts'
import { HOSTS } from '../../hosts/list.ts'
import { findReach } from '../../hosts/reach.ts'
import type { BreakerView, HookView, NeedView, Overview } from '../../protocol/views.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { describeGap } from '../hook-call/reply-notes.ts'
import { buildShortApprovalView } from './approval-view.ts'
import type { DecisionCounters } from './decision-counters.ts'
import type { TraceTail } from './trace-tail.ts'

/** The parts of a daemon that an overview reads. */
export interface OverviewSource {
  readonly home: string
  readonly version: string
  readonly traceTail: TraceTail
  uptimeMs(): number
}

const MAX_SESSIONS = 50
const FIVE_MINUTES = 5
const HOUR_MINUTES = 60
// A hook needs attention above this error rate, after this many runs.
const MAX_ERROR_RATE = 0.2
const MIN_RUNS = 5

/** The overview as of now; its counters as of the last read of the trace. */
export function buildOverview(
  { home, version, traceTail, uptimeMs }: OverviewSource,
  supervisor: Supervisor,
): Overview {
  const now = Date.now()
  const { counters, seq } = traceTail
  const hooks = buildHookViews(supervisor, counters, now, home)
  const approvals = supervisor.approvals.pending()
  const facts = { breaker: buildBreakerView(supervisor), approvals: approvals.map(buildShortApprovalView), hooks }
  return {
    now,
    version,
    profile: supervisor.config.profile,
    enforcement: supervisor.engine.mode,
    ...facts,
    uptimeMs: uptimeMs(),
    isDurable: supervisor.isDurable,
    seq,
    since: counters.since,
    decisions: { hour: counters.countRecent(now, HOUR_MINUTES), fiveMinutes: counters.countRecent(now, FIVE_MINUTES) },
    minutes: counters.minutes(now),
    hours: supervisor.trace.counters({ hours: 24 }).hours.map(({ hour, tally: { pass, flag, ask, block, error } }) => {
      return { at: Date.parse(hour), pass, flag, ask, block, error }
    }),
    coverage: counters.coverage,
    sessions: counters
      .sessions(now)
      .filter(({ isActive }) => isActive)
      .slice(0, MAX_SESSIONS),
    needs: findNeeds(facts, supervisor, counters),
  }
}

/** The hooks of the pipeline with their statistics. `home`: the home with the list of installed agents. */
export function buildHookViews(
  supervisor: Supervisor,
  tally: DecisionCounters,
  now: number,
  home: string,
): readonly HookView[] {
  const installed = readInstalledHosts(home)
  const registered = (name: HostName): readonly string[] => readOnDemand(home, name)
  return supervisor.hooks().map((hook: PipelineHook) => ({
    ...hook,
    reachNote: hook.enabled ? findReach(hook.points, installed, registered).note : undefined,
    stats: tally.hook(hook.name, now),
  }))
}

function readInstalledHosts(home: string): readonly HostName[] {
  const names = new Set(readInstalls(home).map(({ host }) => host))
  return HOST_NAMES.filter((name) => names.has(name))
}

function readOnDemand(home: string, name: HostName): readonly string[] {
  const host = HOSTS[name]
  const installs = readInstalls(home).filter((one) => one.host === name)
  try {
    return installs.flatMap(({ scope, dir, env = {}, files }) =>
      findOnDemand(host, { scope, dir, env }, readTexts(files)),
    )
  } catch {
    // A file that this account cannot read: then nothing is said about its events.
    return listOnDemand(host)
  }
}

/** The breaker of a supervisor. */
export function buildBreakerView(supervisor: Supervisor): BreakerView {
  const { state, failures, threshold, openedAt = null, halfOpenAt = null } = supervisor.breaker()
  return { state, failures, threshold, openedAt, halfOpenAt }
}

type Facts = Pick<Overview, 'breaker' | 'approvals' | 'hooks'>

// The most urgent first: pending approvals, then missing supervision, then risks to it.
function findNeeds({ breaker, approvals, hooks }: Facts, supervisor: Supervisor, tally: DecisionCounters): NeedView[] {
  const needs: NeedView[] = approvals.map(({ id, command, reason }) => {
    const text = `${joinLines(command)} waits for approval${reason === null ? '' : `: ${reason}`}`
    return { kind: 'approval', text, command: `arc approve ${id}`, id }
  })
  if (breaker.state !== 'closed') {
    const text = 'Hooks failed too often in a row: hooks that are not critical only log for now.'
    needs.push({ kind: 'breaker', text, command: 'arc breaker reset' })
  }
  const gap = supervisor.stores.gap()
  if (gap !== undefined) {
    needs.push({ kind: 'durability', text: `The trace cannot be written: ${describeGap(gap)}`, command: 'arc doctor' })
  } else if (!supervisor.isDurable) {
    needs.push({ kind: 'durability', text: 'Nothing is recorded beyond this process.', command: 'arc doctor' })
  }
  for (const { message } of supervisor.problems) needs.push({ kind: 'problem', text: message, command: 'arc doctor' })
  needs.push(...hooks.flatMap(findHookNeeds))
  const { calls, supervised } = tally.coverage
  if (calls > supervised) {
    const text = `${calls - supervised} of ${calls} tool calls ran without supervision.`
    needs.push({ kind: 'unsupervised', text, command: 'arc doctor' })
  }
  return needs
}

function findHookNeeds({ name, enabled, disabled, stats }: HookView): NeedView[] {
  const { runs, errorRate, errors } = stats
  if (enabled && runs >= MIN_RUNS && errorRate > MAX_ERROR_RATE) {
    const text = `${name} failed ${errors} of ${runs} times.`
    return [{ kind: 'failing-hook', text, command: `arc logs --hook ${name} --action hook:error`, id: name }]
  }
  // A hook that the profile disables is intended; a snooze is temporary.
  if (enabled || disabled?.until === undefined) return []
  const text = `${name} is snoozed${disabled.reason === undefined ? '' : `: ${disabled.reason}`}`
  return [{ kind: 'hook-off', text, command: `arc hooks enable ${name}`, id: name }]
}

// All lines on one: the second line must not be missed.
function joinLines(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
