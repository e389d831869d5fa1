// The interface of a message bus between agents. Messages are plain JSON, delivered after the publishing code has
// returned, in the order of publishing, to all earlier subscribers.

/** A published message. */
export interface Message {
  readonly subject: string
  /** Plain JSON; frozen, because all listeners share it. */
  readonly data: unknown
  /** Wall-clock milliseconds. */
  readonly at: number
  /** The subject for the answer, if one is expected. */
  readonly reply?: string
  /** Sends the answer, if one is expected. */
  respond(data: unknown): void
}

/** Receives messages. Errors are reported and do not affect other listeners. */
export type BusListener = (message: Message) => void | Promise<void>

/** How long to wait for an answer. */
export interface RequestOptions {
  /** Default: 5 s. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A message bus. */
export interface Bus {
  /** Sends a message to all listeners. */
  publish(subject: string, data?: unknown, options?: { readonly reply?: string | undefined }): void
  /** Receives messages from now on whose subject matches a pattern (`task.*.done`, `task.>`). Returns an unsubscribe function. */
  subscribe(pattern: string, listener: BusListener): () => void
  /** Sends a request and waits for the first answer. Rejects at once without a listener (`ARC_BUS_NO_RESPONDER`). */
  request(subject: string, data?: unknown, options?: RequestOptions): Promise<Message>
  /** The number of listeners of this object. */
  readonly listenerCount: number
  /** Removes all listeners and rejects open requests; safe to call twice. */
  close(): void
}

/** The first word of the subjects for answers. */
export const INBOX = '_INBOX'
