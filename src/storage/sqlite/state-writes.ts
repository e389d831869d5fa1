// What a group of writes holds of the state: what was read in it, since nobody else can write before it is over, and what
// will be written at its end. A value that is changed twice, as a call is when it comes and when it is answered, is written
// once.

import type { GroupPart, WriteGroup } from './write-group.ts'

/** A value as the table holds it. */
export interface StateRow {
  readonly key: string
  readonly value: string
  readonly version: number
}

/** What of a value is written. */
export interface Written {
  readonly key: string
  readonly text: string
  /** The version that it must still have; 0: not there yet. */
  readonly version: number
  readonly expires: number | null
}

/** The statements that it is read and written by. */
export interface StateStatements {
  read(key: string): StateRow | undefined
  /** The highest version that something had that was removed. */
  removed(): number
  insert(row: StateRow, expires: number | null): void
  replace(row: StateRow, expires: number | null): void
}

interface Pending {
  readonly row: StateRow
  readonly expires: number | null
  readonly isNew: boolean
}

/** The state within one group. All stores of one file share it. */
export class StateWrites implements GroupPart {
  readonly #statements: StateStatements
  readonly #rows = new Map<string, StateRow | undefined>()
  readonly #pending = new Map<string, Pending>()
  #removed: number | undefined
  #afterwards: (() => void)[] = []

  constructor(statements: StateStatements) {
    this.#statements = statements
  }

  /** Those of a group. */
  static of(group: WriteGroup, statements: StateStatements): StateWrites {
    return group.part(StateWrites, () => new StateWrites(statements))
  }

  read(key: string): StateRow | undefined {
    const known = this.#rows.get(key)
    if (known !== undefined || this.#rows.has(key)) return known
    const row = this.#statements.read(key)
    this.#rows.set(key, row)
    return row
  }

  /** Takes a value on to be written, unless its version is another by now. */
  write({ key, text, version, expires }: Written): boolean {
    const known = this.read(key)
    if ((known?.version ?? 0) !== version) return false
    this.#removed ??= this.#statements.removed()
    const row: StateRow = { key, value: text, version: (known === undefined ? this.#removed : version) + 1 }
    const isNew = known === undefined || this.#pending.get(key)?.isNew === true
    this.#pending.set(key, { row, expires, isNew })
    this.#rows.set(key, row)
    return true
  }

  /** Forgets what is no longer there. */
  forget(key: string): void {
    this.#rows.delete(key)
    this.#removed = undefined
  }

  /** Does something once all that was taken on is written. */
  afterwards(work: () => void): void {
    this.#afterwards.push(work)
  }

  flush(): void {
    for (const { row, expires, isNew } of this.#pending.values()) {
      if (isNew) this.#statements.insert(row, expires)
      else this.#statements.replace(row, expires)
    }
    this.#pending.clear()
    const works = this.#afterwards
    this.#afterwards = []
    for (const work of works) work()
  }
}
