// Work that is done before the stores are closed: what hooks paused is resumed.

import { describe } from '../engine/errors.ts'

type Work = () => Promise<void>

/** The work for the end of a supervisor or a daemon. */
export class ClosingWork {
  readonly #work = new Set<Work>()
  readonly #report: (message: string) => void

  constructor(report: (message: string) => void) {
    this.#report = report
  }

  /** Adds work; the returned function removes it. */
  readonly add = (work: Work): (() => void) => {
    this.#work.add(work)
    return () => void this.#work.delete(work)
  }

  /** Does all work, then `close`: at once if there is none. Never rejects. */
  finish(close: () => void): Promise<void> | undefined {
    if (this.#work.size === 0) {
      close()
      return undefined
    }
    const work = [...this.#work]
    this.#work.clear()
    return Promise.allSettled(work.map((one) => one())).then((ended) => {
      for (const one of ended) if (one.status === 'rejected') this.#report(describe(one.reason))
      close()
    })
  }
}
