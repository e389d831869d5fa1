// A list of sessions; each row links to the session's waterfall.

import type { SessionView } from '../../../src/protocol/views.ts'
import { formatAgo, formatCount, formatShare } from '../model/format.ts'
import { clipText } from '../model/visible-text.ts'
import { now } from '../state/clock.ts'
import { buildAddress } from '../state/route.ts'
import { DECISION_LOOKS, DecisionBadge } from './decision.tsx'
import { SafeText } from './safe-text.tsx'

export function SessionList({ sessions }: { readonly sessions: readonly SessionView[] }) {
  return (
    <ul class="session-list">
      {sessions.map((session) => (
        <li key={session.id}>
          <SessionRow session={session} />
        </li>
      ))}
    </ul>
  )
}

function SessionRow({ session }: { readonly session: SessionView }) {
  const { id, host, agents, isActive, lastAt, steps, decisions, coverage, lastTool, lastPreview } = session
  return (
    <a class="session-row" href={buildAddress('sessions', id)} data-session={id}>
      <span class={`live-dot ${isActive ? 'is-on' : ''}`} title={isActive ? 'active' : 'inactive'}>
        <span class="sr">{isActive ? 'active' : 'inactive'}</span>
      </span>
      <span class="session-who">
        <strong class="clip">
          <SafeText text={clipText(agents.join(', ') || host || 'unknown agent', 60)} isOneLine={true} />
        </strong>
        <span class="faint mono clip">
          <SafeText text={clipText(id, 60)} isOneLine={true} />
        </span>
      </span>
      <span class="session-last clip mono soft">
        {lastTool !== null && (
          <span class="faint">
            <SafeText text={lastTool} isOneLine={true} />{' '}
          </span>
        )}
        <SafeText text={lastPreview} isOneLine={true} />
      </span>
      <span class="session-counts">
        {DECISION_LOOKS.filter((key) => key !== 'pass' && decisions[key] > 0).map((key) => (
          <DecisionBadge key={key} tone={key} word={`${formatCount(decisions[key])} ${key}`} />
        ))}
      </span>
      <span class="session-figures faint">
        {formatCount(steps)} {steps === 1 ? 'step' : 'steps'}
        {coverage.calls > 0 && ` · ${formatShare(coverage.supervised, coverage.calls)} checked first`}
      </span>
      <span class="session-age faint">{formatAgo(lastAt, now.value)}</span>
    </a>
  )
}
