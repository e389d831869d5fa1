// An adapter from its parts: the words of its payload, its replies, its installation.

import type { Host } from './host.ts'
import { type PayloadReader, readStep } from './step.ts'

/** What is written by hand of an adapter. */
type HostParts = Omit<Host, 'readPayload'> & {
  readonly tell: PayloadReader['tell']
  /** The events that the host may send, if it sends more than those in its files. */
  readonly readEvents?: Host['events']
}

/** Puts an adapter together. */
export function defineHost({ tell, readEvents, ...host }: HostParts): Host {
  const reader: PayloadReader = {
    host: host.name,
    events: readEvents ?? host.events,
    unknownEvent: host.unknownEvent,
    tell,
  }
  return { ...host, readPayload: (event, payload) => readStep(reader, event, payload) }
}
