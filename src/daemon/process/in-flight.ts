// The work in flight of a daemon, so that a stop can wait for its end.

/** Counts the work in flight. */
export class InFlight {
  readonly #open = new Set<Promise<unknown>>()

  /** Counts a promise until it ends. */
  add<T>(work: Promise<T>): Promise<T> {
    const end = (): void => {
      this.#open.delete(counted)
    }
    const counted = work.then(end, end)
    this.#open.add(counted)
    return work
  }

  get size(): number {
    return this.#open.size
  }

  /** Resolves when all work has ended, at the latest after `ms`. */
  async finish(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([Promise.all(this.#open), over])
    clearTimeout(timer)
  }
}
