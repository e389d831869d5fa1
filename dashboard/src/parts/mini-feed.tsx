// A short list of the newest actions.

import type { Action } from '../../../src/protocol/views.ts'
import { freshFrom, log, rowsVersion } from '../state/live.ts'
import { buildAddress, go } from '../state/route.ts'
import { FeedRow } from './feed-row.tsx'

interface Props {
  readonly count: number
  readonly isWanted?: (action: Action) => boolean
}

const LOOK_BACK = 5_000

export function MiniFeed({ count, isWanted = () => true }: Props) {
  void rowsVersion.value
  const rows = newest(count, isWanted)
  if (rows.length === 0) return <p class="body soft">No actions yet.</p>
  return (
    <div class="mini-feed" role="grid" aria-label="Newest actions">
      {rows.map((action) => (
        <FeedRow
          key={action.id}
          action={action}
          isSelected={false}
          isFresh={action.seq >= freshFrom.value}
          onOpen={openInFeed}
        />
      ))}
    </div>
  )
}

function newest(count: number, isWanted: (action: Action) => boolean): readonly Action[] {
  const found: Action[] = []
  const { actions } = log
  for (let index = actions.length - 1; index >= Math.max(0, actions.length - LOOK_BACK); index -= 1) {
    const action = actions[index]
    if (action !== undefined && isWanted(action)) found.push(action)
    if (found.length === count) break
  }
  return found
}

function openInFeed({ id }: Action): void {
  go(buildAddress('feed', undefined, { open: id }))
}
