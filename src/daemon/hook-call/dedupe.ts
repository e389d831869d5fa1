// Deduplicates hook calls and pairs them: a host that finds ARC in two of its files calls twice for one event, and a tool
// call has an event before and one after it. Stored in the state, since each call may be a separate process.

import { nameConfig } from '../../config/digest.ts'
import type { Clock } from '../../engine/clock.ts'
import { pause } from '../../engine/deadline.ts'
import { ArcError, describe } from '../../engine/errors.ts'
import type { RegisteredHook } from '../../engine/hook.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HookTable } from '../../engine/table.ts'
import type { HostStep } from '../../hosts/host.ts'
import { buildEventKey, pairKey, stepDigest } from '../../hosts/pairing.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import type { StateStore } from '../../storage/ports.ts'
import { update } from '../../storage/state.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

/** The step before a tool ran. */
interface StepBefore {
  readonly id: string
  readonly at: number
  /** Absent for a large outcome, and for one with an approval. */
  readonly outcome?: Pick<Outcome, 'metadata'> | undefined
}

/** The right to evaluate a call, or the outcome of the same call. */
export interface Claim {
  /** The outcome of a duplicate that was evaluated before. */
  readonly outcome?: Outcome | undefined
  /** The step's id in the trace. */
  readonly id: string
  /** For a finished tool call: the step that let the tool run. */
  readonly before?: StepBefore | undefined
  /** The step that had the same call id with another digest, if the host or the model used the id twice. */
  readonly reusedFrom?: string | undefined
  /** False where duplicates cannot be detected: the state cannot be written. */
  readonly isMade?: false | undefined
  /** Publishes the outcome to duplicates; without an outcome they are evaluated themselves. */
  complete(outcome?: Outcome): void
}

/** One evaluation of a call at one point. */
interface Slot {
  readonly id: string
  readonly at: number
  /** The process that evaluates. */
  readonly pid: number
  readonly rules: string
  /** The digest of tool, arguments and workspace. */
  readonly digest: string
  /** Absent while the evaluation runs. */
  readonly doneAt?: number
  readonly outcome?: StoredOutcome | undefined
}

/** An outcome, with its data only if hooks changed the data. */
type StoredOutcome = Omit<Outcome, 'data'> & { readonly data?: object }

/** The slots of a call by point. */
type Slots = Readonly<Record<string, Slot>>

/** Everything that makes two calls the same: an outcome is reused only if all of it is equal. */
interface Identity {
  readonly now: number
  readonly rules: string
  readonly digest: string
}

interface DedupeServices {
  readonly state: StateStore
  readonly clock: Clock
  readonly newId: () => string
  /** The rules in force: an outcome under other rules is not reused. */
  readonly rules: string
  readonly workspace?: string | undefined
  /** Until when a locked database is waited for, by `performance.now()`. Default: it is not. */
  readonly waitUntil?: number | undefined
}

const PREFIX = 'call:'
// A tool may run for hours before the event after it.
const TTL_MS = 86_400_000
// A host sends duplicates within a moment. Without a call id, an equal call later is another call.
const SAME_CALL_MS = { exact: 10_000, similar: 1_000 } as const
// Longer than a step waits for approval. A claim of a dead process ends at once.
const ABANDONED_MS = 70_000
const RETRY_MS = 10
const MAX_STORED_CHARS = 64 * 1024

/** Claims a call of a supervisor. Without a usable state each call is evaluated: twice is better than never. */
export async function claimHookCall(
  step: HostStep,
  supervisor: Supervisor,
  { workspace, waitUntil }: Pick<DedupeServices, 'workspace' | 'waitUntil'>,
): Promise<Claim> {
  try {
    const services = { state: supervisor.state, clock: systemClock, newId, rules: buildRulesKey(supervisor) }
    return await claimCall(step, { ...services, workspace, waitUntil })
  } catch (error) {
    process.stderr.write(`arc: duplicate calls cannot be detected: ${describe(error)}\n`)
    return { id: newId(), isMade: false, complete: () => undefined }
  }
}

/**
 * Claims a call. Of duplicates at the same time one is evaluated, and the others wait for its outcome.
 * @example
 * const claim = await claimCall(step, services)
 * const outcome = claim.outcome ?? (await evaluate(step, claim.id))
 */
export async function claimCall(step: HostStep, services: DedupeServices): Promise<Claim> {
  for (;;) {
    const claim = tryWhileLocked(step, services)
    if (claim !== 'busy') return claim
    await pause(RETRY_MS, services)
  }
}

// A process that keeps the database locked may be about to commit this very call.
function tryWhileLocked(step: HostStep, services: DedupeServices): Claim | 'busy' {
  try {
    return tryClaim(step, services)
  } catch (error) {
    const isLocked = error instanceof ArcError && error.code === 'ARC_STORE_BUSY'
    if (isLocked && performance.now() < (services.waitUntil ?? 0)) return 'busy'
    throw error
  }
}

function tryClaim(step: HostStep, services: DedupeServices): Claim | 'busy' {
  const { state, clock, rules } = services
  const { key: callKey, isExact } = pairKey(step) ?? buildEventKey(step)
  const key = PREFIX + callKey
  const identity: Identity = { now: clock.wall(), rules, digest: stepDigest(step, services.workspace) }
  const own: Slot = { id: services.newId(), at: identity.now, pid: process.pid, rules, digest: identity.digest }
  const name = slotName(step)
  let slots: Slots = {}
  let found: Slot | undefined
  let reusedFrom: string | undefined
  update<Slots>(
    state,
    key,
    (stored) => {
      const all = isRecord(stored) ? (stored as Slots) : {}
      ;[slots, found] = findSlot(all, step, isExact, identity)
      reusedFrom = isExact ? findReusedId(all, name, identity.digest) : undefined
      return found === undefined ? { ...slots, [name]: own } : undefined
    },
    TTL_MS,
  )
  const before = step.point.startsWith('post:') ? slots['pre:tool'] : undefined
  const link = before === undefined ? undefined : { id: before.id, at: before.at, outcome: before.outcome }
  if (found === undefined) {
    const complete = (outcome?: Outcome): void => store(services, key, step, own, outcome)
    return { id: own.id, before: link, reusedFrom, complete }
  }
  if (found.doneAt === undefined) return 'busy'
  const outcome = found.outcome === undefined ? undefined : { data: step.data, ...found.outcome }
  return { id: found.id, before: link, outcome, complete: () => undefined }
}

// The slots that remain valid, and the slot whose outcome this call shares; no slot if the call must be evaluated.
function findSlot(
  slots: Slots,
  step: HostStep,
  isExact: boolean,
  { now, rules, digest }: Identity,
): readonly [Slots, Slot | undefined] {
  const { point } = step
  const name = slotName(step)
  const slot = Object.hasOwn(slots, name) ? slots[name] : undefined
  const isBefore = point.startsWith('pre:')
  // After its end a call is over: the next call with its id or arguments is another call.
  const isOver = isBefore && Object.keys(slots).some((at) => at.startsWith('post:'))
  if (isOver) return [{}, undefined]
  if (slot === undefined) return [slots, undefined]
  if (slot.digest !== digest) return [isBefore ? {} : slots, undefined]
  if (slot.doneAt === undefined) return [slots, isActive(slot, now) ? slot : undefined]
  const isFresh = Math.abs(now - slot.doneAt) < SAME_CALL_MS[isExact ? 'exact' : 'similar']
  const isSame = slot.outcome !== undefined && slot.rules === rules && isFresh
  return [isExact || isSame ? slots : {}, isSame ? slot : undefined]
}

// The own question of a host about a call is another event than the call.
function slotName({ point, spec }: HostStep): string {
  return spec.permission === 'asks' ? `${point}?` : point
}

function findReusedId(slots: Slots, name: string, digest: string): string | undefined {
  const slot = Object.hasOwn(slots, name) ? slots[name] : undefined
  return slot === undefined || slot.digest === digest ? undefined : slot.id
}

// Math.abs: a clock that was set back must not prolong the wait.
function isActive({ at, pid }: Slot, now: number): boolean {
  return Math.abs(now - at) < ABANDONED_MS && isProcessAlive(pid)
}

function store(
  { state, clock }: DedupeServices,
  key: string,
  step: HostStep,
  { id, at, pid, rules, digest }: Slot,
  outcome: Outcome | undefined,
): void {
  const stored = outcome && toStored(outcome, step.data)
  const done: Slot = { id, at, pid, rules, digest, doneAt: clock.wall(), outcome: stored }
  update<Slots>(state, key, (slots) => ({ ...slots, [slotName(step)]: done }), TTL_MS)
}

// Not stored: large outcomes, and outcomes with an approval, whose answer may change at any time.
function toStored(outcome: Outcome, before: object): StoredOutcome | undefined {
  if (outcome.metadata.approval !== undefined) return undefined
  const { data, ...rest } = outcome
  const stored: StoredOutcome = data === before ? rest : { ...rest, data }
  try {
    return JSON.stringify(stored).length <= MAX_STORED_CHARS ? stored : undefined
  } catch {
    // Not JSON: the duplicate is evaluated itself.
    return undefined
  }
}

const CONFIG_NAMES = new WeakMap<object, string>()
const DISABLED_HOOKS = new WeakMap<HookTable, readonly RegisteredHook[]>()

// The configuration, the mode and the disabled hooks. Cached: listing all hooks at every call would cost more than a rule.
function buildRulesKey({ config, engine }: Supervisor): string {
  const name = CONFIG_NAMES.get(config) ?? nameConfig(config)
  CONFIG_NAMES.set(config, name)
  const { table, mode } = engine
  const disabled = DISABLED_HOOKS.get(table) ?? table.hooks.filter((hook) => hook.disabled !== undefined)
  DISABLED_HOOKS.set(table, disabled)
  const now = systemClock.wall()
  const stillDisabled = disabled.filter((hook) => (hook.disabled?.until ?? now + 1) > now)
  return [name, mode, ...stillDisabled.map((hook) => hook.name)].join(' ')
}
