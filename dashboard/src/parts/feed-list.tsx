// A virtual list of up to a hundred thousand rows. At the top it follows new rows; scrolled down it stays in place and
// counts the new rows.

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Action } from '../../../src/protocol/views.ts'
import { computeWindow, scrollToRow } from '../model/virtual-window.ts'
import { isPaused, selectedId } from '../state/feed-page.ts'
import { feed, freshFrom, rowsVersion } from '../state/live.ts'
import { isNarrow } from '../state/screen.ts'
import { FeedRow, rowId } from './feed-row.tsx'
import { Icon } from './icons.tsx'

const ROW = { wide: 34, narrow: 58 } as const
const OVERSCAN = 8
const NEAR_END_ROWS = 30

interface Props {
  readonly onOpen: (action: Action) => void
  /** Called near the end: older rows may exist. */
  readonly onNearEnd: () => void
}

export function FeedList({ onOpen, onNearEnd }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const scrollTop = useSignal(0)
  const viewHeight = useSignal(600)
  useViewHeight(box, viewHeight)
  void rowsVersion.value
  const isAway = scrollTop.value > 4
  const isFrozen = isPaused.value || isAway
  if (isFrozen) feed.hold()
  else feed.release()
  const rowHeight = isNarrow.value ? ROW.narrow : ROW.wide
  const geometry = { count: feed.count, rowHeight, scrollTop: scrollTop.value, viewHeight: viewHeight.value }
  const { start, end, offset, totalHeight } = computeWindow({ ...geometry, overscan: OVERSCAN })
  const rows = Array.from({ length: end - start }, (_, index) => feed.at(start + index)).filter(
    (row) => row !== undefined,
  )
  // Elements are reused: rows that scroll out give theirs to rows that scroll in.
  const slots = Math.ceil(viewHeight.value / rowHeight) + 2 * OVERSCAN + 2
  useEffect(() => {
    if (end > feed.count - NEAR_END_ROWS) onNearEnd()
  }, [end, onNearEnd])
  useScrollToSelected(box, { ...geometry, overscan: OVERSCAN })
  return (
    <div class="feed-list">
      <UnreadPill
        isShown={feed.unread > 0}
        onClick={() => {
          isPaused.value = false
          box.current?.scrollTo({ top: 0 })
        }}
      />
      <div
        class="feed-scroll"
        ref={box}
        role="grid"
        aria-label="Actions, newest first"
        aria-rowcount={-1}
        aria-activedescendant={selectedId.value === undefined ? undefined : rowId(selectedId.value)}
        tabIndex={0}
        onScroll={(event) => {
          scrollTop.value = event.currentTarget.scrollTop
        }}
      >
        <div class="feed-space" style={{ height: `${totalHeight}px` }}>
          <div class="feed-rows" style={{ transform: `translateY(${offset}px)` }}>
            {rows.map((action, index) => (
              <FeedRow
                key={(feed.count - start - index) % slots}
                action={action}
                isSelected={action.id === selectedId.value}
                isFresh={action.seq >= freshFrom.value}
                onOpen={onOpen}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function UnreadPill({ isShown, onClick }: { readonly isShown: boolean; readonly onClick: () => void }) {
  if (!isShown) return null
  return (
    <button type="button" class="unread" onClick={onClick} data-unread={feed.unread}>
      <Icon name="up" size={13} />
      {feed.unread} new
    </button>
  )
}

function useViewHeight(box: { readonly current: HTMLElement | null }, height: { value: number }): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    height.value = element.clientHeight
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, height])
}

// Scrolls only when the selection changes, not when rows arrive.
function useScrollToSelected(
  box: { readonly current: HTMLElement | null },
  geometry: Parameters<typeof scrollToRow>[1],
): void {
  const id = selectedId.value
  useEffect(() => {
    const index = id === undefined ? -1 : feed.indexOf(id)
    if (index >= 0)
      box.current?.scrollTo({ top: scrollToRow(index, { ...geometry, scrollTop: box.current.scrollTop }) })
  }, [id])
}
