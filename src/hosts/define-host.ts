// An adapter from its parts: the words of its payload, its replies, its installation.

import type { AgentFacts } from './facts/agent-facts.ts'
import type { HostName } from './facts/list.ts'
import type { Host } from './host.ts'
import { type PayloadReader, readStep } from './step.ts'

/** What is written by hand of an adapter. */
type HostParts = Omit<Host, 'name' | 'failClosed' | 'isEventInLine' | 'readPayload'> & {
  readonly facts: AgentFacts<HostName>
  readonly tell: PayloadReader['tell']
  /** The events that the host may send, if it sends more than those in its files. */
  readonly readEvents?: Host['events']
}

/** Puts an adapter together. */
export function defineHost({ facts, tell, readEvents, ...host }: HostParts): Host {
  const { name, failClosed, isEventInLine } = facts
  const reader: PayloadReader = {
    host: name,
    events: readEvents ?? host.events,
    unknownEvent: host.unknownEvent,
    tell,
  }
  return { name, failClosed, isEventInLine, ...host, readPayload: (event, payload) => readStep(reader, event, payload) }
}
