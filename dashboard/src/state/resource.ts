// Data of a page: requested again when its version changes, one request at a time; the last data stays visible meanwhile.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { getJson, RequestError } from '../net/api.ts'
import { now } from './clock.ts'

interface Resource<T> {
  readonly data: T | undefined
  readonly failure: RequestError | undefined
}

/** Requests a path, and again when its version changes. */
export function useResource<T>(path: string, version: unknown): Resource<T> {
  const state = useSignal<Resource<T>>({ data: undefined, failure: undefined })
  const question = useRef<Question<T> | undefined>(undefined)
  useEffect(() => {
    const mine = new Question(path, state)
    question.current = mine
    return () => mine.stop()
  }, [path])
  useEffect(() => question.current?.ask(), [path, version])
  return state.value
}

/** Requests a path at an interval while the page is visible. */
export function usePolled<T>(path: string, everyMs: number): Resource<T> {
  return useResource<T>(path, Math.floor(now.value / everyMs))
}

// A response that takes longer than the interval must still arrive.
class Question<T> {
  readonly #path: string
  readonly #state: Signal<Resource<T>>
  readonly #abort = new AbortController()
  #isOpen = false
  #isAskedAgain = false

  constructor(path: string, state: Signal<Resource<T>>) {
    this.#path = path
    this.#state = state
  }

  ask(): void {
    if (this.#isOpen) this.#isAskedAgain = true
    else void this.#hear()
  }

  stop(): void {
    this.#abort.abort()
  }

  async #hear(): Promise<void> {
    const { signal } = this.#abort
    this.#isOpen = true
    do {
      this.#isAskedAgain = false
      try {
        const data = await getJson<T>(this.#path, signal)
        if (!signal.aborted) this.#state.value = { data, failure: undefined }
      } catch (error) {
        const failure = error instanceof RequestError ? error : new RequestError(0, 'FAILED', String(error))
        if (!signal.aborted) this.#state.value = { data: this.#state.peek().data, failure }
      }
    } while (this.#isAskedAgain && !signal.aborted)
    this.#isOpen = false
  }
}
