// The full screen of a terminal: its escape sequences, its keys, and its restoration. The terminal is restored when the
// process exits, fails, is ended by a signal or is suspended.

import { context } from '../../context.ts'
import { readAllKeys, readKeys } from './keys.ts'
import type { Size } from './watch-state.ts'

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }
type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

// The other screen, no cursor, no line wrap.
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l'
// Before the text: after a line of the full width it would remove the last character.
const CLEAR_LINE = '\u001b[2K'
const RESET = '\u001b[0m'
const CLEAR = '\u001b[2J'
const BELL = '\u0007'
// How long the rest of an escape sequence may take, for example over ssh.
const ESCAPE_MS = 50
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 }

/** What the owner of the screen does. */
export interface ScreenListener {
  onKey(key: string): void
  /** The size changed, or the screen was lost: draw again. */
  onRedraw(): void
}

/** Can the streams of the command show a full screen? */
export function hasFullScreen(): boolean {
  const { stdin, stdout, env } = context()
  const input: Input = stdin
  return input.isTTY === true && input.setRawMode !== undefined && stdout.isTTY === true && env.TERM !== 'dumb'
}

/**
 * A full screen. `leave` and `close` restore the terminal and are safe to call twice.
 * @example
 * const screen = new FullScreen({ onKey, onRedraw })
 * screen.open()
 * screen.draw(['hello'])
 * screen.close()
 */
export class FullScreen {
  readonly #listener: ScreenListener
  readonly #input: Input = context().stdin
  readonly #output: Output = context().stdout
  #isEntered = false
  #shown: readonly string[] = []
  #rest = ''
  #escapeTimer: NodeJS.Timeout | undefined

  constructor(listener: ScreenListener) {
    this.#listener = listener
  }

  get size(): Size {
    const { columns, rows } = this.#output
    // A terminal of an unknown size reports 0.
    return { columns: columns || DEFAULT_SIZE.columns, rows: rows || DEFAULT_SIZE.rows }
  }

  /** Shows the screen and handles signals until `close`. */
  open(): void {
    process.on('exit', this.leave)
    process.on('uncaughtExceptionMonitor', this.leave)
    for (const signal of ENDING) process.on(signal, this.#end)
    process.on('SIGTSTP', this.suspend)
    process.on('SIGCONT', this.#resume)
    this.#output.on('resize', this.#redraw)
    this.#input.on('end', this.#hangUp)
    this.enter()
  }

  /** Restores the terminal for good. */
  close(): void {
    this.leave()
    process.off('exit', this.leave)
    process.off('uncaughtExceptionMonitor', this.leave)
    for (const signal of ENDING) process.off(signal, this.#end)
    process.off('SIGTSTP', this.suspend)
    process.off('SIGCONT', this.#resume)
    this.#output.off('resize', this.#redraw)
    this.#input.off('end', this.#hangUp)
  }

  enter(): void {
    if (this.#isEntered) return
    this.#isEntered = true
    this.#shown = []
    this.#input.setRawMode?.(true)
    this.#input.on('data', this.#read)
    this.#input.resume()
    this.#output.write(ENTER)
  }

  /** Restores the terminal, so that other text can be printed. */
  leave = (): void => {
    if (!this.#isEntered) return
    this.#isEntered = false
    clearTimeout(this.#escapeTimer)
    this.#rest = ''
    this.#output.write(LEAVE)
    this.#input.off('data', this.#read)
    this.#input.pause()
    this.#input.setRawMode?.(false)
  }

  /** Draws the lines that changed. They must be escaped already. */
  draw(lines: readonly string[]): void {
    if (!this.#isEntered) return
    const changed = lines.flatMap((line, at) => {
      return line === this.#shown[at] ? [] : [`\u001b[${at + 1};1H${CLEAR_LINE}${line}${RESET}`]
    })
    this.#shown = lines
    if (changed.length > 0) this.#output.write(changed.join(''))
  }

  /** Draws everything again. */
  redraw(): void {
    this.#shown = []
    if (this.#isEntered) this.#output.write(CLEAR)
    this.#listener.onRedraw()
  }

  ring(): void {
    this.#output.write(BELL)
  }

  /** Stops the process as Ctrl-Z does, and continues when the shell says so. */
  suspend = (): void => {
    const wasEntered = this.#isEntered
    this.leave()
    process.off('SIGTSTP', this.suspend)
    // The whole group, as the terminal would.
    process.kill(0, 'SIGTSTP')
    // Runs after the process is continued, or at once where the system does not stop it.
    setTimeout(() => {
      process.on('SIGTSTP', this.suspend)
      if (wasEntered) this.enter()
      this.#listener.onRedraw()
    }, ESCAPE_MS)
  }

  // After SIGSTOP, which no process can handle, the shell has changed the settings of the terminal.
  #resume = (): void => {
    if (!this.#isEntered) return
    this.leave()
    this.enter()
    this.#listener.onRedraw()
  }

  #redraw = (): void => this.redraw()

  // The terminal is gone.
  #hangUp = (): void => this.#listener.onKey('ctrl-c')

  // Ends the process by the same signal.
  #end = (signal: NodeJS.Signals): void => {
    this.close()
    process.kill(process.pid, signal)
  }

  #read = (chunk: Buffer | string): void => {
    clearTimeout(this.#escapeTimer)
    const { keys, rest } = readKeys(this.#rest + chunk.toString())
    this.#rest = rest
    if (rest !== '') this.#escapeTimer = setTimeout(this.#flush, ESCAPE_MS)
    for (const key of keys) this.#listener.onKey(key)
  }

  #flush = (): void => {
    const keys = readAllKeys(this.#rest)
    this.#rest = ''
    for (const key of keys) this.#listener.onKey(key)
  }
}
