// Messages between agents: what every bus can do. Messages are plain JSON, delivered after the code that published
// them is done, in the order of publishing, to the existing subscribers.

/** Something that was published. */
export interface Message {
  readonly subject: string
  /** Plain JSON; frozen, since others see it too. */
  readonly data: unknown
  /** Wall-clock milliseconds. */
  readonly at: number
  /** Where an answer is expected, if one is. */
  readonly reply?: string
  /** Answers, where an answer is expected. */
  respond(data: unknown): void
}

/** Hears messages. What it throws is reported, and keeps no other from hearing. */
export type BusListener = (message: Message) => void | Promise<void>

/** How long to wait for an answer. */
export interface RequestOptions {
  /** Default 5 s. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A place where messages are published and heard. */
export interface Bus {
  /** Sends a message to all subscribers. */
  publish(subject: string, data?: unknown, options?: { readonly reply?: string | undefined }): void
  /** Hears what is published from now on under a pattern (`task.*.done`, `task.>`). Returns its undo. */
  subscribe(pattern: string, listener: BusListener): () => void
  /** Sends a request and waits for the first answer. Rejects at once without a subscriber (`ARC_BUS_NO_RESPONDER`). */
  request(subject: string, data?: unknown, options?: RequestOptions): Promise<Message>
  /** How many listen through this object. */
  readonly listenerCount: number
  /** Ends all listening and waiting; safe to call twice. */
  close(): void
}

/** Where an answer to a request comes. */
export const INBOX = '_INBOX'
