// A row of the feed: an action with its steps before and after. All rows have the same height.

import type { Action } from '../../../src/protocol/views.ts'
import { formatClock, formatDuration } from '../model/format.ts'
import { clipText, toPlainText } from '../model/visible-text.ts'
import { DecisionBadge } from './decision.tsx'
import { Icon } from './icons.tsx'
import { memo } from './memo.ts'
import { SafeText } from './safe-text.tsx'

interface Props {
  readonly action: Action
  readonly isSelected: boolean
  readonly isFresh: boolean
  readonly onOpen: (action: Action) => void
}

/** The element id of an action's row. */
export function rowId(id: string): string {
  return `row-${id}`
}

export const FeedRow = memo(function FeedRow({ action, isSelected, isFresh, onOpen }: Props) {
  const { id, time, tool, point, preview, hook, durationMs, agent, host, session } = action
  const name = agent ?? host ?? '–'
  return (
    // The grid handles the keyboard: j, k and Enter.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <div
      class={`feed-row is-${action.decision}`}
      role="row"
      id={rowId(id)}
      data-row={id}
      data-decision={action.decision}
      data-fresh={isFresh ? '' : undefined}
      aria-selected={isSelected}
      onClick={() => onOpen(action)}
    >
      <span class="c-time mono faint" role="gridcell">
        {formatClock(Date.parse(time))}
      </span>
      <span class="c-decision" role="gridcell">
        <DecisionBadge tone={action.decision} isChip={true} />
      </span>
      <span
        class="c-agent clip"
        role="gridcell"
        title={toPlainText(`${name}${session === undefined ? '' : ` · ${session}`}`)}
      >
        <SafeText text={clipText(name, 40)} isOneLine={true} />
      </span>
      <span class="c-tool clip" role="gridcell">
        <SafeText text={clipText(tool ?? point, 40)} isOneLine={true} />
      </span>
      <span class="c-preview clip mono" role="gridcell">
        <SafeText text={preview} isOneLine={true} />
      </span>
      <Marks action={action} />
      <span class="c-hook clip faint" role="gridcell">
        {hook !== undefined && action.decision !== 'pass' && <SafeText text={hook} isOneLine={true} />}
      </span>
      <span class="c-duration mono faint" role="gridcell">
        {formatDuration(durationMs)}
      </span>
    </div>
  )
})

// Icons with a tooltip and a text for screen readers.
function Marks({ action }: { readonly action: Action }) {
  const { wouldBlock, isEdited, isUnsupervised, steps } = action
  const hasFailed = steps.some(({ verdicts }) => verdicts.some(({ isError }) => isError === true))
  return (
    <span class="c-marks" role="gridcell">
      {wouldBlock !== undefined && (
        <span class="tag is-block would" title={`${toPlainText(wouldBlock)} would block in enforce mode`}>
          would block
        </span>
      )}
      {hasFailed && (
        <span class="decision is-error" title="a hook failed">
          <Icon name="error" size={13} />
          <span class="sr">a hook failed</span>
        </span>
      )}
      {isEdited && (
        <span class="decision is-ask" title="edited by a hook">
          <Icon name="edit" size={13} />
          <span class="sr">edited by a hook</span>
        </span>
      )}
      {isUnsupervised && (
        <span class="decision is-flag" title="ran without supervision">
          <Icon name="eye" size={13} />
          <span class="sr">ran without supervision</span>
        </span>
      )}
    </span>
  )
}
