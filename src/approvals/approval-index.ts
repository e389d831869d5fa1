// The index of approvals: by the hash of their step, and by whether they are pending. Limits how many may be pending.

import { ArcError } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'

const HASH_PREFIX = 'approvals-of:'
const OPEN_KEY = 'approvals-open'
const MAX_PER_HASH = 20
const PURGE_INTERVAL_MS = 3_600_000

/** The most steps of a home that may wait for an answer; further steps are refused. */
export const MAX_PENDING = 200

// The expiry time of each pending approval, by id.
interface PendingList {
  readonly ends: Readonly<Record<string, number>>
  readonly sweptAt: number
}

/** The part of an approval that is indexed. */
interface IndexEntry {
  readonly id: string
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** The index of one home. */
export class ApprovalIndex {
  readonly #state: StateStore
  readonly #keepMs: number

  constructor(state: StateStore, keepMs: number) {
    this.#state = state
    this.#keepMs = keepMs
  }

  /** Adds a pending approval; throws when there are too many. Returns those that expired, and whether a purge is due. */
  add({ id, hash, createdAt, expiresAt }: IndexEntry): {
    readonly ended: readonly string[]
    readonly isPurgeDue: boolean
  } {
    let ended: readonly string[] = []
    let isFull = false
    let isPurgeDue = false
    update<PendingList>(this.#state, OPEN_KEY, (before) => {
      const { ends = {}, sweptAt = 0 } = before ?? {}
      const still = Object.entries(ends).filter(([, end]) => end > createdAt)
      ended = Object.keys(ends).filter((one) => (ends[one] ?? 0) <= createdAt)
      isFull = still.length >= MAX_PENDING
      isPurgeDue = Math.abs(createdAt - sweptAt) >= PURGE_INTERVAL_MS
      const next = {
        ends: { ...Object.fromEntries(still), [id]: expiresAt },
        sweptAt: isPurgeDue ? createdAt : sweptAt,
      }
      return isFull ? undefined : next
    })
    if (isFull) throw new ArcError('ARC_APPROVALS_FULL', `${MAX_PENDING} steps already wait for an answer.`)
    const add = (ids: readonly string[] = []) => [...ids, id].slice(-MAX_PER_HASH)
    update<readonly string[]>(this.#state, HASH_PREFIX + hash, add, this.#keepMs)
    return { ended, isPurgeDue }
  }

  /** Removes an answered approval from the pending ones. */
  remove(id: string): void {
    update<PendingList>(this.#state, OPEN_KEY, (before) => {
      if (before === undefined || !Object.hasOwn(before.ends, id)) return undefined
      const { [id]: _, ...ends } = before.ends
      return { ...before, ends }
    })
  }

  /** The ids of approvals that may be pending. */
  pending(): readonly string[] {
    return Object.keys((this.#state.get(OPEN_KEY)?.value as PendingList | undefined)?.ends ?? {})
  }

  /** The ids of a step's hash, oldest first. */
  findByHash(hash: string): readonly string[] {
    const ids = this.#state.get(HASH_PREFIX + hash)?.value
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
  }
}
