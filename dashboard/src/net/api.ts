// Requests to the daemon. What it refuses comes back as an error with its own words.

import { signal } from '@preact/signals'
import type { ErrorView } from '../../../src/protocol/views.ts'

/** A refusal, or no answer at all (status 0). */
export class RequestError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The daemon does not know this browser (any more). */
export const isSignedOut = signal(false)

const PATIENCE_MS = 15_000

/** Asks for something. */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>('GET', path, signal)
}

/** Does something. */
export function postJson<T>(path: string): Promise<T> {
  return request<T>('POST', path)
}

async function request<T>(method: string, path: string, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(PATIENCE_MS)
  const response = await fetch(path, {
    method,
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    cache: 'no-store',
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new RequestError(0, 'NO_ANSWER', 'The daemon does not answer.')
  })
  if (response.status === 401) isSignedOut.value = true
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) {
    isSignedOut.value = false
    return body as T
  }
  const { code, message } = (body as ErrorView | undefined)?.error ?? {
    code: `HTTP_${response.status}`,
    message: `The daemon answered with ${response.status}.`,
  }
  throw new RequestError(response.status, code, message)
}
