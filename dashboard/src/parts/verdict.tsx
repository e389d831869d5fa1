// A hook's verdict: decision, mode, reason, evidence and edits.

import type { EvidenceView, VerdictDetail } from '../../../src/protocol/views.ts'
import { formatDuration } from '../model/format.ts'
import { toReadable } from '../model/step-text.ts'
import { DecisionBadge, type Tone } from './decision.tsx'
import { Diff } from './diff.tsx'
import { ModeBadge } from './mode.tsx'
import { SafeText } from './safe-text.tsx'

export function VerdictBadge({ verdict, longestMs }: { readonly verdict: VerdictDetail; readonly longestMs: number }) {
  const { hook, priority, mode, isLowered, durationMs, reason, suggestion, changes, evidence, metadata } = verdict
  const { at, obstacle } = verdict
  const share = Math.max(2, Math.round((durationMs / longestMs) * 100))
  return (
    <li class="verdict" data-hook={hook}>
      <div class="verdict-head">
        <span class="faint mono priority">{priority}</span>
        <strong class="clip">
          <SafeText text={hook} isOneLine={true} />
        </strong>
        {at !== undefined && <span class="faint">at {at}</span>}
        <DecisionBadge tone={findTone(verdict)} word={describeVerdict(verdict)} />
        <span class="end-of row">
          <ModeBadge mode={mode} isLowered={isLowered} />
          <span class="time-bar" aria-hidden="true">
            <i style={{ width: `${share}%` }} />
          </span>
          <span class="faint mono">{formatDuration(durationMs)}</span>
        </span>
      </div>
      {verdict.wouldBlock && (
        <p class="tag is-block would">would {verdict.decision === 'ask' ? 'require approval' : 'block'} in enforce</p>
      )}
      {obstacle !== undefined && (
        <p class="tag is-flag would">
          <SafeText text={obstacle} isOneLine={true} />
        </p>
      )}
      {reason !== undefined && (
        <p class="soft">
          <SafeText text={reason} />
        </p>
      )}
      {suggestion !== undefined && (
        <p class="soft">
          <strong>Instead:</strong> <SafeText text={suggestion} />
        </p>
      )}
      {evidence.map((piece) => (
        <Evidence key={`${piece.rule} ${piece.start ?? ''}`} evidence={piece} />
      ))}
      {changes.map((change) => (
        <Diff key={change.key} change={change} />
      ))}
      {metadata !== undefined && (
        <details>
          <summary>Metadata</summary>
          <pre class="data">
            <SafeText text={toReadable(metadata)} />
          </pre>
        </details>
      )}
    </li>
  )
}

function findTone({ decision, isError, skipped }: VerdictDetail): Tone {
  if (skipped !== undefined) return 'skip'
  return isError === true ? 'error' : decision
}

function describeVerdict({ decision, isError, skipped, applied, cause }: VerdictDetail): string {
  if (skipped !== undefined) return `skipped: ${skipped}`
  if (isError === true) return `${cause.replace('failure:', 'failed: ')}, counts as ${decision}`
  // A flag blocks nothing in any mode, so it is never unapplied.
  return applied || decision === 'pass' || decision === 'flag' ? decision : `${decision}, not applied`
}

function Evidence({ evidence }: { readonly evidence: EvidenceView }) {
  const { rule, tier, effect, reason, alternative, text, start, end, matched } = evidence
  const hasSpan = text !== undefined && start !== undefined && end !== undefined
  return (
    <div class="evidence">
      <div class="row wrap">
        <span class="mono">
          <SafeText text={rule} isOneLine={true} />
        </span>
        <span class="tag">tier {tier}</span>
        <span class="tag">
          <SafeText text={effect} isOneLine={true} />
        </span>
      </div>
      {hasSpan ? (
        <pre>
          <SafeText text={text} spans={[{ start, end }]} />
        </pre>
      ) : (
        matched !== undefined && (
          <pre>
            <SafeText text={matched} spans={[{ start: 0, end: matched.length }]} />
          </pre>
        )
      )}
      <p class="soft">
        <SafeText text={reason} /> {alternative !== undefined && <SafeText text={alternative} />}
      </p>
    </div>
  )
}
