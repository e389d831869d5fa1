// The rows of the feed: the log with a filter, optionally held, followed by loaded pages of older actions. Updated by changes,
// not by reading the whole log each time.

import type { Action } from '../../../src/protocol/views.ts'
import { type ActionLog, bySeq, indexOfSeq, type LogChange } from './action-log.ts'
import { compileFilter, type Filter, NO_FILTER } from './filter.ts'

export class FeedView {
  readonly #log: ActionLog
  #filter: Filter = NO_FILTER
  #isWanted: (action: Action) => boolean = () => true
  #matching: Action[] = []
  /** Loaded actions that are older than the log, oldest first. */
  #past: Action[] = []
  /** While held: the newest visible record. */
  #heldAt: number | undefined

  constructor(log: ActionLog) {
    this.#log = log
    this.rebuild()
  }

  get filter(): Filter {
    return this.#filter
  }

  set filter(filter: Filter) {
    this.#filter = filter
    this.#isWanted = compileFilter(filter)
    this.#past = []
    this.rebuild()
  }

  get isHeld(): boolean {
    return this.#heldAt !== undefined
  }

  /** Stops showing new rows. */
  hold(): void {
    this.#heldAt ??= this.#log.actions.at(-1)?.seq ?? 0
  }

  release(): void {
    this.#heldAt = undefined
  }

  /** The number of rows. */
  get count(): number {
    return this.#past.length + this.#shownOfLog()
  }

  /** The number of new rows while held. */
  get unread(): number {
    return this.#matching.length - this.#shownOfLog()
  }

  /** A row by index, newest first. */
  at(index: number): Action | undefined {
    const fromStart = this.count - 1 - index
    return fromStart < this.#past.length ? this.#past[fromStart] : this.#matching[fromStart - this.#past.length]
  }

  /** The index of an action, newest first; -1 if it is not visible. */
  indexOf(id: string): number {
    for (let index = 0; index < this.count; index += 1) if (this.at(index)?.id === id) return index
    return -1
  }

  /** The oldest record: older pages are loaded before it. */
  get oldest(): number | undefined {
    return this.#past[0]?.seq ?? this.#log.actions[0]?.seq
  }

  /** Applies a change of the log. */
  apply(change: LogChange): void {
    if (change.isRearranged) {
      this.rebuild()
      return
    }
    for (const action of change.updated) this.#update(action)
    for (const action of change.appended) if (this.#isWanted(action)) this.#matching.push(action)
  }

  /** Reads the whole log again. */
  rebuild(): void {
    this.#matching = this.#log.actions.filter(this.#isWanted)
    this.#past = this.#past.filter(({ id }) => this.#log.get(id) === undefined)
  }

  /** Adds a page of older actions, without actions of the log. */
  addPast(actions: readonly Action[]): void {
    const known = new Set(this.#past.map(({ id }) => id))
    const first = this.#log.actions[0]?.seq ?? Number.POSITIVE_INFINITY
    const fresh = actions.filter(({ id, seq }) => seq < first && !known.has(id) && this.#log.get(id) === undefined)
    this.#past = [...fresh, ...this.#past].sort(bySeq)
  }

  /** Drops the loaded pages: they no longer join the log. */
  forgetPast(): void {
    this.#past = []
    this.rebuild()
  }

  #shownOfLog(): number {
    return this.#heldAt === undefined ? this.#matching.length : indexOfSeq(this.#matching, this.#heldAt + 1)
  }

  #update(action: Action): void {
    const index = indexOfSeq(this.#matching, action.seq)
    const isThere = this.#matching[index]?.seq === action.seq
    if (this.#isWanted(action)) this.#matching.splice(index, isThere ? 1 : 0, action)
    else if (isThere) this.#matching.splice(index, 1)
  }
}
