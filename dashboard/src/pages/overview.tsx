// How things stand, at a glance: what is supervised, what was decided, who works now, and what needs a person.

import { useSignal } from '@preact/signals'
import type { Overview } from '../../../src/protocol/views.ts'
import { formatCount, formatShare, formatSpan, plural } from '../model/format.ts'
import { fillBuckets } from '../model/stack.ts'
import { Breaker } from '../parts/breaker.tsx'
import { DECISIONS, Decision } from '../parts/decision.tsx'
import { DecisionsPlot } from '../parts/decisions-plot.tsx'
import { Empty } from '../parts/empty.tsx'
import { MiniFeed } from '../parts/mini-feed.tsx'
import { Mode } from '../parts/mode.tsx'
import { Needs } from '../parts/needs.tsx'
import { SessionList } from '../parts/session-list.tsx'
import { pulse } from '../state/live.ts'
import { addressOf } from '../state/route.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export function OverviewPage() {
  const figures = pulse.value
  return (
    <div class="page" data-page="overview">
      {figures !== undefined && (
        <div class="inner">
          <Cards figures={figures} />
          <Needs needs={figures.needs} />
          <OverTime figures={figures} />
          <div class="columns">
            <Sessions figures={figures} />
            <Notable />
          </div>
        </div>
      )}
    </div>
  )
}

function Cards({ figures }: { readonly figures: Overview }) {
  const { hooks, enforcement, decisions, coverage, breaker, uptimeMs, since } = figures
  const off = hooks.filter(({ enabled }) => !enabled).length
  return (
    <div class="cards">
      <section class="panel card summary" data-card="summary" aria-label="Summary">
        <div>
          <h3>Hooks</h3>
          <a class="big" href={addressOf('pipeline')} data-figure="hooks">
            {hooks.length}
          </a>
          <span class="soft">{off === 0 ? 'all on' : `${off} off`}</span>
        </div>
        <div>
          <h3>Enforcement</h3>
          <span class="big" data-figure="mode">
            <Mode mode={enforcement} />
          </span>
          <span class="soft">profile {figures.profile}</span>
        </div>
        <div class="grow">
          <h3>Decisions, last hour</h3>
          <div class="counts">
            {DECISIONS.map((key) => (
              <a key={key} href={addressOf('feed', undefined, { decision: key })} data-figure={key}>
                <span class="big">{formatCount(decisions.hour[key])}</span>
                <Decision tone={key} />
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
            ? 'no tool call seen yet'
            : `${formatCount(coverage.supervised)} of ${plural(coverage.calls, 'call')} seen before they ran`}
        </span>
      </section>
      <section class="panel card" data-card="breaker" aria-label="Breaker">
        <h3>Breaker</h3>
        <Breaker breaker={breaker} />
        <span class="faint card-foot">
          up {formatSpan(uptimeMs)}
          {since === null && ', nothing recorded yet'}
        </span>
      </section>
    </div>
  )
}

function OverTime({ figures }: { readonly figures: Overview }) {
  const isDay = useSignal(false)
  const { minutes, hours, now } = figures
  const buckets = isDay.value
    ? fillBuckets(hours, { stepMs: HOUR_MS, count: 24, until: now })
    : fillBuckets(minutes, { stepMs: MINUTE_MS, count: 60, until: now })
  return (
    <section class="panel" data-card="over-time" aria-label="Decisions over time">
      <header>
        <h2>Decisions over time</h2>
        <div class="end segments" role="group" aria-label="Span of time">
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
          noun={isDay.value ? 'verdicts of hooks' : 'steps'}
        />
      </div>
    </section>
  )
}

function Sessions({ figures: { sessions } }: { readonly figures: Overview }) {
  return (
    <section class="panel" data-card="sessions" aria-label="Agents and sessions now">
      <header>
        <h2>Agents and sessions now</h2>
        <span class="end soft">{plural(sessions.filter(({ isActive }) => isActive).length, 'active session')}</span>
      </header>
      {sessions.length === 0 ? (
        <Empty icon="sessions" title="No agent works right now" command="arc install claude">
          Connect the agent you use. What it does appears here within a second.
        </Empty>
      ) : (
        <SessionList sessions={sessions.slice(0, 8)} />
      )}
    </section>
  )
}

function Notable() {
  return (
    <section class="panel" data-card="notable" aria-label="Latest flags, questions and blocks">
      <header>
        <h2>Latest flags, questions and blocks</h2>
        <a class="end" href={addressOf('feed', undefined, { decision: 'flag,ask,block' })}>
          All
        </a>
      </header>
      <MiniFeed count={8} isWanted={({ decision }) => decision !== 'pass'} />
    </section>
  )
}
