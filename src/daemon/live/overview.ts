// The state of things in one view: what the overview shows, and what the stream sends when it changed.

import type { PipelineHook } from '../../hooks/live-pipeline.ts'
import type { BreakerView, HookView, NeedView, Overview } from '../../protocol/views.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { buildShortApprovalView } from './approval-view.ts'
import type { DecisionCounters } from './decision-counters.ts'
import type { TraceTail } from './trace-tail.ts'

/** What a pulse is taken from. */
export interface OverviewSource {
  readonly version: string
  readonly traceTail: TraceTail
  uptimeMs(): number
}

const MAX_SESSIONS = 50
const FIVE = 5
const HOUR = 60
// A hook that fails more often than this, over enough runs to say so, needs somebody.
const FAILING_SHARE = 0.2
const FAILING_RUNS = 5

/** The state of things, as of now and of the last reading. */
export function buildOverview({ version, traceTail, uptimeMs }: OverviewSource, supervisor: Supervisor): Overview {
  const now = Date.now()
  const { counters, seq } = traceTail
  const hooks = buildHookViews(supervisor, counters, now)
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
    decisions: { hour: counters.countRecent(now, HOUR), fiveMinutes: counters.countRecent(now, FIVE) },
    minutes: counters.minutes(now),
    hours: supervisor.trace.counters({ hours: 24 }).hours.map(({ hour, tally: { pass, flag, ask, block, error } }) => {
      return { at: Date.parse(hour), pass, flag, ask, block, error }
    }),
    coverage: counters.coverage,
    sessions: counters
      .sessions(now)
      .filter(({ isActive }) => isActive)
      .slice(0, MAX_SESSIONS),
    needs: needsOf(facts, supervisor, counters),
  }
}

/** The pipeline with how each hook has done. */
export function buildHookViews(supervisor: Supervisor, tally: DecisionCounters, now: number): readonly HookView[] {
  return supervisor.hooks().map((hook: PipelineHook) => ({ ...hook, stats: tally.hook(hook.name, now) }))
}

/** The breaker as it is shown. */
export function buildBreakerView(supervisor: Supervisor): BreakerView {
  const { state, failures, threshold, openedAt = null, halfOpenAt = null } = supervisor.breaker()
  return { state, failures, threshold, openedAt, halfOpenAt }
}

type Facts = Pick<Overview, 'breaker' | 'approvals' | 'hooks'>

// The most urgent first: somebody waits, then what does not supervise, then what might not.
function needsOf({ breaker, approvals, hooks }: Facts, supervisor: Supervisor, tally: DecisionCounters): NeedView[] {
  const needs: NeedView[] = approvals.map(({ id, command, reason }) => {
    const text = `${oneLine(command)} waits for a yes or no${reason === null ? '' : `: ${reason}`}`
    return { kind: 'approval', text, command: `arc approvals approve ${id}`, id }
  })
  if (breaker.state !== 'closed') {
    const text = 'Hooks failed too often in a row: those that are not critical only log for now.'
    needs.push({ kind: 'breaker', text, command: 'arc breaker reset' })
  }
  if (!supervisor.isDurable) {
    needs.push({ kind: 'durability', text: 'Nothing is recorded beyond this process.', command: 'arc doctor' })
  }
  for (const { message } of supervisor.problems) needs.push({ kind: 'problem', text: message, command: 'arc doctor' })
  needs.push(...hooks.flatMap(needsOfHook))
  const { calls, supervised } = tally.coverage
  if (calls > supervised) {
    const text = `${calls - supervised} of ${calls} tool calls ran without having been asked about.`
    needs.push({ kind: 'unsupervised', text, command: 'arc doctor' })
  }
  return needs
}

function needsOfHook({ name, enabled, disabled, stats }: HookView): NeedView[] {
  const { runs, errorRate, errors } = stats
  if (enabled && runs >= FAILING_RUNS && errorRate > FAILING_SHARE) {
    const text = `${name} failed ${errors} of ${runs} times.`
    return [{ kind: 'failing-hook', text, command: `arc logs --hook ${name} --action hook:error`, id: name }]
  }
  // What the profile switched off for good is as it should be; a snooze ends.
  if (enabled || disabled?.until === undefined) return []
  const text = `${name} is switched off for a while${disabled.reason === undefined ? '' : `: ${disabled.reason}`}`
  return [{ kind: 'hook-off', text, command: `arc hooks enable ${name}`, id: name }]
}

// All of its lines as one: what stands in the second is not to be missed.
function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
