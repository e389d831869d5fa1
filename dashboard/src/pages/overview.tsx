// The overview: hooks, mode, decisions, coverage, active sessions, and what needs attention.

import { useSignal } from '@preact/signals'
import type { Overview } from '../../../src/protocol/views.ts'
import { formatCount, formatPeriod, formatShare, plural } from '../model/format.ts'
import { fillBuckets } from '../model/stack.ts'
import { Breaker } from '../parts/breaker.tsx'
import { DECISION_LOOKS, DecisionBadge } from '../parts/decision.tsx'
import { DecisionsPlot } from '../parts/decisions-plot.tsx'
import { Empty } from '../parts/empty.tsx'
import { MiniFeed } from '../parts/mini-feed.tsx'
import { ModeBadge } from '../parts/mode.tsx'
import { Needs } from '../parts/needs.tsx'
import { SessionList } from '../parts/session-list.tsx'
import { overview } from '../state/live.ts'
import { buildAddress } from '../state/route.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export function OverviewPage() {
  const data = overview.value
  return (
    <div class="page" data-page="overview">
      {data !== undefined && (
        <div class="inner">
          <Cards data={data} />
          <Needs needs={data.needs} />
          <OverTime data={data} />
          <div class="columns">
            <Sessions data={data} />
            <Notable />
          </div>
        </div>
      )}
    </div>
  )
}

function Cards({ data }: { readonly data: Overview }) {
  const { hooks, enforcement, decisions, coverage, breaker, uptimeMs, since } = data
  const off = hooks.filter(({ enabled }) => !enabled).length
  return (
    <div class="cards">
      <section class="panel card summary" data-card="summary" aria-label="Summary">
        <div>
          <h3>Hooks</h3>
          <a class="big" href={buildAddress('pipeline')} data-figure="hooks">
            {hooks.length}
          </a>
          <span class="soft">{off === 0 ? 'all enabled' : `${off} disabled`}</span>
        </div>
        <div>
          <h3>Enforcement</h3>
          <span class="big" data-figure="mode">
            <ModeBadge mode={enforcement} />
          </span>
          <span class="soft">profile {data.profile}</span>
        </div>
        <div class="grow">
          <h3>Decisions, last hour</h3>
          <div class="counts">
            {DECISION_LOOKS.map((key) => (
              <a key={key} href={buildAddress('feed', undefined, { decision: key })} data-figure={key}>
                <span class="big">{formatCount(decisions.hour[key])}</span>
                <DecisionBadge tone={key} />
              </a>
            ))}
          </div>
        </div>
      </section>
      <section class="panel card" data-card="coverage" aria-label="Coverage">
        <h3>Coverage</h3>
        <span class="big">{formatShare(coverage.supervised, coverage.calls)}</span>
        <span class="meter" aria-hidden="true">
          <i style={{ width: `${coverage.calls === 0 ? 0 : (100 * coverage.supervised) / coverage.calls}%` }} />
        </span>
        <span class="soft">
          {coverage.calls === 0
            ? 'no tool calls yet'
            : `${formatCount(coverage.supervised)} of ${plural(coverage.calls, 'call')} checked before they ran`}
        </span>
      </section>
      <section class="panel card" data-card="breaker" aria-label="Breaker">
        <h3>Breaker</h3>
        <Breaker breaker={breaker} />
        <span class="faint card-foot">
          up {formatPeriod(uptimeMs)}
          {since === null && ', no records yet'}
        </span>
      </section>
    </div>
  )
}

function OverTime({ data }: { readonly data: Overview }) {
  const isDay = useSignal(false)
  const { minutes, hours, now } = data
  const buckets = isDay.value
    ? fillBuckets(hours, { stepMs: HOUR_MS, count: 24, until: now })
    : fillBuckets(minutes, { stepMs: MINUTE_MS, count: 60, until: now })
  return (
    <section class="panel" data-card="over-time" aria-label="Decisions over time">
      <header>
        <h2>Decisions over time</h2>
        <div class="end segments" role="group" aria-label="Time range">
          <button type="button" aria-pressed={!isDay.value} onClick={() => (isDay.value = false)}>
            1 hour
          </button>
          <button type="button" aria-pressed={isDay.value} onClick={() => (isDay.value = true)}>
            24 hours
          </button>
        </div>
      </header>
      <div class="body plot-body">
        <DecisionsPlot
          buckets={buckets}
          stepMs={isDay.value ? HOUR_MS : MINUTE_MS}
          noun={isDay.value ? 'hook verdicts' : 'steps'}
        />
      </div>
    </section>
  )
}

function Sessions({ data: { sessions } }: { readonly data: Overview }) {
  return (
    <section class="panel" data-card="sessions" aria-label="Active sessions">
      <header>
        <h2>Active sessions</h2>
        <span class="end soft">{plural(sessions.filter(({ isActive }) => isActive).length, 'session')}</span>
      </header>
      {sessions.length === 0 ? (
        <Empty icon="sessions" title="No active session" command="arc install claude">
          Connect an agent: its actions appear here within a second.
        </Empty>
      ) : (
        <SessionList sessions={sessions.slice(0, 8)} />
      )}
    </section>
  )
}

function Notable() {
  return (
    <section class="panel" data-card="notable" aria-label="Latest flags, approvals and blocks">
      <header>
        <h2>Latest flags, approvals and blocks</h2>
        <a class="end" href={buildAddress('feed', undefined, { decision: 'flag,ask,block' })}>
          All
        </a>
      </header>
      <MiniFeed count={8} isWanted={({ decision }) => decision !== 'pass'} />
    </section>
  )
}
