// Requests to the daemon. An error response becomes a RequestError with the daemon's message.

import { signal } from '@preact/signals'
import type { ErrorView } from '../../../src/protocol/views.ts'

/** An error response, or no response (status 0). */
export class RequestError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The browser has no valid session. */
export const isSignedOut = signal(false)

const TIMEOUT_MS = 15_000

/** Sends a GET request. */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>('GET', path, signal)
}

/** Sends a POST request. */
export function post<T>(path: string): Promise<T> {
  return request<T>('POST', path)
}

async function request<T>(method: string, path: string, signal?: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
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
    message: `The daemon returned status ${response.status}.`,
  }
  throw new RequestError(response.status, code, message)
}
