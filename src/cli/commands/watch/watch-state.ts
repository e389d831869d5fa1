// What `arc watch` shows, as plain data, and how keys and new records change it. Pure: the effects that a key asks for are
// returned to the caller.

import type { ActionRow } from '../../action-rows.ts'
import { nameDecision } from '../../action-rows.ts'
import { wrapDetails } from './wrap-details.ts'

/** A step that waits for approval. */
export interface HeldItem {
  readonly id: string
  readonly command: string
  readonly project: string
  readonly agent: string
  /** In wall-clock ms. */
  readonly expiresAt: number
}

/** An action of the feed. */
export interface FeedItem {
  readonly id: string
  /** The order of the feed. */
  readonly seq: number
  readonly row: ActionRow
}

/** A text over the feed. */
export interface Details {
  readonly title: string
  readonly lines: readonly string[]
  /** The first visible line. */
  readonly top: number
}

export interface WatchState {
  readonly mode: string
  /** In wall-clock ms. */
  readonly now: number
  /** Undefined before the first read. */
  readonly held: readonly HeldItem[] | undefined
  /** Newest first, at most MAX_ITEMS. */
  readonly items: readonly FeedItem[]
  /** The id of the selected held step or action; undefined: the first one. */
  readonly selected: string | undefined
  readonly filter: string
  /** The filter before it was edited; defined while it is typed. */
  readonly filterBefore: string | undefined
  readonly hidesPassed: boolean
  readonly details: Details | undefined
  /** A line that the next key removes. */
  readonly notice: string | undefined
  /** Why the last read failed. */
  readonly problem: string | undefined
}

/** The size of the terminal. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** New records. */
export interface WatchRead {
  readonly mode: string
  readonly now: number
  readonly held: readonly HeldItem[]
  /** New and changed actions. */
  readonly items: readonly FeedItem[]
  /** The items replace the earlier ones: the database was replaced, or too many records were missed. */
  readonly isReset?: boolean
}

export type WatchEvent =
  | { readonly kind: 'key'; readonly key: string; readonly size: Size }
  | ({ readonly kind: 'read' } & WatchRead)
  | { readonly kind: 'details'; readonly title: string; readonly lines: readonly string[] }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'problem'; readonly text: string }

/** What the caller must do. */
export type WatchEffect =
  | { readonly kind: 'quit'; readonly isInterrupted: boolean }
  | { readonly kind: 'approve' | 'deny' | 'explain'; readonly id: string }
  | { readonly kind: 'bell' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'redraw' }

export interface Reduced {
  readonly state: WatchState
  readonly effect?: WatchEffect
}

/** How many actions are kept. */
export const MAX_ITEMS = 500

/** The state before the first read. */
export const EMPTY_STATE: WatchState = {
  mode: '',
  now: 0,
  held: undefined,
  items: [],
  selected: undefined,
  filter: '',
  filterBefore: undefined,
  hidesPassed: false,
  details: undefined,
  notice: undefined,
  problem: undefined,
}

/**
 * The state after an event.
 * @example
 * const { state, effect } = reduce(before, { kind: 'key', key: 'a', size })
 */
export function reduce(state: WatchState, event: WatchEvent): Reduced {
  if (event.kind === 'read') return addRead(state, event)
  if (event.kind === 'notice') return { state: { ...state, notice: event.text } }
  if (event.kind === 'problem') return { state: { ...state, problem: event.text } }
  if (event.kind === 'details') return { state: { ...state, details: { ...event, top: 0 } } }
  const { key, size } = event
  const shown = { ...state, notice: undefined }
  const always = ALWAYS[key]
  if (always !== undefined) return { state: shown, effect: always }
  if (shown.filterBefore !== undefined) return { state: typeFilter(shown, key) }
  if (shown.details !== undefined) return { state: { ...shown, details: scroll(shown.details, key, size) } }
  return KEYS[key]?.(shown, size) ?? { state: shown }
}

const ALWAYS: Readonly<Record<string, WatchEffect>> = {
  'ctrl-c': { kind: 'quit', isInterrupted: true },
  'ctrl-z': { kind: 'suspend' },
  'ctrl-l': { kind: 'redraw' },
}

function addRead(state: WatchState, { mode, now, held, items, isReset }: WatchRead): Reduced {
  const all = new Map((isReset === true ? [] : state.items).map((item) => [item.id, item]))
  for (const item of items) all.set(item.id, item)
  const changed = items.length > 0 || isReset === true
  const sorted = changed ? [...all.values()].sort((a, b) => b.seq - a.seq).slice(0, MAX_ITEMS) : state.items
  const known = new Set(state.held?.map(({ id }) => id))
  const isNew = state.held !== undefined && held.some(({ id }) => !known.has(id))
  return {
    state: { ...state, mode, now, held, items: sorted, problem: undefined },
    ...(isNew && { effect: { kind: 'bell' } }),
  }
}

/** The actions that match the filter, newest first. */
export function filterItems({ items, filter, hidesPassed }: WatchState): readonly FeedItem[] {
  const wanted = filter.trim().toLowerCase()
  return items.filter(({ row }) => {
    if (hidesPassed && row.decision === 'pass' && row.wouldBe === undefined) return false
    return wanted === '' || readText(row).includes(wanted)
  })
}

function readText(row: ActionRow): string {
  const { agent, project, command, rule, id } = row
  return [nameDecision(row), agent, project, command, rule, id].join('\n').toLowerCase()
}

/** The position of the selected row: held steps first, then the actions. */
export function findSelected(state: WatchState): { readonly ids: readonly string[]; readonly at: number } {
  const ids = [...(state.held ?? []), ...filterItems(state)].map(({ id }) => id)
  return { ids, at: Math.max(0, state.selected === undefined ? 0 : ids.indexOf(state.selected)) }
}

// The title and the last line, and one line that stays visible.
const FIXED_ROWS = 3

function pageRows({ rows }: Size): number {
  return Math.max(1, rows - FIXED_ROWS)
}

type OnKey = (state: WatchState, size: Size) => Reduced

const move =
  (by: (size: Size) => number): OnKey =>
  (state, size) => {
    const { ids, at } = findSelected(state)
    const to = Math.min(ids.length - 1, Math.max(0, at + by(size)))
    // The first row stays the first one when others arrive.
    return { state: { ...state, selected: to <= 0 ? undefined : ids[to] } }
  }

const answer =
  (kind: 'approve' | 'deny'): OnKey =>
  (state) => {
    const held = state.held ?? []
    const { ids, at } = findSelected(state)
    // Without a selected held step the only one is meant.
    const id = held.find((item) => item.id === ids[at])?.id ?? (held.length === 1 ? held[0]?.id : undefined)
    if (id !== undefined) return { state, effect: { kind, id } }
    const notice = held.length === 0 ? 'Nothing waits for approval.' : `Select the held step to ${kind} first.`
    return { state: { ...state, notice } }
  }

const explain: OnKey = (state) => {
  const { ids, at } = findSelected(state)
  const id = ids[at]
  return id === undefined ? { state } : { state, effect: { kind: 'explain', id } }
}

const up = move(() => -1)
const down = move(() => 1)
const first = move(() => Number.NEGATIVE_INFINITY)
const last = move(() => Number.POSITIVE_INFINITY)
const pageDown = move(pageRows)

const KEYS: Readonly<Record<string, OnKey>> = {
  ...{ up, k: up, down, j: down, home: first, g: first, end: last, G: last },
  ...{ pagedown: pageDown, ' ': pageDown, pageup: move((size) => -pageRows(size)) },
  ...{ a: answer('approve'), d: answer('deny'), enter: explain },
  '/': (state) => ({ state: { ...state, filterBefore: state.filter } }),
  p: (state) => ({ state: { ...state, hidesPassed: !state.hidesPassed } }),
  escape: (state) => ({ state: { ...state, filter: '', selected: undefined } }),
  '?': (state) => ({ state: { ...state, details: { title: 'Keys', lines: HELP, top: 0 } } }),
  q: (state) => ({ state, effect: { kind: 'quit', isInterrupted: false } }),
}

const HELP: readonly string[] = [
  'a          approve the selected held step: shows all of it, and asks for yes',
  'd          deny it, with a message for the agent if you like',
  'Enter      why: the step, its arguments, and the verdict of each hook',
  '↑ ↓ j k    select; Page Up, Page Down, Home and End also work',
  '/          filter by text: decision, agent, project, command, rule or id',
  'p          hide or show actions that passed',
  'Esc        clear the filter and the selection',
  'q          quit; Ctrl-Z suspends',
]

const MAX_FILTER = 200

function typeFilter(state: WatchState, key: string): WatchState {
  const { filter } = state
  if (key === 'enter') return { ...state, filterBefore: undefined, selected: undefined }
  if (key === 'escape') return { ...state, filter: state.filterBefore ?? '', filterBefore: undefined }
  if (key === 'ctrl-u') return { ...state, filter: '' }
  if (key === 'backspace') return { ...state, filter: [...filter].slice(0, -1).join('') }
  // Names of keys are longer than a character.
  return [...key].length === 1 ? { ...state, filter: (filter + key).slice(0, MAX_FILTER) } : state
}

const CLOSE = new Set(['q', 'escape', 'enter', '?', 'left'])

// Undefined closes the text.
function scroll(details: Details, key: string, size: Size): Details | undefined {
  if (CLOSE.has(key)) return undefined
  const page = Math.max(1, size.rows - 2)
  const by = SCROLL[key]?.(page) ?? 0
  const max = Math.max(0, wrapDetails(details.lines, size.columns).length - page)
  return { ...details, top: Math.min(max, Math.max(0, details.top + by)) }
}

const SCROLL: Readonly<Record<string, (page: number) => number>> = {
  up: () => -1,
  k: () => -1,
  down: () => 1,
  j: () => 1,
  pageup: (page) => -page,
  pagedown: (page) => page,
  ' ': (page) => page,
  home: () => Number.NEGATIVE_INFINITY,
  g: () => Number.NEGATIVE_INFINITY,
  end: () => Number.POSITIVE_INFINITY,
  G: () => Number.POSITIVE_INFINITY,
}
