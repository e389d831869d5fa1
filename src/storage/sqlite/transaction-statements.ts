// The statements of transactions, and parts of a transaction that leave nothing behind when they fail.

import type { Database, Statement } from './driver/driver.ts'

/** The statements of a transaction, prepared once per connection. */
export interface TransactionStatements {
  readonly db: Database
  readonly begin: Statement
  readonly beginWriting: Statement
  readonly commit: Statement
  readonly rollBack: Statement
  readonly savepoint: Statement
  readonly release: Statement
  readonly rollBackTo: Statement
}

/** Runs work inside an open transaction so that it leaves nothing behind when it throws. */
export function inSavepoint<T>({ db, savepoint, release, rollBackTo }: TransactionStatements, work: () => T): T {
  savepoint.run()
  try {
    const result = work()
    release.run()
    return result
  } catch (error) {
    if (db.inTransaction) {
      rollBackTo.run()
      release.run()
    }
    throw error
  }
}
