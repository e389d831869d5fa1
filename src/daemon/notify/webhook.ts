// Sends a message to a webhook: signed, and repeated with growing pauses until it arrives or the last attempt has failed.

import { createHmac } from 'node:crypto'
import type { WebhookTarget } from '../../config/config.ts'
import type { Clock } from '../../engine/clock.ts'
import { pause } from '../../engine/deadline.ts'
import { describe } from '../../engine/errors.ts'
import { systemClock } from '../../platform/engine-services.ts'

interface PostOptions {
  /** Ends all attempts. */
  readonly signal: AbortSignal
  /** False once the message is out of date: it is not repeated then. */
  readonly isDue: () => boolean
  readonly clock?: Clock
}

/** The pauses between attempts: about one minute in all. */
const PAUSES_MS = [1_000, 3_000, 9_000, 27_000] as const
const ATTEMPT_MS = 5_000

/** Sends a message; throws the error of the last attempt. */
export async function postMessage(
  target: WebhookTarget,
  body: string,
  { signal, isDue, clock = systemClock }: PostOptions,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const failure = await post(target, body, clock)
    if (failure === undefined) return
    const pauseMs = PAUSES_MS[attempt]
    if (pauseMs === undefined || !failure.canRepeat) throw new Error(`${failure.why} (attempt ${attempt + 1})`)
    await pause(pauseMs, { clock, signal })
    if (signal.aborted) throw new Error(`${failure.why} (stopped after attempt ${attempt + 1})`)
    if (!isDue()) return
  }
}

/** The headers that prove the sender: HMAC-SHA256 over the time and the body. */
function signMessage(secret: string, seconds: number, body: string): Readonly<Record<string, string>> {
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return { 'x-arc-timestamp': String(seconds), 'x-arc-signature': `sha256=${signature}` }
}

interface PostFailure {
  readonly why: string
  readonly canRepeat: boolean
}

async function post({ url, secret }: WebhookTarget, body: string, clock: Clock): Promise<PostFailure | undefined> {
  const signed = secret === undefined ? {} : signMessage(secret, Math.floor(clock.wall() / 1_000), body)
  const headers = { 'content-type': 'application/json', 'user-agent': 'arc-supervisor', ...signed }
  try {
    const signal = AbortSignal.timeout(ATTEMPT_MS)
    const response = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'error' })
    await response.body?.cancel()
    if (response.ok) return undefined
    const { status } = response
    return { why: `it answered with status ${status}`, canRepeat: status >= 500 || status === 408 || status === 429 }
  } catch (error) {
    return { why: describe(error), canRepeat: true }
  }
}
