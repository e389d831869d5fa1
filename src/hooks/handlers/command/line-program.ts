// A hook program that stays: one process, a JSON line in and a JSON line out for each step.
// When it dies it is started again, with a growing pause between attempts; when it hangs it is ended like any command.

import type { Socket } from 'node:net'
import { MAX_OUTPUT_BYTES, shown } from '../handler.ts'
import {
  type ChildWithPipes,
  drained,
  hasPipes,
  type Invocation,
  LONGEST_TIMER_MS,
  start,
  whyNotStarted,
} from './spawn.ts'
import { terminateGroup } from './terminate.ts'

/** What became of one line. */
export type LineReply =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'died'; readonly why: string }
  | { readonly kind: 'not-started'; readonly why: string }
  | { readonly kind: 'too-large' }

/** How to start the program. */
export type LineInvocation = Pick<Invocation, 'file' | 'args' | 'cwd' | 'env' | 'graceMs'>

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
const DISPOSED: LineReply = { kind: 'not-started', why: 'it was disposed of' }

/** A program that answers line by line, in order. */
export class LineProgram {
  readonly #how: LineInvocation
  #process: LineProcess | undefined
  #deaths = 0
  #mayStartAt = 0
  #isDisposed = false

  constructor(how: LineInvocation) {
    this.#how = how
  }

  /** Sends one line and waits for its answer. Never rejects. */
  async ask(line: string, limitMs: number): Promise<LineReply> {
    const giveUpAt = performance.now() + limitMs
    // After a pause somebody else may have started it, and it may have died once more.
    while (this.#process === undefined && !this.#isDisposed) {
      const pauseMs = this.#mayStartAt - performance.now()
      if (pauseMs > 0 && this.#mayStartAt >= giveUpAt) return this.#tooOftenDead(pauseMs)
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      else this.#process = this.#start()
    }
    if (this.#isDisposed || this.#process === undefined) return DISPOSED
    const reply = await this.#process.ask(line, giveUpAt - performance.now())
    if (reply.kind === 'line') this.#deaths = 0
    return reply
  }

  /** Ends the process, if any; safe to call twice. */
  dispose(): void {
    this.#isDisposed = true
    this.#process?.end('it was disposed of')
  }

  #start(): LineProcess {
    const started = new LineProcess(this.#how, () => {
      if (this.#process === started) this.#process = undefined
      this.#deaths++
      this.#mayStartAt = performance.now() + Math.min(FIRST_PAUSE_MS * 2 ** (this.#deaths - 1), LONGEST_PAUSE_MS)
    })
    return started
  }

  #tooOftenDead(pauseMs: number): LineReply {
    const times = this.#deaths === 1 ? 'once' : `${this.#deaths} times`
    return { kind: 'not-started', why: `it died ${times}; the next start is in ${Math.ceil(pauseMs)} ms` }
  }
}

interface Waiting {
  readonly resolve: (reply: LineReply) => void
  readonly timer: NodeJS.Timeout
}

// One life of the program: answers have the order of the requests, so the oldest request gets the next line.
class LineProcess {
  readonly #graceMs: number
  readonly #onDeath: () => void
  readonly #child: ChildWithPipes | undefined
  readonly #waiting: Waiting[] = []
  #isDead = false
  #partialLine = ''
  #stderr = ''
  /** Why there is no process. */
  readonly #whyNot: string = ''

  constructor(how: LineInvocation, onDeath: () => void) {
    this.#graceMs = how.graceMs
    this.#onDeath = onDeath
    const child = start(how)
    if (hasPipes(child)) {
      this.#child = child
      this.#listen(child, how)
      this.#holdProcessAlive(false)
    } else {
      this.#whyNot = child.why
    }
  }

  ask(line: string, limitMs: number): Promise<LineReply> {
    const child = this.#child
    if (child === undefined) {
      this.#die()
      return Promise.resolve({ kind: 'not-started', why: this.#whyNot })
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp(), Math.min(limitMs, LONGEST_TIMER_MS))
      this.#waiting.push({ resolve, timer })
      this.#holdProcessAlive(true)
      child.stdin.write(`${line}\n`)
    })
  }

  /** Ends the program; waiting requests get the reason. */
  end(why: string): void {
    this.#die()
    this.#answerAll({ kind: 'died', why })
    if (this.#child?.pid !== undefined) void terminateGroup(this.#child.pid, this.#graceMs)
  }

  #listen(child: ChildWithPipes, how: LineInvocation): void {
    child.once('error', (error) => {
      this.#die()
      this.#answerAll({ kind: 'not-started', why: whyNotStarted(error, how) })
      closePipes(child)
    })
    child.once('exit', (code, signal) => {
      this.#die()
      void this.#bury(child, signal === null ? `exited with code ${code}` : `was killed by ${signal}`)
    })
    // A program that closes its input will not answer: its exit or the time limit tells.
    child.stdin.on('error', () => undefined)
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR)
    })
  }

  // Its last answers may still be in the pipe.
  async #bury(child: ChildWithPipes, ending: string): Promise<void> {
    if (!child.stdout.closed) await drained(new Promise((resolve) => child.stdout.once('close', resolve)))
    const why = `it ${ending}${this.#stderr === '' ? '' : `: ${shown(this.#stderr)}`}`
    this.#answerAll({ kind: 'died', why })
    closePipes(child)
  }

  // Lines that are no JSON object are ignored.
  #read(text: string): void {
    const lines = (this.#partialLine + text).split('\n')
    this.#partialLine = lines.pop() ?? ''
    for (const line of lines) {
      if (line.trimStart().startsWith('{')) this.#answer(isTooLarge(line) ? TOO_LARGE : { kind: 'line', text: line })
    }
    if (isTooLarge(this.#partialLine)) {
      this.#partialLine = ''
      this.#answer(TOO_LARGE)
      this.end('it wrote a line of more than 1 MiB')
    }
  }

  #answer(reply: LineReply): void {
    const first = this.#waiting.shift()
    if (first === undefined) return
    clearTimeout(first.timer)
    first.resolve(reply)
    if (this.#waiting.length === 0) this.#holdProcessAlive(false)
  }

  #answerAll(reply: LineReply): void {
    while (this.#waiting.length > 0) this.#answer(reply)
  }

  // One answer is overdue, so those behind it will not come either.
  #giveUp(): void {
    this.#answer({ kind: 'timeout' })
    this.end('it did not answer in time')
  }

  // This process gets no further requests.
  #die(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#onDeath()
  }

  // A program without waiting requests must not keep this process alive; when this process ends, its input closes.
  #holdProcessAlive(isHeld: boolean): void {
    const child = this.#child
    if (child === undefined) return
    for (const handle of [child, child.stdin, child.stdout, child.stderr] as Partial<Socket>[]) {
      if (isHeld) handle.ref?.()
      else handle.unref?.()
    }
  }
}

const KEPT_STDERR = 4_096
const TOO_LARGE: LineReply = { kind: 'too-large' }

// A character is three bytes at most.
function isTooLarge(line: string): boolean {
  return line.length * 3 > MAX_OUTPUT_BYTES && Buffer.byteLength(line) > MAX_OUTPUT_BYTES
}

function closePipes({ stdin, stdout, stderr }: ChildWithPipes): void {
  for (const stream of [stdin, stdout, stderr]) stream.destroy()
}
