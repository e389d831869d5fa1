// Approvals in the state store: read with their expiry, changed by compare-and-set, found by the hash of their step.

import { createHash } from 'node:crypto'
import type { Clock } from '../engine/clock.ts'
import { ArcError, describe, show } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import { type Approval, type HeldStep, readApproval } from './approval.ts'
import type { ApprovalIndex } from './approval-index.ts'
import { readBoundArgs } from './bound-args.ts'
import { shortenExpired } from './stored-args.ts'

/** How long answered, used and expired approvals are kept. */
export const RETENTION_MS = 86_400_000
/** The start of the keys of approvals in the state. */
export const PREFIX = 'approval:'

interface StoreServices {
  readonly state: StateStore
  readonly clock: Clock
  /** Canonical JSON, as in the trace. */
  readonly canonicalize: (value: unknown) => string
}

/** The stored approvals of a home. */
export class ApprovalStore {
  readonly #services: StoreServices
  readonly #index: ApprovalIndex

  constructor(services: StoreServices, index: ApprovalIndex) {
    this.#services = services
    this.#index = index
  }

  get(id: string): Approval | undefined {
    return this.#read(this.#services.state.get(PREFIX + id)?.value)
  }

  /** All stored approvals, oldest first. */
  list(): readonly Approval[] {
    const all = this.#services.state.list(PREFIX).map(({ value }) => this.#read(value))
    return all.filter((approval) => approval !== undefined).sort((a, b) => a.createdAt - b.createdAt)
  }

  /** The approvals of a step's hash, oldest first. */
  findByHash(hash: string): readonly Approval[] {
    return this.#index.findByHash(hash).flatMap((id) => this.get(id) ?? [])
  }

  /** Adds a new approval; throws when too many are pending. */
  add(approval: Approval): void {
    const { ended, isPurgeDue } = this.#index.add(approval)
    if (!this.#services.state.set(PREFIX + approval.id, approval, 0)) {
      throw new ArcError('ARC_STORE_BUSY', `There is an approval ${show(approval.id)} already.`)
    }
    for (const expired of ended) this.#shrink(expired)
    if (isPurgeDue) this.#purge()
  }

  /** Changes an approval. Defined for exactly one of several concurrent calls: the one that made the change. */
  change(id: string, change: (approval: Approval) => Approval | undefined): Approval | undefined {
    let changed: Approval | undefined
    update<unknown>(this.#services.state, PREFIX + id, (value) => {
      const approval = this.#read(value)
      changed = approval === undefined ? undefined : change(approval)
      return changed
    })
    return changed
  }

  /** The hash of the content of the step in its project. Not the session: a headless agent has a new one for each run. */
  hashStep({ point, tool, args, workspace }: HeldStep): string {
    try {
      const text = this.#services.canonicalize({ point, tool, args: readBoundArgs(tool, args), workspace })
      return createHash('sha256').update(text).digest('hex')
    } catch (error) {
      throw new ArcError('ARC_DATA_INVALID', `Approval of this step cannot be requested: ${describe(error)}.`)
    }
  }

  #read(value: unknown): Approval | undefined {
    return readApproval(value, this.#services.clock.wall())
  }

  #shrink(id: string): void {
    this.change(id, (approval) =>
      approval.status === 'expired'
        ? { ...approval, step: { ...approval.step, args: shortenExpired(approval.step.args) } }
        : undefined,
    )
  }

  #purge(): void {
    const { state, clock } = this.#services
    const before = clock.wall() - RETENTION_MS
    for (const { key, value, version } of state.list(PREFIX)) {
      const approval = this.#read(value)
      if (approval === undefined || approval.expiresAt < before) state.remove(key, version)
    }
  }
}
