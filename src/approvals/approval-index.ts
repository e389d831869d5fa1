// The index of approvals: by the hash of their step, by whether they are open, and by the session that they end with.
// Limits how many may be open.

import { createHash } from 'node:crypto'
import { ArcError } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import type { Approval, SessionOwner } from './approval.ts'

const HASH_PREFIX = 'approvals-of:'
const OPEN_KEY = 'approvals-open'
const MAX_PER_HASH = 20
const PURGE_INTERVAL_MS = 3_600_000

/** The most steps of a home that may wait for an answer; further steps are refused. */
export const MAX_PENDING = 200

interface OpenList {
  /** The expiry time of each open approval, by id. */
  readonly ends: Readonly<Record<string, number>>
  /** The hash of the session of each open approval that ends with its session, by id. */
  readonly sessions?: Readonly<Record<string, string>>
  readonly sweptAt: number
}

/** The index of one home. */
export class ApprovalIndex {
  readonly #state: StateStore
  readonly #keepMs: number

  constructor(state: StateStore, keepMs: number) {
    this.#state = state
    this.#keepMs = keepMs
  }

  /** Adds an open approval; throws when there are too many. Returns those that expired, and whether a purge is due. */
  add(approval: Approval): { readonly ended: readonly string[]; readonly isPurgeDue: boolean } {
    const { id, hash, createdAt } = approval
    let ended: readonly string[] = []
    let isFull = false
    let isPurgeDue = false
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      const { ends = {}, sweptAt = 0 } = before ?? {}
      ended = Object.keys(ends).filter((one) => (ends[one] ?? 0) <= createdAt)
      const rest = ended.reduce(without, before)
      isFull = Object.keys(rest?.ends ?? {}).length >= MAX_PENDING
      isPurgeDue = Math.abs(createdAt - sweptAt) >= PURGE_INTERVAL_MS
      return isFull ? undefined : { ...withEntry(rest, approval), sweptAt: isPurgeDue ? createdAt : sweptAt }
    })
    if (isFull) throw new ArcError('ARC_APPROVALS_FULL', `${MAX_PENDING} steps already wait for an answer.`)
    const add = (ids: readonly string[] = []) => [...ids, id].slice(-MAX_PER_HASH)
    update<readonly string[]>(this.#state, HASH_PREFIX + hash, add, this.#keepMs)
    return { ended, isPurgeDue }
  }

  /** Notes a new expiry time, and whether the approval still ends with its session. */
  change(approval: Approval): void {
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      return before !== undefined && Object.hasOwn(before.ends, approval.id) ? withEntry(before, approval) : undefined
    })
  }

  /** Removes an approval that is over from the open ones. */
  remove(id: string): void {
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      return before !== undefined && Object.hasOwn(before.ends, id) ? without(before, id) : undefined
    })
  }

  /** The ids of approvals that may be pending. */
  pending(): readonly string[] {
    return Object.keys(this.#read()?.ends ?? {})
  }

  /** The ids of open approvals that end with this session. */
  findBySession(step: SessionOwner): readonly string[] {
    const sessions = this.#read()?.sessions ?? {}
    const key = sessionKey(step)
    return Object.keys(sessions).filter((id) => sessions[id] === key)
  }

  /** The ids of a step's hash, oldest first. */
  findByHash(hash: string): readonly string[] {
    const ids = this.#state.get(HASH_PREFIX + hash)?.value
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
  }

  #read(): OpenList | undefined {
    return this.#state.get(OPEN_KEY)?.value as OpenList | undefined
  }
}

function sessionKey({ session, workspace }: SessionOwner): string {
  const text = session === undefined ? `folder ${workspace ?? ''}` : `session ${session}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function withEntry(before: OpenList | undefined, { id, step, expiresAt, appliesTo }: Approval): OpenList {
  const { ends = {}, sessions = {}, sweptAt = 0 } = before ?? {}
  const { [id]: _, ...others } = sessions
  return {
    ends: { ...ends, [id]: expiresAt },
    sessions: appliesTo === 'next' ? others : { ...others, [id]: sessionKey(step) },
    sweptAt,
  }
}

function without(before: OpenList | undefined, id: string): OpenList | undefined {
  if (before === undefined) return undefined
  const { [id]: _end, ...ends } = before.ends
  const { [id]: _session, ...sessions } = before.sessions ?? {}
  return { ...before, ends, sessions }
}
