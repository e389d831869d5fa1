// Which hook calls are one and the same, and which follow another: a host may find ARC in two of its files and fire
// twice, and a tool call has a call before it and one after. Kept in the state, since each may be a process of its own.

import type { Clock } from '../../engine/clock.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HostStep } from '../../hosts/host.ts'
import { firingKey, pairKey, stepDigest } from '../../hosts/pairing.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { type StateStore, update } from '../../storage/state.ts'

/** What was known of a firing before it was judged. */
export interface Claim {
  /** What another firing of the same event came to. */
  readonly outcome?: Outcome | undefined
  /** The id of the step that recorded it, or under which this one is to be recorded. */
  readonly id: string
  /** The step before this one: of a finished tool call, the one that let it run. */
  readonly before?: { readonly id: string; readonly at: number } | undefined
  /** The step that had the same call id with another digest, if the host or the model used the id twice. */
  readonly reusedFrom?: string | undefined
  /** Tells the others what came of it; without an outcome they have to judge for themselves. */
  complete(outcome?: Outcome): void
}

interface Slot {
  readonly id: string
  readonly at: number
  /** Who is at it. */
  readonly pid: number
  readonly rules: string
  /** What was judged: tool, arguments, workspace. */
  readonly digest: string
  /** When it was answered, and with what; nothing while somebody is at it. */
  readonly doneAt?: number
  readonly outcome?: Kept | undefined
}

// The data only where hooks changed it.
type Kept = Omit<Outcome, 'data'> & { readonly data?: object }

type Call = Readonly<Record<string, Slot>>

interface DedupeServices {
  readonly state: StateStore
  readonly clock: Clock
  readonly newId: () => string
  /** By what it is judged: what was judged by another configuration is judged anew. */
  readonly rules: string
  readonly workspace?: string | undefined
}

const PREFIX = 'call:'
// A tool may run for long before the event after it.
const KEPT_MS = 86_400_000
// A host fires twice in one go. Without an id of the call, an equal one that comes later is another call.
const SAME_FOR_MS = { exact: 10_000, alike: 1_000 } as const
// Longer than a person is waited for. Whoever died over it is not waited for at all.
const ABANDONED_MS = 70_000
const LOOK_AGAIN_MS = 10
const MAX_KEPT = 64 * 1024

/**
 * Takes a firing on. Of several at once one judges, and the others get what that came to.
 * @example
 * const claim = await claimFiring(step, services)
 * const outcome = claim.outcome ?? (await judge(step, claim.id))
 */
export async function claimCall(step: HostStep, services: DedupeServices): Promise<Claim> {
  const { clock } = services
  for (;;) {
    const taken = take(step, services)
    if (!('waitsFor' in taken)) return taken
    await pause(clock)
  }
}

function take(step: HostStep, services: DedupeServices): Claim | { readonly waitsFor: string } {
  const { state, clock, newId } = services
  const { key: found, isExact } = pairKey(step) ?? firingKey(step)
  const key = PREFIX + found
  const digest = stepDigest(step, services.workspace)
  const mine: Slot = { id: newId(), at: clock.wall(), pid: process.pid, rules: services.rules, digest }
  let before: Call = {}
  let isMine = false
  let reusedFrom: string | undefined
  update<Call>(
    state,
    key,
    (stored) => {
      const call = isRecord(stored) ? (stored as Call) : {}
      const [base, known] = placeOf(call, step, isExact, { now: clock.wall(), rules: services.rules, digest })
      before = base
      reusedFrom = isExact ? idOfOther(call, step.point, digest) : undefined
      isMine = known === undefined
      return isMine ? { ...base, [step.point]: mine } : undefined
    },
    KEPT_MS,
  )
  const complete = (outcome?: Outcome): void => finish(services, key, step, mine, outcome)
  const earlier = step.point.startsWith('post:') ? before['pre:tool'] : undefined
  const link = earlier === undefined ? undefined : { id: earlier.id, at: earlier.at }
  if (isMine) return { id: mine.id, before: link, reusedFrom, complete }
  const slot = before[step.point] as Slot
  if (slot.doneAt === undefined) return { waitsFor: slot.id }
  const outcome = slot.outcome === undefined ? undefined : { data: step.data, ...slot.outcome }
  return { id: slot.id, before: link, outcome, complete: () => undefined }
}

// What stands of a call, and the slot that answers this firing; no slot when it has to be judged.
function placeOf(
  call: Call,
  step: HostStep,
  isExact: boolean,
  { now, rules, digest }: { readonly now: number; readonly rules: string; readonly digest: string },
): readonly [Call, Slot | undefined] {
  const slot = Object.hasOwn(call, step.point) ? call[step.point] : undefined
  // A call that has run already is over: the next one with its id or its words is another call.
  const isOver = step.point.startsWith('pre:') && Object.keys(call).some((at) => at.startsWith('post:'))
  if (isOver) return [{}, undefined]
  if (slot === undefined) return [call, undefined]
  if (slot.digest !== digest) return [step.point.startsWith('pre:') ? {} : call, undefined]
  if (slot.doneAt === undefined) return [call, isAtWork(slot, now) ? slot : undefined]
  const isFresh = Math.abs(now - slot.doneAt) < SAME_FOR_MS[isExact ? 'exact' : 'alike']
  const isSame = slot.outcome !== undefined && slot.rules === rules && isFresh
  return [isExact || isSame ? call : {}, isSame ? slot : undefined]
}

function idOfOther(call: Call, point: string, digest: string): string | undefined {
  const slot = Object.hasOwn(call, point) ? call[point] : undefined
  return slot === undefined || slot.digest === digest ? undefined : slot.id
}

// A clock that was set back must not make anybody wait for longer.
function isAtWork({ at, pid }: Slot, now: number): boolean {
  return Math.abs(now - at) < ABANDONED_MS && isProcessAlive(pid)
}

function finish(
  { state, clock }: DedupeServices,
  key: string,
  { point, data }: HostStep,
  { id, at, pid, rules, digest }: Slot,
  outcome: Outcome | undefined,
): void {
  const done: Slot = { id, at, pid, rules, digest, doneAt: clock.wall(), outcome: outcome && keptOf(outcome, data) }
  update<Call>(state, key, (call) => ({ ...call, [point]: done }), KEPT_MS)
}

// What is too large to keep is judged anew, and so is what a person has a say in: the answer may come at any time.
function keptOf(outcome: Outcome, before: object): Kept | undefined {
  if (outcome.metadata.approval !== undefined) return undefined
  const { data, ...rest } = outcome
  const kept: Kept = data === before ? rest : { ...rest, data }
  try {
    return JSON.stringify(kept).length <= MAX_KEPT ? kept : undefined
  } catch {
    // It cannot be written down: then the other firing is judged by itself.
    return undefined
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(LOOK_AGAIN_MS, resolve))
}
