// Something fetched for a page: asked for again when its key changes, and the last answer kept on show meanwhile.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { getJson, RequestError } from '../net/api.ts'
import { now } from './clock.ts'

export interface Resource<T> {
  readonly data: T | undefined
  readonly failure: RequestError | undefined
}

/**
 * @param path what to ask for; nothing is asked for while undefined
 * @param version asked again whenever it changes
 */
export function useResource<T>(path: string | undefined, version: unknown = 0): Resource<T> {
  const state: Signal<Resource<T>> = useSignal<Resource<T>>({ data: undefined, failure: undefined })
  useEffect(() => {
    if (path === undefined) return undefined
    const abort = new AbortController()
    getJson<T>(path, abort.signal).then(
      (data) => {
        state.value = { data, failure: undefined }
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        const failure = error instanceof RequestError ? error : new RequestError(0, 'FAILED', String(error))
        state.value = { data: state.peek().data, failure }
      },
    )
    return () => abort.abort()
  }, [path, version])
  return state.value
}

/** The same, asked for again every so often while the page is seen. */
export function usePolled<T>(path: string, everyMs: number): Resource<T> {
  return useResource<T>(path, Math.floor(now.value / everyMs))
}
