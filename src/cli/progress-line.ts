// Shows on stderr that a long command is alive: a bar, or a text with the elapsed seconds. On a terminal it is one line
// that is drawn again; elsewhere a plain line, every ten seconds at most; with --json nothing.

import colors from './colors.ts'
import { context } from './context.ts'
import { displayWidth, forTerminal, oneLine } from './output.ts'

const DRAW_MS = 100
const TICK_MS = 1_000
const PLAIN_MS = 10_000
const BAR_WIDTH = 24
const DEFAULT_COLUMNS = 80

/** What the progress is printed for. */
export interface ProgressOptions {
  /** With `--json` nothing is printed. */
  readonly isJson?: boolean | undefined
}

/** One line of progress. */
export class ProgressLine {
  readonly #isSilent: boolean
  readonly #stream = context().stderr
  readonly #isDrawn = this.#stream.isTTY === true && context().env.TERM !== 'dumb'
  #drawnAt = Number.NEGATIVE_INFINITY
  #plainAt = performance.now()
  /** The width of the line on the screen; 0 without one. */
  #width = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ isJson = false }: ProgressOptions = {}) {
    this.#isSilent = isJson
  }

  /**
   * Shows a count that grows: a bar if the total is known.
   * @example
   * progress.count('verified', 4_500, 10_000) // verified  ██████████░░░░░░░░░░░░░░  45 %  4,500 of 10,000 records
   */
  count(what: string, done: number, of?: number): void {
    const now = performance.now()
    if (this.#isSilent || now - this.#drawnAt < DRAW_MS) return
    this.#drawnAt = now
    const total = of === undefined ? '' : ` of ${of.toLocaleString('en')}`
    const text = `${done.toLocaleString('en')}${total} records`
    if (this.#isDrawn) this.#write(`${what}  ${of === undefined ? '' : `${bar(done, of)}  `}${text}`)
    else this.#printPlain(`${what} ${text}`)
  }

  /** Shows a text and the seconds since now, from `afterMs` on, until the next call. */
  wait(what: string, afterMs = 0): void {
    this.end()
    if (this.#isSilent) return
    const text = oneLine(what)
    const since = performance.now()
    const tick = (): void => {
      const ms = performance.now() - since
      if (ms < afterMs) return
      const line = `${text} … ${formatSeconds(Math.floor(ms / 1_000))}`
      if (this.#isDrawn) this.#write(line)
      else this.#printPlain(line)
    }
    if (afterMs === 0) {
      if (this.#isDrawn) tick()
      else this.#printPlain(`${text} …`, true)
    }
    this.#timer = setInterval(tick, TICK_MS)
    this.#timer.unref()
  }

  /** Removes the line, so that other text can be printed; a wait draws it again. */
  clear(): void {
    // Blanks instead of an escape sequence, which a terminal without colours need not know.
    if (this.#width > 0) this.#stream.write(`\r${' '.repeat(this.#width)}\r`)
    this.#width = 0
  }

  /** Ends the progress. Safe to call twice. */
  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#drawnAt = Number.NEGATIVE_INFINITY
    this.clear()
  }

  #write(line: string): void {
    this.clear()
    const text = fitLine(line, this.#stream.columns)
    this.#width = displayWidth(text)
    this.#stream.write(forTerminal(colors.dim(text)))
  }

  #printPlain(line: string, isAtOnce = false): void {
    const now = performance.now()
    if (!isAtOnce && now - this.#plainAt < PLAIN_MS) return
    this.#plainAt = now
    this.#stream.write(`${forTerminal(line)}\n`)
  }
}

/**
 * Shows a text with the elapsed seconds if the work takes longer than a second.
 * @example
 * await whileWaiting('waiting for the daemon', startDaemon())
 */
export async function whileWaiting<T>(what: string, work: Promise<T>, options?: ProgressOptions): Promise<T> {
  const progress = new ProgressLine(options)
  progress.wait(what, TICK_MS)
  try {
    return await work
  } finally {
    progress.end()
  }
}

/** Formats seconds: `12s`, `3m 20s`. */
export function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}

function bar(done: number, of: number): string {
  const share = of <= 0 ? 1 : Math.min(1, Math.max(0, done / of))
  const full = Math.round(share * BAR_WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}  ${Math.floor(share * 100)} %`
}

// A line that wraps could not be removed again.
function fitLine(line: string, columns = DEFAULT_COLUMNS): string {
  const room = columns - 1
  return displayWidth(line) > room ? `${line.slice(0, Math.max(0, room - 1))}…` : line
}
