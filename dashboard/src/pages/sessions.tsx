// All sessions, or the actions of one session as a waterfall.

import type { ComponentChildren } from 'preact'
import type { Action, SessionDetail, SessionsView, SessionView } from '../../../src/protocol/views.ts'
import { formatAgo, formatClock, formatCount, formatDuration, formatPeriod, formatShare } from '../model/format.ts'
import { clipText, toPlainText } from '../model/visible-text.ts'
import { layOutWaterfall } from '../model/waterfall.ts'
import { ActionPanel } from '../parts/action-panel.tsx'
import { DECISION_LOOKS, DecisionBadge } from '../parts/decision.tsx'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icons.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { SessionList } from '../parts/session-list.tsx'
import { now } from '../state/clock.ts'
import { openAction, openId } from '../state/feed-page.ts'
import { useKeys } from '../state/keyboard.ts'
import { usePolled } from '../state/resource.ts'
import { buildAddress, go, route } from '../state/route.ts'

export function SessionsPage() {
  const { id } = route.value
  return id === undefined ? <SessionsOverview /> : <SessionPage key={id} id={id} />
}

function SessionsOverview() {
  const { data, failure } = usePolled<SessionsView>('/v1/sessions', 3_000)
  return (
    <div class="page" data-page="sessions">
      <div class="inner">
        {failure !== undefined && data === undefined && <p class="callout is-error">{failure.message}</p>}
        {data !== undefined && (
          <section class="panel" aria-label="Sessions">
            <header>
              <h2>Sessions</h2>
              {data.since !== null && <span class="end faint">last {formatPeriod(now.value - data.since)}</span>}
            </header>
            {data.sessions.length === 0 ? (
              <Empty icon="sessions" title="No sessions yet" command="arc install claude">
                Each run of an agent is a session. Connect an agent, or start one under supervision:{' '}
                <code>arc launch default</code>.
              </Empty>
            ) : (
              <SessionList sessions={data.sessions} />
            )}
          </section>
        )}
      </div>
    </div>
  )
}

function SessionPage({ id }: { readonly id: string }) {
  const { data, failure } = usePolled<SessionDetail>(`/v1/sessions/${encodeURIComponent(id)}`, 5_000)
  useKeys({
    close: () => {
      if (openId.value === undefined) go(buildAddress('sessions'))
      else openAction(undefined)
      return true
    },
  })
  return (
    <div class="page whole" data-page="sessions" data-session={id}>
      <div class="split">
        <div class="page">
          <div class="inner">
            <a href={buildAddress('sessions')} class="row">
              ← All sessions
            </a>
            {failure !== undefined && data === undefined && <p class="callout is-error">{failure.message}</p>}
            {data !== undefined && <Head session={data.session} />}
            {data !== undefined && <WaterfallPanel detail={data} />}
          </div>
        </div>
        {openId.value !== undefined && (
          <ActionPanel key={openId.value} id={openId.value} onClose={() => openAction(undefined)} />
        )}
      </div>
    </div>
  )
}

function Head({ session }: { readonly session: SessionView }) {
  const { id, agents, host, workspace, profile, startedAt, lastAt, isActive, endedAt, decisions, coverage } = session
  return (
    <section class="panel session-head" aria-label="Session">
      <div class="row wrap">
        <span class={`live-dot ${isActive ? 'is-on' : ''}`} />
        <strong>
          <SafeText text={clipText(agents.join(', ') || host || 'unknown agent', 120)} isOneLine={true} />
        </strong>
        <span class="mono soft">
          <SafeText text={id} isOneLine={true} />
        </span>
        <span class="tag">{isActive ? 'active' : endedAt === null ? 'inactive' : 'ended'}</span>
        <a class="button end-of" href={buildAddress('feed', undefined, { session: id })}>
          Show in feed
        </a>
      </div>
      <div class="row wrap soft">
        <span>{formatPeriod((endedAt ?? lastAt) - startedAt)}</span>
        <span>· last {formatAgo(lastAt, now.value)}</span>
        {coverage.calls > 0 && <span>· {formatShare(coverage.supervised, coverage.calls)} of calls checked first</span>}
        {workspace !== null && (
          <span class="mono">
            · <SafeText text={workspace} isOneLine={true} />
          </span>
        )}
        {profile !== null && <span>· profile {profile}</span>}
        <span class="row end-of">
          {DECISION_LOOKS.filter((key) => decisions[key] > 0).map((key) => (
            <DecisionBadge key={key} tone={key} word={`${formatCount(decisions[key])} ${key}`} />
          ))}
        </span>
      </div>
    </section>
  )
}

function WaterfallPanel({ detail: { actions, isCut, events } }: { readonly detail: SessionDetail }) {
  const { bars, pauses } = layOutWaterfall(actions)
  return (
    <section class="panel" aria-label="Waterfall">
      <header>
        <h2>Actions</h2>
        <span class="end faint">
          {formatCount(actions.length)} actions{isCut && ', newest only'}
          {pauses.length > 0 && ' · long pauses shortened'}
        </span>
      </header>
      <ol class="waterfall">
        {actions.map((action, index) => (
          <WaterfallRow key={action.id} action={action} bar={bars[index] ?? { left: 0, width: 0 }}>
            {pauses.map(({ left, ms }) => (
              <i
                key={left}
                class="pause-mark"
                style={{ left: `${left * 100}%` }}
                title={`pause of ${formatPeriod(ms)}`}
              />
            ))}
          </WaterfallRow>
        ))}
      </ol>
      {events.length > 0 && (
        <ul class="body events">
          {events.map(({ id, time, action, reason }) => (
            <li key={id}>
              <span class="faint mono">{formatClock(Date.parse(time))}</span> <span class="mono">{action}</span>{' '}
              {reason !== undefined && <SafeText text={reason} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

interface RowProps {
  readonly action: Action
  readonly bar: { readonly left: number; readonly width: number }
  readonly children: ComponentChildren
}

function WaterfallRow({ action, bar, children }: RowProps) {
  const { id, time, tool, point, preview, decision, ranMs, durationMs, isEdited } = action
  const took = ranMs === undefined ? `hooks ${formatDuration(durationMs)}` : formatDuration(ranMs)
  return (
    <li>
      <button
        type="button"
        class={`waterfall-row is-${decision}`}
        data-row={id}
        aria-pressed={openId.value === id}
        onClick={() => openAction(id)}
      >
        <span class="mono faint w-time">{formatClock(Date.parse(time), { hasMs: false })}</span>
        <DecisionBadge tone={decision} />
        <span class="clip w-what" title={toPlainText(preview)}>
          <strong>
            <SafeText text={clipText(tool ?? point, 40)} isOneLine={true} />
          </strong>{' '}
          <span class="mono soft">
            <SafeText text={preview} isOneLine={true} />
          </span>
          {isEdited && <Icon name="edit" size={12} />}
        </span>
        <span class="track" aria-hidden="true">
          {children}
          <i class="bar-fill" style={{ left: `${bar.left * 100}%`, width: `max(3px, ${bar.width * 100}%)` }} />
        </span>
        <span class="mono faint w-took">{took}</span>
      </button>
    </li>
  )
}
