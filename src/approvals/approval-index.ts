// Finds approvals without reading all of them: by the hash of their step, and those that are pending. Also bounds how many
// may be pending at a time.

import { ArcError } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'

const HASH_PREFIX = 'approvals-of:'
const OPEN_KEY = 'approvals-open'
const MAX_OF_HASH = 20
const SWEEP_MS = 3_600_000

/** So many steps of a home may wait at a time. More are refused. */
export const MAX_PENDING = 200

// When each pending one ends, by id.
interface PendingList {
  readonly ends: Readonly<Record<string, number>>
  readonly sweptAt: number
}

/** What an entry needs to be listed. */
interface IndexEntry {
  readonly id: string
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** The lists of one home. */
export class ApprovalIndex {
  readonly #state: StateStore
  readonly #keepMs: number

  constructor(state: StateStore, keepMs: number) {
    this.#state = state
    this.#keepMs = keepMs
  }

  /** Lists a pending one; throws when there are too many. Gives those that have expired, and whether a sweep is due. */
  add({ id, hash, createdAt, expiresAt }: IndexEntry): {
    readonly ended: readonly string[]
    readonly isSweepDue: boolean
  } {
    let ended: readonly string[] = []
    let isFull = false
    let isSweepDue = false
    update<PendingList>(this.#state, OPEN_KEY, (before) => {
      const { ends = {}, sweptAt = 0 } = before ?? {}
      const still = Object.entries(ends).filter(([, end]) => end > createdAt)
      ended = Object.keys(ends).filter((one) => (ends[one] ?? 0) <= createdAt)
      isFull = still.length >= MAX_PENDING
      isSweepDue = Math.abs(createdAt - sweptAt) >= SWEEP_MS
      const next = {
        ends: { ...Object.fromEntries(still), [id]: expiresAt },
        sweptAt: isSweepDue ? createdAt : sweptAt,
      }
      return isFull ? undefined : next
    })
    if (isFull) throw new ArcError('ARC_APPROVALS_FULL', `${MAX_PENDING} steps wait for an answer already.`)
    const add = (ids: readonly string[] = []) => [...ids, id].slice(-MAX_OF_HASH)
    update<readonly string[]>(this.#state, HASH_PREFIX + hash, add, this.#keepMs)
    return { ended, isSweepDue }
  }

  /** Takes one that was answered out of the pending ones. */
  remove(id: string): void {
    update<PendingList>(this.#state, OPEN_KEY, (before) => {
      if (before === undefined || !Object.hasOwn(before.ends, id)) return undefined
      const { [id]: _, ...ends } = before.ends
      return { ...before, ends }
    })
  }

  /** The ids that may be pending. */
  pending(): readonly string[] {
    return Object.keys((this.#state.get(OPEN_KEY)?.value as PendingList | undefined)?.ends ?? {})
  }

  /** The ids of a step's hash, oldest first. */
  findByHash(hash: string): readonly string[] {
    const ids = this.#state.get(HASH_PREFIX + hash)?.value
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
  }
}
