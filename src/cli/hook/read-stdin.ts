// The payload that a host writes to stdin.

import type { Readable } from 'node:stream'

// Larger than any tool result that a host sends whole.
const MAX_BYTES = 64 * 1024 * 1024

// Some hosts do not close stdin: after this pause the text may be complete.
const PAUSE_MS = 500

interface ReadLimits {
  readonly maxWaitMs: number
  readonly signal: AbortSignal
}

/** Reads stdin to its end, or until the time limit or the signal. Never throws. */
export function readAll(stdin: Readable, { maxWaitMs, signal }: ReadLimits): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let size = 0
    let pause: NodeJS.Timeout | undefined
    const text = (): string => Buffer.concat(parts).toString('utf8')
    const finish = (): void => {
      clearTimeout(timer)
      clearTimeout(pause)
      stdin.removeAllListeners('data').pause()
      resolve(text())
    }
    const timer = setTimeout(finish, maxWaitMs)
    signal.addEventListener('abort', finish, { once: true })
    stdin.on('data', (part: Buffer) => {
      parts.push(part)
      size += part.length
      clearTimeout(pause)
      if (size > MAX_BYTES) finish()
      else pause = setTimeout(() => isComplete(text()) && finish(), PAUSE_MS)
    })
    stdin.on('end', finish)
    stdin.on('error', finish)
  })
}

function isComplete(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
