// The texts of a step that a gate checks. A hook of the bus gets a context in another form; both are read here, so one gate works
// in both.

import { isRecord } from '../../engine/plain-data.ts'

/** A step as a gate sees it. */
export interface GateSubject {
  readonly point: string
  /** What is asked for or about to be done, or what was answered. */
  readonly text: string
  /** What was answered, at points where something was. */
  readonly output: string | undefined
  readonly hasToolCalls: boolean
  readonly session: string | undefined
  readonly turn: string | undefined
  /** How often a hook has continued this turn, as the host counts. */
  readonly continues: number
  readonly metadata: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, unknown>>

// A caller chooses the size of what it sends: texts deeper or more than this are no command.
const MAX_TEXTS = 1_000
const MAX_DEPTH = 20

/** Reads a step, or the context of a bus hook. */
export function readGateSubject(given: unknown): GateSubject {
  const step: Fields = typeof given === 'object' && given !== null ? (given as Fields) : {}
  const data = isRecord(step.data) ? step.data : undefined
  return data === undefined ? fromBus(step) : fromStep(step, data)
}

function fromStep(step: Fields, data: Fields): GateSubject {
  const output = readText(data.output)
  const { content: _content, result: _result, env: _env, toolCalls, ...rest } = data
  return {
    point: readText(step.point) ?? '',
    text: output ?? textsIn(rest).join('\n'),
    output,
    hasToolCalls: Array.isArray(toolCalls) && toolCalls.length > 0,
    session: readText(step.session),
    turn: readText(step.turn),
    continues: typeof data.continues === 'number' ? data.continues : 0,
    metadata: isRecord(step.metadata) ? step.metadata : {},
  }
}

function fromBus(context: Fields): GateSubject {
  const { message, toolName, toolArgs, sessionId, turnId, hookMetadata } = context
  return {
    point: '',
    text: textsIn([message, toolName, toolArgs]).join('\n'),
    output: undefined,
    hasToolCalls: false,
    session: readText(sessionId),
    turn: readText(turnId),
    continues: 0,
    metadata: isRecord(hookMetadata) ? hookMetadata : {},
  }
}

function textsIn(value: unknown, depth = 0, found: string[] = []): string[] {
  if (found.length >= MAX_TEXTS || depth > MAX_DEPTH) return found
  if (typeof value === 'string') found.push(value)
  // An argument list is one command.
  else if (isArgumentList(value)) found.push(value.join(' '))
  else if (Array.isArray(value)) for (const item of value) textsIn(item, depth + 1, found)
  else if (isRecord(value)) for (const key of Object.keys(value)) textsIn(value[key], depth + 1, found)
  return found
}

function isArgumentList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
