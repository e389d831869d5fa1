// What the page knows: the log of actions and the figures, from a snapshot first and from the stream afterwards. Messages are
// gathered and taken in once a frame, within a budget, so that a flood never makes the page stand still.

import { batch, signal } from '@preact/signals'
import type { StreamMessage } from '../../../src/protocol/messages.ts'
import type { Action, FeedStep, Overview, Snapshot } from '../../../src/protocol/views.ts'
import { ActionLog, type LogChange } from '../model/action-log.ts'
import { FeedView } from '../model/feed-view.ts'
import { plainOf } from '../model/visible-text.ts'
import { getJson, isSignedOut, RequestError } from '../net/api.ts'
import { Stream } from '../net/stream.ts'
import { announce } from './announce.ts'
import { setClock } from './clock.ts'

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'reconnecting'; readonly retryAt: number }

export const connection = signal<Connection>({ state: 'connecting' })
export const pulse = signal<Overview | undefined>(undefined)
/** Rises whenever rows changed: read it to be drawn again. */
export const rowsVersion = signal(0)
/** Rows after this place have only just come. */
export const freshFrom = signal(Number.POSITIVE_INFINITY)
/** How many records were cut before the page could read them. */
export const lostRecords = signal(0)
/** The daemon is of another version than this page. */
export const isOutdated = signal(false)
/** Why there is no snapshot, if there is none. */
export const loadFailure = signal<string | undefined>(undefined)

export const log = new ActionLog()
export const feed = new FeedView(log)

const RETRY_MS = 2_000
const HIDDEN_FLUSH_MS = 1_000
const FLOOD_GAP_MS = 90
// Steps at once.
const FLOOD = 20
const FRESH_MS = 900
// More at once than anybody can follow: no row is pointed out.
const MAX_FRESH = 40
const BUDGET_MS = 20
const SLICE = 200

let seq = 0
let pageVersion: string | undefined
let waiting: FeedStep[] = []
let latestPulse: Overview | undefined
let isFlushPlanned = false
let isFlood = false
/** Where the connection began, until its first figures are there. */
let resumedFrom: number | undefined

const forgetters: (() => void)[] = []

/** Told whenever the oldest rows went: pages of the past do not join any more. */
export function onForgotten(tell: () => void): void {
  forgetters.push(tell)
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
    // The browser does not tell a socket why it was refused; a request is told.
    getJson('/v1/status').catch(() => undefined)
  },
})

/** Loads the snapshot and follows the stream from there. */
export async function startLive(): Promise<void> {
  document.addEventListener('visibilitychange', planFlush)
  await loadSnapshot()
  stream.start()
}

async function loadSnapshot(): Promise<void> {
  for (;;) {
    try {
      takeSnapshot(await getJson<Snapshot>('/v1/snapshot'))
      return
    } catch (error) {
      loadFailure.value = error instanceof RequestError ? error.message : String(error)
      if (!isSignedOut.value) connection.value = { state: 'reconnecting', retryAt: Date.now() + RETRY_MS }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function takeSnapshot({ pulse: figures, feed: page, seq: from }: Snapshot): void {
  batch(() => {
    loadFailure.value = undefined
    // The page came from the daemon that gave it the first snapshot.
    pageVersion ??= figures.version
    seq = from
    setClock(figures.now)
    pulse.value = figures
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
  if (message.type === 'pulse') latestPulse = message.pulse
  if (message.type === 'gap') lostRecords.value += message.to - message.from + 1
  if (message.type === 'feed' || message.type === 'pulse') planFlush()
}

// A hidden page draws no frames, but goes on taking in what comes. In a flood nobody reads sixty pictures a second: ten do.
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
    if (latestPulse !== undefined) takePulse(latestPulse)
    latestPulse = undefined
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
    pointOut(
      changes.flatMap(({ appended }) => appended),
      newest,
    )
    rowsVersion.value += 1
  })
  if (waiting.length > 0) planFlush()
}

function takePulse(figures: Overview): void {
  setClock(figures.now)
  const known = new Set(pulse.value?.approvals.map(({ id }) => id))
  for (const { id, command } of figures.approvals) {
    if (!known.has(id)) announce(`Waiting for your word: ${plainOf(command).slice(0, 120)}.`)
  }
  pulse.value = figures
  // The record is shorter than what we had read of it: it is another one.
  const isOther = resumedFrom !== undefined && figures.seq < resumedFrom
  resumedFrom = undefined
  if (isOther) startOver()
}

function forgetPast(): void {
  feed.forgetPast()
  for (const tell of forgetters) tell()
}

function startOver(): void {
  log.clear()
  forgetPast()
  seq = 0
  loadSnapshot()
    .then(() => stream.restart())
    .catch(() => undefined)
}

function pointOut(appended: readonly Action[], newest: number): void {
  for (const { decision, blocked, tool, preview, hook } of appended.slice(-MAX_FRESH)) {
    if (blocked) announce(`Blocked by ${hook ?? 'a hook'}: ${plainOf(`${tool ?? ''} ${preview}`).slice(0, 120)}.`)
    else if (decision === 'ask') announce(`Asked about: ${plainOf(`${tool ?? ''} ${preview}`).slice(0, 120)}.`)
  }
  if (appended.length === 0 || appended.length > MAX_FRESH) return
  freshFrom.value = Math.min(freshFrom.value, newest + 1)
  const mark = log.actions.at(-1)?.seq ?? 0
  window.setTimeout(() => {
    if (freshFrom.value <= mark) freshFrom.value = mark + 1
  }, FRESH_MS)
}
