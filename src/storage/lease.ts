// A lease in the state: of several processes one has it. It ends when it is not renewed, so a process that dies
// holds it for a short time only.

import { randomUUID } from 'node:crypto'
import { isRecord } from '../engine/plain-data.ts'
import type { StateStore } from './ports.ts'

interface Held {
  readonly owner: string
  readonly pid: number
  readonly until: number
}

/** The outcome of `takeLease`. */
export type Taken = { readonly lease: Lease } | { readonly heldBy: number }

export interface LeaseOptions {
  readonly ttlMs: number
  readonly wall: () => number
}

/**
 * Takes a lease, unless another process has it.
 * @example
 * const taken = takeLease(state, 'trace:retention', { ttlMs: 30_000, wall: Date.now })
 */
export function takeLease(state: StateStore, key: string, options: LeaseOptions): Taken {
  const entry = state.get(key)
  const heldBy = findPid(entry?.value, options)
  if (heldBy !== undefined) return { heldBy }
  const lease = new Lease(state, key, options, entry?.version ?? 0)
  return lease.renew() ? { lease } : { heldBy: readHeld(state.get(key)?.value)?.pid ?? 0 }
}

/** The process that has a lease now. */
export function findLeasePid(state: StateStore, key: string, options: LeaseOptions): number | undefined {
  return findPid(state.get(key)?.value, options)
}

class Lease {
  readonly #state: StateStore
  readonly #key: string
  readonly #options: LeaseOptions
  readonly #owner = randomUUID()
  #version: number
  #until = 0

  constructor(state: StateStore, key: string, options: LeaseOptions, version: number) {
    this.#state = state
    this.#key = key
    this.#options = options
    this.#version = version
  }

  /** Extends the lease when less than half of it is left; false when another process has it now. */
  renew(): boolean {
    const { ttlMs, wall } = this.#options
    const leftMs = this.#until - wall()
    if (leftMs > ttlMs / 2 && leftMs <= ttlMs) return true
    const held: Held = { owner: this.#owner, pid: process.pid, until: wall() + ttlMs }
    if (!this.#state.set(this.#key, held, this.#version, ttlMs)) return false
    this.#version = this.#state.get(this.#key)?.version ?? this.#version + 1
    this.#until = held.until
    return true
  }

  release(): void {
    this.#state.remove(this.#key, this.#version)
  }
}

function findPid(value: unknown, { ttlMs, wall }: LeaseOptions): number | undefined {
  const held = readHeld(value)
  // One that lasts longer than any lease was written with another clock.
  const leftMs = (held?.until ?? 0) - wall()
  return leftMs > 0 && leftMs <= ttlMs ? held?.pid : undefined
}

function readHeld(value: unknown): Held | undefined {
  return isRecord(value) && typeof value.until === 'number' ? (value as unknown as Held) : undefined
}
