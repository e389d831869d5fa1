// When each host was last heard of, by event: a hook that never fires looks like one that allows everything.

import { isRecord } from '../../engine/plain-data.ts'
import type { HostName, HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import type { StateStore } from '../../storage/state.ts'
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
// Written at most so often: who reads it thinks in minutes.
const NEWS_MS = 60_000
const KEPT_MS = 90 * 86_400_000
const MAX_EVENT = 80

/** Notes that an event of a host came in, and records one that nobody knows. */
export function recordSeenEvent(
  { host, event, isUnknown, context }: HostStep,
  { state, trace, config }: Supervisor,
): void {
  const name = event.slice(0, MAX_EVENT)
  const key = `${PREFIX}${host}:${name}`
  const now = systemClock.wall()
  const known = knownOf(state)
  if (isNoNews(known.get(key), now)) return
  const entry = state.get(key)
  const at = isSeen(entry?.value) ? entry.value.at : undefined
  if (at !== undefined && isNoNews(at, now)) return void known.set(key, at)
  const seen: SeenEvent = { host, event: name, at: now, isUnknown }
  const isMine = state.set(key, seen, entry?.version ?? 0, KEPT_MS)
  known.set(key, now)
  if (!isUnknown || !isMine) return
  const message = `${host} sent the event ${JSON.stringify(name)}, which this version does not know`
  const { session } = context
  const what = { component: 'hosts', action: 'event:unknown', level: 'warn', reason: message } as const
  trace.append({ ...what, id: newId(), time: now, profile: config.profile, host, session, metadata: { event: name } })
}

// What this process knows of without asking again, by the state it is kept in.
const KNOWN = new WeakMap<StateStore, Map<string, number>>()
const MAX_KNOWN = 500

function knownOf(state: StateStore): Map<string, number> {
  const known = KNOWN.get(state) ?? new Map<string, number>()
  if (known.size >= MAX_KNOWN) known.clear()
  KNOWN.set(state, known)
  return known
}

function isNoNews(at: number | undefined, now: number): boolean {
  return at !== undefined && Math.abs(now - at) < NEWS_MS
}

/** Every event that was ever seen of late. */
export function listSeenEvents(state: StateStore): readonly SeenEvent[] {
  return state
    .list(PREFIX)
    .map(({ value }) => value)
    .filter(isSeen)
}

function isSeen(value: unknown): value is SeenEvent {
  return isRecord(value) && typeof value.host === 'string' && typeof value.at === 'number'
}
