// What a model answered, as a verdict. Stricter than for programs and servers: a model that did not answer in the form
// the requested form has not decided, so only one JSON object counts, and plain text is never a pass.

import { show } from '../../../engine/errors.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import { DECISIONS, type VerdictObject } from '../../../engine/verdict.ts'

/** The JSON Schema of the answer. Strict servers want every field required, so absent ones are null. */
export const VERDICT_SCHEMA = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: DECISIONS },
    reason: { type: 'string' },
    suggestion: { type: ['string', 'null'] },
  },
  required: ['decision', 'reason', 'suggestion'],
  additionalProperties: false,
}

/** An answer that is not a verdict; worth a second try. */
export class Malformed {
  readonly text: string
  readonly why: string

  constructor(text: string, why: string) {
    this.text = text
    this.why = why
  }
}

/** Reads the text of a model. An object among other text does not count: it may be quoted from the step. */
export function readModelVerdict(text: string): VerdictObject | Malformed {
  const answer = tryParseJson(withoutFence(text.trim()))
  if (!isRecord(answer)) return new Malformed(text, 'it is not a JSON object and nothing else')
  const { decision, reason, suggestion } = answer
  if (!isDecision(decision)) {
    return new Malformed(text, `decision must be ${DECISIONS.join(', ')}, not ${show(decision)}`)
  }
  return {
    decision,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof suggestion === 'string' && { suggestion }),
  }
}

/** Parses JSON; undefined when it is none. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Models like to wrap JSON in a code fence.
function withoutFence(text: string): string {
  return /^```\w*\s([\s\S]*)```$/.exec(text)?.[1] ?? text
}

function isDecision(value: unknown): value is (typeof DECISIONS)[number] {
  return (DECISIONS as readonly unknown[]).includes(value)
}
