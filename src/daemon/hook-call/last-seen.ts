// When each event of a host was last seen: a hook that is never called looks like a hook that allows everything.

import { isRecord } from '../../engine/plain-data.ts'
import type { HostName, HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import type { StateStore } from '../../storage/ports.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

/** The last call of one event of a host. */
export interface SeenEvent {
  readonly host: HostName
  readonly event: string
  /** Wall-clock milliseconds. */
  readonly at: number
  /** The event is in no table of this version. */
  readonly isUnknown: boolean
}

const PREFIX = 'host-seen:'
// How often the time is written at most: readers need minutes.
const WRITE_EVERY_MS = 60_000
const TTL_MS = 90 * 86_400_000
const MAX_EVENT = 80

/** Stores the time of an event. An event that this version does not know is also recorded in the trace. */
export async function recordSeenEvent(
  { host, event, isUnknown, context }: HostStep,
  { state, trace, config }: Supervisor,
): Promise<void> {
  const name = event.slice(0, MAX_EVENT)
  const key = `${PREFIX}${host}:${name}`
  const now = systemClock.wall()
  const cache = cacheFor(state)
  if (isRecent(cache.get(key), now)) return
  const entry = state.get(key)
  const at = isSeen(entry?.value) ? entry.value.at : undefined
  if (at !== undefined && isRecent(at, now)) return void cache.set(key, at)
  const seen: SeenEvent = { host, event: name, at: now, isUnknown }
  const isOwn = state.set(key, seen, entry?.version ?? 0, TTL_MS)
  cache.set(key, now)
  if (!isUnknown || !isOwn) return
  const message = `${host} sent the event ${JSON.stringify(name)}, which this version does not know`
  const { session } = context
  const what = { component: 'hosts', action: 'event:unknown', level: 'warn', reason: message } as const
  await trace.append({
    ...what,
    id: newId(),
    time: now,
    profile: config.profile,
    host,
    session,
    metadata: { event: name },
  })
}

// Times that this process has read or written, by state.
const CACHES = new WeakMap<StateStore, Map<string, number>>()
const MAX_CACHED = 500

function cacheFor(state: StateStore): Map<string, number> {
  const cache = CACHES.get(state) ?? new Map<string, number>()
  if (cache.size >= MAX_CACHED) cache.clear()
  CACHES.set(state, cache)
  return cache
}

function isRecent(at: number | undefined, now: number): boolean {
  return at !== undefined && Math.abs(now - at) < WRITE_EVERY_MS
}

/** All events that were seen within the last 90 days. */
export function listSeenEvents(state: StateStore): readonly SeenEvent[] {
  return state
    .list(PREFIX)
    .map(({ value }) => value)
    .filter(isSeen)
}

function isSeen(value: unknown): value is SeenEvent {
  return isRecord(value) && typeof value.host === 'string' && typeof value.at === 'number'
}
