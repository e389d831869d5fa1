// The feed as it is looked at: what it is narrowed to and which action is open (both in the address), what is selected, whether
// it is paused, and the pages of the past that were fetched.

import { computed, effect, signal, untracked } from '@preact/signals'
import type { ActionsPage } from '../../../src/protocol/views.ts'
import { type Filter, readFilter, writeFilter } from '../model/filter.ts'
import { getJson } from '../net/api.ts'
import { feed, log, onForgotten, rowsVersion } from './live.ts'
import { route, setParams } from './route.ts'

export const isPaused = signal(false)
export const selectedId = signal<string | undefined>(undefined)
/** What became of the past: there may be more, it is fetched, all of it is there, or it could not be had. */
export const pastState = signal<'more' | 'loading' | 'all' | 'failed'>('more')

const query = computed(() => (route.value.page === 'feed' ? route.value.params.toString() : ''))
export const filter = computed(() => readFilter(new URLSearchParams(query.value)))
export const openId = computed(() => route.value.params.get('open') ?? undefined)
const filterKey = computed(() => writeFilter(new URLSearchParams(), filter.value).toString())

const PAGE_ROWS = 200
const MAX_PAGES = 20

/** Where the next page of the past ends; from the oldest that is kept when unset. */
let cursor: number | undefined

// A flood of signs while somebody types: the address keeps up, the history does not grow.
export function setFilter(change: Partial<Filter>): void {
  setParams(writeFilter(route.value.params, { ...filter.value, ...change }), { isReplacing: true })
}

export function openAction(id: string | undefined): void {
  const params = new URLSearchParams(route.value.params)
  if (id === undefined) params.delete('open')
  else params.set('open', id)
  setParams(params, { isReplacing: true })
}

/** Selects the row so many further down, the first when none is; false when there is no row. */
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

/** Fetches what was before, once it is wanted. With a filter a page may hold nothing: then the one before it, too. */
export async function loadPast(): Promise<void> {
  const key = filterKey.value
  let before = cursor ?? log.actions[0]?.seq ?? null
  if (pastState.value !== 'more' || before === null) return
  pastState.value = 'loading'
  try {
    for (let pages = 0, found = 0; found === 0 && before !== null && pages < MAX_PAGES; pages += 1) {
      const page: ActionsPage = await getJson<ActionsPage>(`/v1/actions?${key}&before=${before}&limit=${PAGE_ROWS}`)
      // Meanwhile something else was asked for.
      if (filterKey.value !== key) return
      feed.addPast(page.actions)
      found = page.actions.length
      before = page.next
    }
    cursor = before ?? undefined
    pastState.value = before === null ? 'all' : 'more'
    rowsVersion.value += 1
  } catch {
    // Said on the page, with a way to try again.
    if (filterKey.value === key) pastState.value = 'failed'
  }
}

// The past that was fetched does not join what is kept any more: it is asked for anew.
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

onForgotten(forgetPast)
