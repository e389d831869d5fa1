// Every call of a round with its answer and the faults that were active, in a file outside of the home under test.

import { closeSync, openSync, writeSync } from 'node:fs'

export class Ledger {
  calls = []
  /** Names of the faults that are active now. */
  faults = new Set()
  #file

  constructor(path) {
    this.#file = openSync(path, 'a')
  }

  /** Sends a call and notes it. */
  async note(way, { marker, kind }, send) {
    const sentAt = Date.now()
    const before = [...this.faults]
    const reply = await send()
    const faults = [...new Set([...before, ...this.faults])]
    const call = { marker, way, kind, sentAt, answeredAt: Date.now(), faults, ...reply }
    this.calls.push(call)
    writeSync(this.#file, `${JSON.stringify(call)}\n`)
    return call
  }

  close() {
    closeSync(this.#file)
  }
}
