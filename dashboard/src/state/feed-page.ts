// The state of the feed page: filter and open action (both in the URL), selection, pause, and loaded pages of older actions.

import { computed, effect, signal, untracked } from '@preact/signals'
import type { ActionsPage } from '../../../src/protocol/views.ts'
import { type Filter, readFilter, writeFilter } from '../model/filter.ts'
import { getJson } from '../net/api.ts'
import { feed, log, onTrimmed, rowsVersion } from './live.ts'
import { route, setParams } from './route.ts'

export const isPaused = signal(false)
export const selectedId = signal<string | undefined>(undefined)
/** The state of older actions: more may exist, loading, all loaded, or failed. */
export const pastState = signal<'more' | 'loading' | 'all' | 'failed'>('more')

const query = computed(() => (route.value.page === 'feed' ? route.value.params.toString() : ''))
export const filter = computed(() => readFilter(new URLSearchParams(query.value)))
export const openId = computed(() => route.value.params.get('open') ?? undefined)
const filterKey = computed(() => writeFilter(new URLSearchParams(), filter.value).toString())

const PAGE_ROWS = 200
const MAX_PAGES = 20

/** The end of the next page; default: the oldest row. */
let cursor: number | undefined

// Typing replaces the URL and does not add to the history.
export function setFilter(change: Partial<Filter>): void {
  setParams(writeFilter(route.value.params, { ...filter.value, ...change }), { isReplacing: true })
}

export function openAction(id: string | undefined): void {
  const params = new URLSearchParams(route.value.params)
  if (id === undefined) params.delete('open')
  else params.set('open', id)
  setParams(params, { isReplacing: true })
}

/** Moves the selection by a number of rows; selects the first row without a selection; false without rows. */
export function moveSelection(by: number): boolean {
  const at = selectedId.value === undefined ? -1 : feed.indexOf(selectedId.value)
  const wanted = at < 0 && by !== Number.POSITIVE_INFINITY ? 0 : at + by
  const index = Math.min(Math.max(0, wanted), feed.count - 1)
  const action = feed.at(index)
  if (action === undefined) return false
  selectedId.value = action.id
  if (openId.value !== undefined) openAction(action.id)
  return true
}

/** Loads older actions. A page may have no match for the filter: then the next page is loaded too. */
export async function loadPast(): Promise<void> {
  const key = filterKey.value
  let before = cursor ?? log.actions[0]?.seq ?? null
  if (pastState.value !== 'more' || before === null) return
  pastState.value = 'loading'
  try {
    for (let pages = 0, found = 0; found === 0 && before !== null && pages < MAX_PAGES; pages += 1) {
      const page: ActionsPage = await getJson<ActionsPage>(`/v1/actions?${key}&before=${before}&limit=${PAGE_ROWS}`)
      // The filter has changed meanwhile.
      if (filterKey.value !== key) return
      feed.addPast(page.actions)
      found = page.actions.length
      before = page.next
    }
    cursor = before ?? undefined
    pastState.value = before === null ? 'all' : 'more'
    rowsVersion.value += 1
  } catch {
    // The page shows it with a button to try again.
    if (filterKey.value === key) pastState.value = 'failed'
  }
}

// The loaded pages no longer join the log: they are loaded again.
function forgetPast(): void {
  cursor = undefined
  pastState.value = 'more'
}

effect(() => {
  const wanted = readFilter(new URLSearchParams(filterKey.value))
  untracked(() => {
    feed.filter = wanted
    forgetPast()
    rowsVersion.value += 1
  })
})

onTrimmed(forgetPast)
