// One line on stderr that shows how far a long command is. Only on a terminal.

import { context } from './context.ts'

const EVERY_MS = 100

/** Shows a count that grows. */
export class ProgressLine {
  readonly #what: string
  readonly #isShown = context().stderr.isTTY === true && context().env.TERM !== 'dumb'
  #shownAt = Number.NEGATIVE_INFINITY

  constructor(what: string) {
    this.#what = what
  }

  show(done: number, of?: number): void {
    if (!this.#isShown || performance.now() - this.#shownAt < EVERY_MS) return
    this.#shownAt = performance.now()
    const total = of === undefined ? '' : ` of ${of.toLocaleString('en')}`
    context().stderr.write(`\r\u001b[K${this.#what} ${done.toLocaleString('en')}${total} records`)
  }

  /** Removes the line. Safe to call twice. */
  end(): void {
    if (this.#isShown && this.#shownAt > Number.NEGATIVE_INFINITY) context().stderr.write('\r\u001b[K')
    this.#shownAt = Number.NEGATIVE_INFINITY
  }
}
