// Writes that come close together, kept by one commit: a commit costs about as much as all that one call writes. What was
// written stands for this process at once and for others with the commit, so whoever tells somebody of it waits for that.

import type { Database, Statement } from './driver/driver.ts'

/** What a store holds back until the group is committed. */
export interface GroupPart {
  /** Writes it. What fails takes the whole group with it. */
  flush(): void
}

/** Who is told what becomes of a group, with how many entries of the trace are in it. */
export interface GroupEnd {
  onKept(entries: number): void
  /** Nothing of it was kept. */
  onLost(error: unknown, entries: number): void
}

/** Statements that a group is made of. */
export interface GroupStatements {
  readonly beginWriting: Statement
  readonly commit: Statement
  readonly rollBack: Statement
}

// Others who want to write wait for so long at most, and so does an answer.
const MAX_OPEN_MS = 16

/** A transaction that is open until all that came in together is done. */
export class WriteGroup {
  readonly #db: Database
  readonly #statements: GroupStatements
  readonly #told: GroupEnd
  readonly #startedAt = performance.now()
  #soon: NodeJS.Immediate
  #joined = 0
  #joinedBefore = 0
  readonly #parts = new Map<object, GroupPart>()
  #depth = 0
  #isOver = false
  #end: () => void = () => undefined
  /** Resolves when it is over, well or not. */
  readonly over = new Promise<void>((resolve) => {
    this.#end = resolve
  })
  /** How many entries of the trace would be missing. */
  entries = 0

  /** Begins one. */
  constructor(db: Database, statements: GroupStatements, told: GroupEnd) {
    statements.beginWriting.run()
    this.#db = db
    this.#statements = statements
    this.#told = told
    this.#soon = setImmediate(this.#whenQuiet)
    OPEN.add(this)
  }

  // While each turn of the event loop brings more, those who came are better off waiting for it: with the more, the less
  // of the commit falls on each.
  readonly #whenQuiet = (): void => {
    const isQuiet = this.#joined === this.#joinedBefore
    this.#joinedBefore = this.#joined
    if (isQuiet || !this.takesMore) this.commit()
    else this.#soon = setImmediate(this.#whenQuiet)
  }

  /** Somebody is going to add to it. */
  join(): this {
    this.#joined++
    return this
  }

  /** May more be added to it? */
  get takesMore(): boolean {
    if (this.#isOver || !this.#db.inTransaction) return false
    return this.#depth > 0 || performance.now() - this.#startedAt < MAX_OPEN_MS
  }

  /** Adds to it. What fails is to leave nothing of itself behind; SQLite may then have given up all of it. */
  add<T>(work: () => T): T {
    this.#depth++
    try {
      return work()
    } catch (error) {
      if (!this.#db.inTransaction) this.lose(error)
      throw error
    } finally {
      this.#depth--
    }
  }

  /** What a kind of store holds back in it, made when it is first asked for. */
  part<P extends GroupPart>(kind: object, make: () => P): P {
    const known = this.#parts.get(kind) as P | undefined
    if (known !== undefined) return known
    const made = make()
    this.#parts.set(kind, made)
    return made
  }

  /** Writes what is held back, for somebody who is going to look. */
  flush(): void {
    if (this.#isOver) return
    try {
      for (const part of this.#parts.values()) part.flush()
    } catch (error) {
      this.lose(error)
      throw error
    }
  }

  /** Keeps what was written. Safe to call twice, and left for later by whoever is still adding. */
  commit(): void {
    if (this.#isOver || this.#depth > 0) return
    try {
      for (const part of this.#parts.values()) part.flush()
      this.#statements.commit.run()
      this.#finish()
      this.#told.onKept(this.entries)
    } catch (error) {
      this.lose(error)
    }
  }

  /** Nothing of it is kept. Safe to call twice. */
  lose(error: unknown): void {
    if (this.#isOver) return
    if (this.#db.inTransaction) this.#statements.rollBack.run()
    this.#told.onLost(error, this.entries)
    this.#finish()
  }

  #finish(): void {
    this.#isOver = true
    OPEN.delete(this)
    clearImmediate(this.#soon)
    this.#end()
  }
}

const OPEN = new Set<WriteGroup>()

/** Ends every group of this process but one: who waited for the lock of one of them would wait for himself. */
export function commitGroups(except?: WriteGroup): void {
  for (const group of OPEN) if (group !== except) group.commit()
}
