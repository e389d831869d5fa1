// The index of approvals: by the hash of their step, by whether they are open, and by the session that they end with.
// Limits how many may be open.

import { createHash } from 'node:crypto'
import { ArcError } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import type { Approval, SessionOwner, UsedAt } from './approval.ts'

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
  /** The approvals that calls of a session used and that did not end yet, by session and step. */
  readonly uses?: Readonly<Record<string, Readonly<Record<string, ApprovalUse>>>>
  /** When the unused approvals of steps that agents refused end, by step. */
  readonly overruled?: Readonly<Record<string, number>>
  readonly sweptAt: number
}

/** An approval that was used, and by which hook calls. */
interface ApprovalUse {
  readonly id: string
  readonly at: readonly UsedAt[]
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
      if (isFull) return undefined
      return { ...dropEnded(withEntry(rest, approval), createdAt), sweptAt: isPurgeDue ? createdAt : sweptAt }
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

  /** Whether anything ends with this session: one read for the steps of sessions without approvals. */
  hasSession(owner: SessionOwner): boolean {
    const { sessions = {}, uses = {} } = this.#read() ?? {}
    const key = sessionKey(owner)
    return Object.hasOwn(uses, key) || Object.values(sessions).includes(key)
  }

  /** The ids of open approvals that end with this session. */
  findBySession(step: SessionOwner): readonly string[] {
    const sessions = this.#read()?.sessions ?? {}
    const key = sessionKey(step)
    return Object.keys(sessions).filter((id) => sessions[id] === key)
  }

  /** Notes which call of a session used an approval. */
  noteUse(owner: SessionOwner, { id, hash, expiresAt }: Approval, at: UsedAt): void {
    this.#changeUses(owner, (uses) => ({ ...uses, [hash]: { id, at: [at], expiresAt } }))
  }

  /** The approval that the other call of the same tool call used: once. */
  takeUse(owner: SessionOwner, hash: string, at: UsedAt, now: number): string | undefined {
    const known = this.#read()?.uses?.[sessionKey(owner)]?.[hash]
    if (known === undefined) return undefined
    let taken: string | undefined
    this.#changeUses(owner, (uses) => {
      const use = uses[hash]
      const isOpen = use !== undefined && now < use.expiresAt && !use.at.includes(at)
      taken = isOpen ? use.id : undefined
      return isOpen ? { ...uses, [hash]: { ...use, at: [...use.at, at] } } : uses
    })
    return taken
  }

  /** Ends the uses of a session, or those of one step. */
  endUses(owner: SessionOwner, hash?: string): void {
    const uses = this.#read()?.uses?.[sessionKey(owner)]
    if (uses === undefined || (hash !== undefined && uses[hash] === undefined)) return
    this.#changeUses(owner, (all) => {
      if (hash === undefined) return {}
      const { [hash]: _, ...others } = all
      return others
    })
  }

  #changeUses(owner: SessionOwner, change: (uses: SessionUses) => SessionUses): void {
    const key = sessionKey(owner)
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      const { [key]: own = {}, ...others } = before?.uses ?? {}
      const changed = change(own)
      const uses = Object.keys(changed).length === 0 ? others : { ...others, [key]: changed }
      return { ...(before ?? { ends: {}, sweptAt: 0 }), uses }
    })
  }

  /** Notes an approval of a step that the agent itself refused, until it is used or ends. */
  noteOverruled({ hash, expiresAt }: Approval): void {
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      return { ...(before ?? { ends: {}, sweptAt: 0 }), overruled: { ...before?.overruled, [hash]: expiresAt } }
    })
  }

  /** Removes such a note. */
  removeOverruled(hash: string): void {
    update<OpenList>(this.#state, OPEN_KEY, (before) => {
      if (before?.overruled === undefined || !Object.hasOwn(before.overruled, hash)) return undefined
      const { [hash]: _, ...overruled } = before.overruled
      return { ...before, overruled }
    })
  }

  /** Whether an approval of a step that an agent refused may be unused. One read: it is asked before every call. */
  hasOverruled(now: number): boolean {
    return Object.values(this.#read()?.overruled ?? {}).some((expiresAt) => now < expiresAt)
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

type SessionUses = Readonly<Record<string, ApprovalUse>>

function sessionKey({ session, workspace }: SessionOwner): string {
  const text = session === undefined ? `folder ${workspace ?? ''}` : `session ${session}`
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

// Uses of sessions that never reported their end.
function dropEnded(list: OpenList, now: number): OpenList {
  if (list.uses === undefined && list.overruled === undefined) return list
  const isOpen = (expiresAt: number): boolean => now < expiresAt
  const uses = Object.entries(list.uses ?? {}).flatMap(([key, own]) => {
    const open = Object.entries(own).filter(([, { expiresAt }]) => isOpen(expiresAt))
    return open.length === 0 ? [] : [[key, Object.fromEntries(open)] as const]
  })
  const overruled = Object.entries(list.overruled ?? {}).filter(([, expiresAt]) => isOpen(expiresAt))
  return { ...list, uses: Object.fromEntries(uses), overruled: Object.fromEntries(overruled) }
}

function withEntry(before: OpenList | undefined, { id, step, expiresAt, appliesTo }: Approval): OpenList {
  const { ends = {}, sessions = {}, sweptAt = 0 } = before ?? {}
  const { [id]: _, ...others } = sessions
  return {
    ...before,
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
