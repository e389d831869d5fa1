// Writes that come close together, kept by one commit: a commit costs about as much as all that one call writes. What was
// written stands for this process at once and for others with the commit, so whoever tells somebody of it waits for that.

import type Database from 'better-sqlite3'

/** Statements that a group is made of. */
export interface GroupStatements {
  readonly beginWriting: Database.Statement
  readonly commit: Database.Statement
  readonly rollBack: Database.Statement
}

// Others who want to write wait for so long at most, and so does an answer.
const MAX_OPEN_MS = 8

/** A transaction that is open until all that came in together is done. */
export class WriteGroup {
  readonly #db: Database.Database
  readonly #statements: GroupStatements
  readonly #onLost: (error: unknown, entries: number) => void
  readonly #startedAt = performance.now()
  readonly #soon: NodeJS.Immediate
  #depth = 0
  #isOver = false
  #end: () => void = () => undefined
  /** Resolves when it is over, well or not. */
  readonly over = new Promise<void>((resolve) => {
    this.#end = resolve
  })
  /** How many entries of the trace would be missing. */
  entries = 0

  /** Begins one. `onLost` is told when nothing of it was kept. */
  constructor(db: Database.Database, statements: GroupStatements, onLost: (error: unknown, entries: number) => void) {
    statements.beginWriting.run()
    this.#db = db
    this.#statements = statements
    this.#onLost = onLost
    this.#soon = setImmediate(() => this.commit())
    OPEN.add(this)
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

  /** Keeps what was written. Safe to call twice, and left for later by whoever is still adding. */
  commit(): void {
    if (this.#isOver || this.#depth > 0) return
    try {
      this.#statements.commit.run()
      this.#finish()
    } catch (error) {
      this.lose(error)
    }
  }

  /** Nothing of it is kept. Safe to call twice. */
  lose(error: unknown): void {
    if (this.#isOver) return
    if (this.#db.inTransaction) this.#statements.rollBack.run()
    this.#onLost(error, this.entries)
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
