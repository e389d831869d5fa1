// The common part of all buses: listeners, delivery with error handling, and requests. The transport is up to each bus.

import type { Clock } from '../engine/clock.ts'
import { ArcError, describe, show } from '../engine/errors.ts'
import { frozenCopy } from '../engine/plain-data.ts'
import { type Bus, type BusListener, INBOX, type Message, type RequestOptions } from './bus.ts'
import { isUnder, readPattern, readSubject } from './subject.ts'

/** The services of a bus. */
export interface BusServices {
  readonly clock: Clock
  readonly newId: () => string
  /** Called with failures of listeners and unreadable messages. */
  readonly report: (message: string) => void
}

/** A message in transport: the data as JSON. */
export interface SentMessage {
  readonly subject: string
  readonly text: string
  readonly at: number
  readonly reply?: string | undefined
}

export interface Subscription {
  readonly id: string
  readonly pattern: string
  readonly words: readonly string[]
  readonly listener: BusListener
  /** Only messages after this number are delivered. */
  readonly since: number
}

const MAX_DATA = 1_048_576
const REQUEST_MS = 5_000

export abstract class BaseBus implements Bus {
  protected readonly services: BusServices
  protected readonly subscriptions = new Set<Subscription>()
  readonly #waiting = new Set<(why: ArcError) => void>()
  protected isClosed = false

  constructor(services: BusServices) {
    this.services = services
  }

  /** Transports a message. */
  protected abstract send(sent: SentMessage): void
  /** The number of the last published message. */
  protected abstract head(): number
  /** Whether another process listens to a subject. */
  protected abstract hasOthers(subject: readonly string[]): boolean
  protected abstract onSubscribed(subscription: Subscription): void
  protected abstract onUnsubscribed(subscription: Subscription): void

  get listenerCount(): number {
    return this.subscriptions.size
  }

  publish(subject: string, data: unknown = null, { reply }: { readonly reply?: string | undefined } = {}): void {
    this.#refuseClosed()
    readSubject(subject)
    if (reply !== undefined) readSubject(reply)
    this.send({ subject, text: toText(data), at: this.services.clock.wall(), reply })
  }

  subscribe(pattern: string, listener: BusListener): () => void {
    this.#refuseClosed()
    if (typeof listener !== 'function') {
      throw new ArcError('ARC_BUS_INVALID', `A listener is a function, not ${show(listener)}.`)
    }
    const words = readPattern(pattern)
    const subscription = { id: this.services.newId(), pattern, words, listener, since: this.head() }
    this.subscriptions.add(subscription)
    try {
      this.onSubscribed(subscription)
    } catch (error) {
      this.subscriptions.delete(subscription)
      throw error
    }
    return () => {
      if (this.subscriptions.delete(subscription)) this.onUnsubscribed(subscription)
    }
  }

  async request(subject: string, data: unknown = null, options: RequestOptions = {}): Promise<Message> {
    const { timeoutMs = REQUEST_MS, signal } = options
    const words = readSubject(subject)
    signal?.throwIfAborted()
    const hasOwn = [...this.subscriptions].some((one) => isUnder(words, one.words))
    if (!hasOwn && !this.hasOthers(words)) {
      throw new ArcError('ARC_BUS_NO_RESPONDER', `${show(subject)} has no subscriber.`)
    }
    const reply = `${INBOX}.${this.services.newId()}`
    const cleanups: (() => void)[] = []
    try {
      return await new Promise<Message>((resolve, reject) => {
        const giveUp = (): void =>
          reject(new ArcError('ARC_BUS_TIMEOUT', `No answer to ${show(subject)} came within ${timeoutMs} ms.`))
        const abort = (): void => reject(signal?.reason)
        cleanups.push(this.subscribe(reply, resolve), this.services.clock.after(timeoutMs, giveUp))
        this.#waiting.add(reject)
        signal?.addEventListener('abort', abort)
        cleanups.push(
          () => this.#waiting.delete(reject),
          () => signal?.removeEventListener('abort', abort),
        )
        this.publish(subject, data, { reply })
      })
    } finally {
      for (const cleanup of cleanups) cleanup()
    }
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    const all = [...this.subscriptions]
    this.subscriptions.clear()
    for (const subscription of all) this.onUnsubscribed(subscription)
    const why = new ArcError('ARC_BUS_TIMEOUT', 'The bus was closed before an answer came.')
    for (const reject of this.#waiting) reject(why)
    this.#waiting.clear()
  }

  /** Delivers a message to all matching listeners. */
  protected deliver(sent: SentMessage, at: number): void {
    const words = sent.subject.split('.')
    const heard = [...this.subscriptions].filter((one) => one.since < at && isUnder(words, one.words))
    if (heard.length === 0) return
    const message = this.#toMessage(sent)
    for (const subscription of heard) {
      // An earlier listener may have removed this one.
      if (this.subscriptions.has(subscription)) this.#callListener(subscription, message)
    }
  }

  #toMessage({ subject, text, at, reply }: SentMessage): Message {
    const respond = (data: unknown): void => {
      if (reply !== undefined && !this.isClosed) this.publish(reply, data)
    }
    const data = frozenCopy(JSON.parse(text) as unknown)
    return { subject, data, at, ...(reply !== undefined && { reply }), respond }
  }

  #callListener({ pattern, listener }: Subscription, message: Message): void {
    const fault = (error: unknown): void => this.services.report(`A listener of ${pattern} failed: ${describe(error)}`)
    try {
      const done: unknown = listener(message)
      if (done instanceof Promise) done.catch(fault)
    } catch (error) {
      fault(error)
    }
  }

  #refuseClosed(): void {
    if (this.isClosed) throw new ArcError('ARC_BUS_INVALID', 'The bus is closed.')
  }
}

function toText(data: unknown): string {
  const text = tryJson(data)
  if (text === undefined) throw new ArcError('ARC_BUS_INVALID', `A message is plain JSON, not ${show(data)}.`)
  if (text.length <= MAX_DATA) return text
  throw new ArcError('ARC_BUS_INVALID', `A message has at most ${MAX_DATA} characters of JSON, not ${text.length}.`)
}

function tryJson(data: unknown): string | undefined {
  try {
    return JSON.stringify(data)
  } catch {
    // In a circle, or with a number that JSON does not have.
    return undefined
  }
}
