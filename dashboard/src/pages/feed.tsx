// The live feed of actions, and the details of one action.

import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { Action } from '../../../src/protocol/views.ts'
import { isFiltering, NO_FILTER } from '../model/filter.ts'
import { ActionPanel } from '../parts/action-panel.tsx'
import { Empty } from '../parts/empty.tsx'
import { FeedFilters } from '../parts/feed-filters.tsx'
import { FeedList } from '../parts/feed-list.tsx'
import {
  filter,
  isPaused,
  loadPast,
  moveSelection,
  openAction,
  openId,
  pastState,
  selectedId,
  setFilter,
} from '../state/feed-page.ts'
import { useKeys } from '../state/keyboard.ts'
import { feed, lostRecords, rowsVersion } from '../state/live.ts'

export function FeedPage() {
  const search = useRef<HTMLInputElement>(null)
  useFeedKeys(search)
  useEffect(() => {
    selectedId.value ??= openId.peek()
  }, [])
  return (
    <div class="page whole" data-page="feed">
      <FeedFilters searchRef={search} />
      {lostRecords.value > 0 && (
        <p class="notice is-flag">{lostRecords.value} records were deleted before this page could read them.</p>
      )}
      <div class="split">
        <Rows />
        {openId.value !== undefined && (
          <ActionPanel key={openId.value} id={openId.value} onClose={() => openAction(undefined)} />
        )}
      </div>
    </div>
  )
}

// A separate component, so that a new row does not render the whole page again.
function Rows() {
  const open = useCallback(({ id }: Action) => {
    selectedId.value = id
    openAction(id)
  }, [])
  const nearEnd = useCallback(() => void loadPast(), [])
  void rowsVersion.value
  return (
    <div class="feed-main">
      <Heads />
      {feed.count === 0 ? <NoRows /> : <FeedList onOpen={open} onNearEnd={nearEnd} />}
      <PastNote />
    </div>
  )
}

function useFeedKeys(search: { readonly current: HTMLInputElement | null }): void {
  useKeys({
    search: () => {
      search.current?.focus()
      search.current?.select()
      return true
    },
    next: () => moveSelection(1),
    previous: () => moveSelection(-1),
    first: () => moveSelection(Number.NEGATIVE_INFINITY),
    last: () => moveSelection(Number.POSITIVE_INFINITY),
    open: () => {
      if (selectedId.value === undefined) return false
      openAction(selectedId.value)
      return true
    },
    close: () => {
      if (openId.value !== undefined) openAction(undefined)
      else selectedId.value = undefined
      return true
    },
    pause: () => {
      isPaused.value = !isPaused.value
      return true
    },
  })
}

function Heads() {
  return (
    <div class="feed-row feed-heads" aria-hidden="true">
      <span class="c-time">Time</span>
      <span class="c-decision">Decision</span>
      <span class="c-agent">Agent</span>
      <span class="c-tool">Tool</span>
      <span class="c-preview">Action</span>
      <span class="c-marks" />
      <span class="c-hook">Hook</span>
      <span class="c-duration">Hook time</span>
    </div>
  )
}

function NoRows() {
  if (!isFiltering(filter.value)) {
    return (
      <Empty icon="feed" title="No actions yet" command="arc install claude">
        Connect an agent to see every message, tool call and file write as it happens. Or run a sample session:{' '}
        <code>arc sample</code>.
      </Empty>
    )
  }
  if (pastState.value === 'more') void loadPast()
  return (
    <Empty icon="search" title={pastState.value === 'loading' ? 'Searching older actions…' : 'No matching actions'}>
      <button type="button" class="button" onClick={() => setFilter(NO_FILTER)}>
        Clear filters
      </button>
    </Empty>
  )
}

function PastNote() {
  if (pastState.value === 'loading') return <p class="past-note faint">Loading older actions…</p>
  if (pastState.value !== 'failed') return null
  return (
    <p class="past-note">
      Older actions could not be loaded.{' '}
      <button
        type="button"
        class="button"
        onClick={() => {
          pastState.value = 'more'
          void loadPast()
        }}
      >
        Try again
      </button>
    </p>
  )
}
