// What a model answered, as a verdict. Stricter than for programs and servers: a model that did not answer in the form
// the requested form has not decided, so only one JSON object counts, and plain text is never a pass.

import { show } from '../../../engine/errors.ts'
import { isRecord, isTextList, VERDICT_LIMITS } from '../../../engine/plain-data.ts'
import { CONTROLS, DECISIONS, type VerdictObject } from '../../../engine/verdict.ts'

/** The JSON Schema of the answer. Strict servers want every field required, so absent ones are null. */
export const VERDICT_SCHEMA = {
  type: 'object',
  properties: {
    decision: { type: 'string', enum: DECISIONS },
    reason: { type: 'string' },
    suggestion: { type: ['string', 'null'] },
    control: { type: ['string', 'null'], enum: [...Object.keys(CONTROLS), null] },
    additional_context: { type: ['array', 'null'], items: { type: 'string' } },
  },
  required: ['decision', 'reason', 'suggestion', 'control', 'additional_context'],
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
  const { decision, control, reason, suggestion, additional_context } = answer
  const given = readDecision(decision, control)
  if (typeof given === 'string') return new Malformed(text, given)
  return {
    ...given,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof suggestion === 'string' && { suggestion }),
    ...(isTextList(additional_context, VERDICT_LIMITS) && { additional_context }),
  }
}

// One of the two, as in the verdict of a program; what is neither is no verdict. Returns what was expected.
function readDecision(decision: unknown, control: unknown): Pick<VerdictObject, 'decision' | 'control'> | string {
  const hasControl = control !== undefined && control !== null
  if (hasControl && !isControl(control)) {
    return `control must be ${Object.keys(CONTROLS).join(', ')}, not ${show(control)}`
  }
  const controlled = hasControl && { control }
  if (isDecision(decision)) return { decision, ...controlled }
  if (controlled !== false && (decision === undefined || decision === null)) return controlled
  return `decision must be ${DECISIONS.join(', ')}, not ${show(decision)}`
}

function isControl(value: unknown): value is keyof typeof CONTROLS {
  return typeof value === 'string' && Object.hasOwn(CONTROLS, value)
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
