// The state of the page: the log of actions and the overview, from a snapshot first and then from the stream. Messages are
// applied once a frame, within a time budget, so that the page stays responsive.

import { batch, signal } from '@preact/signals'
import type { StreamMessage } from '../../../src/protocol/messages.ts'
import type { Action, FeedStep, Overview, Snapshot } from '../../../src/protocol/views.ts'
import { ActionLog, type LogChange } from '../model/action-log.ts'
import { FeedView } from '../model/feed-view.ts'
import { toPlainText } from '../model/visible-text.ts'
import { getJson, isSignedOut, RequestError } from '../net/api.ts'
import { Stream } from '../net/stream.ts'
import { announce } from './announce.ts'
import { setClock } from './clock.ts'

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'reconnecting'; readonly retryAt: number }

export const connection = signal<ConnectionState>({ state: 'connecting' })
export const overview = signal<Overview | undefined>(undefined)
/** Increases when rows change: components read it to render again. */
export const rowsVersion = signal(0)
/** Rows from this record on are highlighted as new. */
export const freshFrom = signal(Number.POSITIVE_INFINITY)
/** The number of records that were deleted before the page could read them. */
export const lostRecords = signal(0)
/** The daemon has another version than this page. */
export const isOutdated = signal(false)
/** Why the snapshot could not be loaded. */
export const loadFailure = signal<string | undefined>(undefined)

export const log = new ActionLog()
export const feed = new FeedView(log)

const RETRY_MS = 2_000
const HIDDEN_FLUSH_MS = 1_000
const FLOOD_GAP_MS = 90
// More waiting steps than this count as a flood.
const FLOOD = 20
const FRESH_MS = 900
// With more new rows than this none is highlighted.
const MAX_FRESH = 40
const BUDGET_MS = 20
const SLICE = 200

let seq = 0
let pageVersion: string | undefined
let waiting: FeedStep[] = []
let latestOverview: Overview | undefined
let isFlushPlanned = false
let isFlood = false
/** The start of the connection, until its first overview. */
let resumedFrom: number | undefined

const trimListeners: (() => void)[] = []

/** Adds a listener for the removal of the oldest rows: loaded pages no longer join the log. */
export function onTrimmed(listener: () => void): void {
  trimListeners.push(listener)
}

const stream = new Stream({
  resumeFrom: () => seq,
  onMessage,
  onOpen: () => {
    resumedFrom = seq
    isSignedOut.value = false
    connection.value = { state: 'live' }
  },
  onBreak: (retryAt) => {
    connection.value = { state: 'reconnecting', retryAt }
  },
  onRefused: () => {
    // A refused WebSocket has no status; a request has.
    getJson('/v1/status').catch(() => undefined)
  },
})

/** Loads the snapshot, then follows the stream from there. */
export async function startLive(): Promise<void> {
  document.addEventListener('visibilitychange', planFlush)
  await loadSnapshot()
  stream.start()
}

async function loadSnapshot(): Promise<void> {
  for (;;) {
    try {
      applySnapshot(await getJson<Snapshot>('/v1/snapshot'))
      return
    } catch (error) {
      loadFailure.value = error instanceof RequestError ? error.message : String(error)
      if (!isSignedOut.value) connection.value = { state: 'reconnecting', retryAt: Date.now() + RETRY_MS }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function applySnapshot({ pulse: data, feed: page, seq: from }: Snapshot): void {
  batch(() => {
    loadFailure.value = undefined
    // The daemon of the first snapshot also served the page.
    pageVersion ??= data.version
    seq = from
    setClock(data.now)
    overview.value = data
    feed.apply(log.add(page.actions.flatMap(({ steps }) => steps)))
    rowsVersion.value += 1
  })
}

function onMessage(message: StreamMessage): void {
  if (message.type === 'feed') {
    for (const step of message.steps) waiting.push(step)
    seq = message.seq
  }
  if (message.type === 'hello') isOutdated.value ||= message.version !== pageVersion
  if (message.type === 'pulse') latestOverview = message.pulse
  if (message.type === 'gap') lostRecords.value += message.to - message.from + 1
  if (message.type === 'feed' || message.type === 'pulse') planFlush()
}

// A hidden page has no frames, so it uses a timer. In a flood ten frames a second are enough.
function planFlush(): void {
  if (isFlushPlanned) return
  isFlushPlanned = true
  const run = (): void => {
    isFlushPlanned = false
    flush()
  }
  const draw = (): void => void requestAnimationFrame(run)
  if (document.hidden) window.setTimeout(run, HIDDEN_FLUSH_MS)
  else if (isFlood) window.setTimeout(draw, FLOOD_GAP_MS)
  else draw()
}

function flush(): void {
  batch(() => {
    if (latestOverview !== undefined) applyOverview(latestOverview)
    latestOverview = undefined
    const newest = log.actions.at(-1)?.seq ?? 0
    const startedAt = performance.now()
    let taken = 0
    const changes: LogChange[] = []
    while (taken < waiting.length && (taken === 0 || performance.now() - startedAt < BUDGET_MS)) {
      const change = log.add(waiting.slice(taken, taken + SLICE))
      feed.apply(change)
      changes.push(change)
      taken += SLICE
    }
    isFlood = waiting.length > FLOOD
    if (changes.length === 0) return
    waiting = waiting.slice(taken)
    if (log.trim({ isHeld: feed.isHeld })) forgetPast()
    highlight(
      changes.flatMap(({ appended }) => appended),
      newest,
    )
    rowsVersion.value += 1
  })
  if (waiting.length > 0) planFlush()
}

function applyOverview(data: Overview): void {
  setClock(data.now)
  const known = new Set(overview.value?.approvals.map(({ id }) => id))
  for (const { id, command } of data.approvals) {
    if (!known.has(id)) announce(`Waiting for approval: ${toPlainText(command).slice(0, 120)}.`)
  }
  overview.value = data
  // The trace is shorter than what was read: it was restarted.
  const isOther = resumedFrom !== undefined && data.seq < resumedFrom
  resumedFrom = undefined
  if (isOther) startOver()
}

function forgetPast(): void {
  feed.forgetPast()
  for (const listener of trimListeners) listener()
}

function startOver(): void {
  log.clear()
  forgetPast()
  seq = 0
  loadSnapshot()
    .then(() => stream.restart())
    .catch(() => undefined)
}

function highlight(appended: readonly Action[], newest: number): void {
  for (const { decision, blocked, tool, preview, hook } of appended.slice(-MAX_FRESH)) {
    if (blocked) announce(`Blocked by ${hook ?? 'a hook'}: ${toPlainText(`${tool ?? ''} ${preview}`).slice(0, 120)}.`)
    else if (decision === 'ask') announce(`Needs approval: ${toPlainText(`${tool ?? ''} ${preview}`).slice(0, 120)}.`)
  }
  if (appended.length === 0 || appended.length > MAX_FRESH) return
  freshFrom.value = Math.min(freshFrom.value, newest + 1)
  const mark = log.actions.at(-1)?.seq ?? 0
  window.setTimeout(() => {
    if (freshFrom.value <= mark) freshFrom.value = mark + 1
  }, FRESH_MS)
}
