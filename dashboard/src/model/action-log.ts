// The actions of the page, oldest first, built from steps that may arrive in any order and more than once. Limited: the
// oldest are removed first. Page and daemon build actions with the same function: joinStep.

import { joinStep } from '../../../src/protocol/feed.ts'
import type { Action, FeedStep, FeedVerdict } from '../../../src/protocol/views.ts'

/** How a batch of steps changed the log. */
export interface LogChange {
  /** New actions at the end, in order. */
  readonly appended: readonly Action[]
  /** Changed actions at the same position. */
  readonly updated: readonly Action[]
  /** Actions moved, were inserted or removed: read the whole log again. */
  readonly isRearranged: boolean
}

const MAX_ACTIONS = 100_000
// Removed in batches: to cut a long array costs the same for one as for many.
const SLACK = 2_000
const MAX_SHARED = 10_000

export class ActionLog {
  readonly #max: number
  readonly #byId = new Map<string, Action>()
  readonly #words = new Map<string, string>()
  readonly #passes = new Map<string, readonly FeedVerdict[]>()
  #list: Action[] = []
  /** Steps up to this record were removed; they are not added again. */
  #cutAt = 0

  constructor(max = MAX_ACTIONS) {
    this.#max = max
  }

  /** Oldest first. Read-only for callers. */
  get actions(): readonly Action[] {
    return this.#list
  }

  get(id: string): Action | undefined {
    return this.#byId.get(id)
  }

  /** Adds steps; known steps change nothing. */
  add(steps: readonly FeedStep[]): LogChange {
    const before = new Map<string, Action | undefined>()
    for (const given of steps) {
      if (given.seq <= this.#cutAt) continue
      const known = this.#byId.get(given.action)
      const joined = joinStep(known, this.#slim(given))
      if (joined === known) continue
      if (!before.has(given.action)) before.set(given.action, known)
      this.#byId.set(given.action, joined)
    }
    return this.#place(before)
  }

  /** Removes the oldest actions unless the view is held; true if actions were removed. */
  trim({ isHeld = false }: { readonly isHeld?: boolean } = {}): boolean {
    const most = isHeld ? this.#max * 2 : this.#max + Math.min(SLACK, this.#max)
    if (this.#list.length <= most) return false
    const gone = this.#list.splice(0, this.#list.length - this.#max)
    for (const { id, seq } of gone) {
      this.#byId.delete(id)
      this.#cutAt = Math.max(this.#cutAt, seq)
    }
    return true
  }

  clear(): void {
    this.#byId.clear()
    this.#words.clear()
    this.#passes.clear()
    this.#list = []
    this.#cutAt = 0
  }

  #place(before: ReadonlyMap<string, Action | undefined>): LogChange {
    const fresh: Action[] = []
    const updated: Action[] = []
    let hasMoved = false
    for (const [id, old] of before) {
      const action = this.#byId.get(id)
      if (action === undefined) continue
      if (old === undefined) fresh.push(action)
      else if (old.seq === action.seq) {
        this.#list[indexOfSeq(this.#list, action.seq)] = action
        updated.push(action)
      } else hasMoved = true
    }
    fresh.sort(bySeq)
    const last = this.#list.at(-1)?.seq ?? -1
    if (!hasMoved && (fresh[0]?.seq ?? Number.POSITIVE_INFINITY) > last) {
      for (const action of fresh) this.#list.push(action)
      return { appended: fresh, updated, isRearranged: false }
    }
    this.#list = [...this.#byId.values()].sort(bySeq)
    return { appended: [], updated: [], isRearranged: true }
  }

  // Saves memory for a hundred thousand rows: repeated values are shared. The duration of hooks that passed is only in the
  // detail, which is requested.
  #slim(step: FeedStep): FeedStep {
    const slim: Record<string, unknown> = { ...step, verdicts: this.#slimVerdicts(step.verdicts) }
    for (const key of ['point', 'tool', 'agent', 'host', 'session', 'turn', 'profile', 'workspace', 'hook']) {
      const word = slim[key]
      if (typeof word === 'string') slim[key] = this.#once(word)
    }
    return slim as unknown as FeedStep
  }

  #slimVerdicts(verdicts: readonly FeedVerdict[]): readonly FeedVerdict[] {
    const isPlain = ({ decision, isError, skipped }: FeedVerdict): boolean =>
      decision === 'pass' && isError !== true && skipped === undefined
    if (!verdicts.every(isPlain)) return verdicts
    const key = verdicts.map(({ hook }) => hook).join('\n')
    const known = this.#passes.get(key)
    if (known !== undefined) return known
    if (this.#passes.size > MAX_SHARED) this.#passes.clear()
    this.#passes.set(key, verdicts)
    return verdicts
  }

  #once(word: string): string {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    if (this.#words.size > MAX_SHARED) this.#words.clear()
    this.#words.set(word, word)
    return word
  }
}

/** The index of the first action at or after `seq`. */
export function indexOfSeq(list: readonly Action[], seq: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.seq ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}

export function bySeq(a: Action, b: Action): number {
  return a.seq - b.seq
}
