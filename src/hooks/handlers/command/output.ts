// One output stream of a child: read to the end so that the child never blocks, kept only up to a limit.

import type { Readable } from 'node:stream'

/** What came out of a stream. */
export interface CapturedOutput {
  readonly text: string
  /** Bytes beyond the limit, counted and thrown away. */
  readonly droppedBytes: number
}

/** Reads a stream from now on; `take` gives what has come so far. */
export class OutputReader {
  readonly #stream: Readable
  readonly #limit: number
  readonly #chunks: Buffer[] = []
  #kept = 0
  #dropped = 0
  #hasEnded = false
  /** Settles when the stream has ended, in whatever way. */
  readonly ended: Promise<void>

  constructor(stream: Readable, limit: number) {
    this.#stream = stream
    this.#limit = limit
    stream.on('data', (chunk: Buffer) => this.#keep(chunk))
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true
        resolve()
      }
      stream.once('close', end)
      // A broken pipe ends the output; the exit of the child says how it ended.
      stream.once('error', end)
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  take(): CapturedOutput {
    const [first] = this.#chunks
    const whole = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    return { text: whole?.toString('utf8') ?? '', droppedBytes: this.#dropped }
  }

  /** Stops reading, also when somebody else still holds the other end. */
  stop(): void {
    this.#stream.destroy()
  }

  #keep(chunk: Buffer): void {
    const room = this.#limit - this.#kept
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#kept += Math.min(room, chunk.length)
    this.#dropped += Math.max(0, chunk.length - room)
  }
}
