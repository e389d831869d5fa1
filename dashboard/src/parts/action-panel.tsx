// The details of an action: its subject, each hook's verdict with evidence and edits, and related events.

import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Action, ActionDetail, EventView, StepDetail } from '../../../src/protocol/views.ts'
import { formatClock, formatDuration } from '../model/format.ts'
import { findMainText } from '../model/step-text.ts'
import { log, rowsVersion } from '../state/live.ts'
import { useResource } from '../state/resource.ts'
import { buildAddress } from '../state/route.ts'
import { CopyCommand } from './copy-command.tsx'
import { DecisionBadge } from './decision.tsx'
import { Diff } from './diff.tsx'
import { Icon } from './icons.tsx'
import { SafeText } from './safe-text.tsx'
import { VerdictBadge } from './verdict.tsx'

export function ActionPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  // Rendered when this action changes, not with every new row.
  const known = useComputed(() => (rowsVersion.value >= 0 ? log.get(id) : undefined)).value
  // Requested again when the action has a new step: the call has ended.
  const { data, failure } = useResource<ActionDetail>(`/v1/actions/${encodeURIComponent(id)}`, known?.steps.length)
  const box = useRef<HTMLElement>(null)
  useEffect(() => box.current?.focus({ preventScroll: true }), [])
  const action = data?.action ?? known
  return (
    <aside class="action-panel" aria-label="Action" data-open={id} ref={box} tabIndex={-1}>
      <header>
        {action !== undefined && <DecisionBadge tone={action.decision} isChip={true} />}
        <h2 class="clip grow">
          <SafeText text={action?.tool ?? action?.point ?? 'Action'} isOneLine={true} />
        </h2>
        <button type="button" class="button quiet icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="panel-body">
        {failure !== undefined && data === undefined && <p class="notice is-error">{failure.message}</p>}
        {action !== undefined && <Summary action={action} detail={data} />}
        {data?.steps.map((step) => (
          <StepSection key={step.step.id} detail={step} />
        ))}
        {data !== undefined && data.events.length > 0 && <Events events={data.events} />}
      </div>
    </aside>
  )
}

function Summary({ action, detail }: { readonly action: Action; readonly detail: ActionDetail | undefined }) {
  const opening = detail?.steps[0]
  const text = (opening === undefined ? undefined : findMainText(opening.data)) ?? action.preview
  const evidence = detail?.steps.flatMap(({ verdicts }) => verdicts.flatMap((verdict) => verdict.evidence)) ?? []
  // Only spans of this text: evidence may be about another text.
  const spans = evidence.flatMap(({ text: analyzed, start, end }) =>
    analyzed === text && start !== undefined && end !== undefined ? [{ start, end }] : [],
  )
  const suggestion = detail?.steps.find((step) => step.suggestion !== undefined)?.suggestion
  const stopped = detail?.steps.find((step) => step.canBeAllowed === true)
  return (
    <section class="stack">
      <pre class="subject">
        <SafeText text={text} spans={spans} />
      </pre>
      {action.reason !== undefined && action.decision !== 'pass' && (
        <p class={`callout is-${action.decision}`}>
          <SafeText text={action.reason} />
          {suggestion !== undefined && (
            <span class="instead">
              <strong>Instead:</strong> <SafeText text={suggestion} />
            </span>
          )}
        </p>
      )}
      {action.wouldBlock !== undefined && (
        <p class="callout is-block">
          <strong>Would block</strong> in enforce mode: <SafeText text={action.wouldBlock} />. In this mode it was only
          recorded.
        </p>
      )}
      <Facts action={action} configuration={opening?.configuration} />
      <CopyCommand command={`arc why ${action.id}`} />
      {stopped !== undefined && (
        <div class="stack">
          <p class="faint">To let it run once, type this in a terminal; --always allows the command in this project:</p>
          <CopyCommand command={`arc allow ${stopped.step.id}`} />
        </div>
      )}
    </section>
  )
}

function Facts({ action, configuration }: { readonly action: Action; readonly configuration: string | undefined }) {
  const { time, agent, host, session, ranMs, durationMs, steps } = action
  const { workspace, profile } = steps[0] ?? {}
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Time', `${time.slice(0, 10)} ${formatClock(Date.parse(time))}`],
    ['Agent', agent === undefined ? host : host === undefined || host === agent ? agent : `${agent} (${host})`],
    ['Workspace', workspace],
    ['Profile', configuration ?? profile],
    ['Hook time', formatDuration(durationMs)],
    ['Tool time', ranMs === undefined ? undefined : formatDuration(ranMs)],
  ]
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <SafeText text={value} isOneLine={true} />
              </dd>
            </div>
          ),
      )}
      {session !== undefined && (
        <div>
          <dt>Session</dt>
          <dd>
            <a href={buildAddress('sessions', session)}>
              <SafeText text={session} isOneLine={true} />
            </a>
          </dd>
        </div>
      )}
    </dl>
  )
}

const PHASES = { before: 'Before the call', after: 'After the call', alone: 'Step' } as const

function StepSection({ detail }: { readonly detail: StepDetail }) {
  const { step, verdicts, changes, data } = detail
  const longest = Math.max(...verdicts.map(({ durationMs }) => durationMs), 0.001)
  return (
    <section class="step">
      <div class="step-head">
        <h3>{PHASES[step.phase]}</h3>
        <span class="faint mono">{step.point}</span>
        <span class="faint mono end-of">{formatClock(Date.parse(step.time))}</span>
      </div>
      {step.isUnsupervised && <p class="callout is-flag">The tool ran without supervision: no hook could block it.</p>}
      {verdicts.length === 0 && <p class="faint">No hooks at this point.</p>}
      <ol class="verdicts">
        {verdicts.map((verdict) => (
          <VerdictBadge key={`${verdict.priority} ${verdict.hook}`} verdict={verdict} longestMs={longest} />
        ))}
      </ol>
      {changes.length > 0 && verdicts.filter((verdict) => verdict.changes.length > 0).length > 1 && (
        <details>
          <summary>All edits</summary>
          {changes.map((change) => (
            <Diff key={change.key} change={change} />
          ))}
        </details>
      )}
      <details>
        <summary>Original data</summary>
        <pre class="data">
          <SafeText text={data} />
        </pre>
      </details>
    </section>
  )
}

function Events({ events }: { readonly events: readonly EventView[] }) {
  return (
    <section class="step">
      <h3>Events</h3>
      <ul class="events">
        {events.map(({ id, time, action, reason }) => (
          <li key={id}>
            <span class="faint mono">{formatClock(Date.parse(time))}</span> <span class="mono">{action}</span>{' '}
            {reason !== undefined && <SafeText text={reason} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
