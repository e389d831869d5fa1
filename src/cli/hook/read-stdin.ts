// The payload that a host writes to stdin.

import type { Readable } from 'node:stream'

// Larger than any tool result that a host sends whole.
const MAX_BYTES = 64 * 1024 * 1024

// Some hosts forget to close it: after such a silence, what came may be all there is.
const SILENCE_MS = 500

/** How long to wait. */
interface Patience {
  readonly patienceMs: number
  readonly signal: AbortSignal
}

/** Everything up to the end, or what came until patience or a signal ended it. Never throws. */
export function readAll(stdin: Readable, { patienceMs, signal }: Patience): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let size = 0
    let silence: NodeJS.Timeout | undefined
    const text = (): string => Buffer.concat(parts).toString('utf8')
    const finish = (): void => {
      clearTimeout(timer)
      clearTimeout(silence)
      stdin.removeAllListeners('data').pause()
      resolve(text())
    }
    const timer = setTimeout(finish, patienceMs)
    signal.addEventListener('abort', finish, { once: true })
    stdin.on('data', (part: Buffer) => {
      parts.push(part)
      size += part.length
      clearTimeout(silence)
      if (size > MAX_BYTES) finish()
      else silence = setTimeout(() => isWhole(text()) && finish(), SILENCE_MS)
    })
    stdin.on('end', finish)
    stdin.on('error', finish)
  })
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
