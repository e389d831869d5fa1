// The payload of Gemini CLI: Claude's field names, with other fields for the text of the model.

import { parseClaudePayload } from '../claude/payload.ts'
import { defined, type Fields, isTimedEvent, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { GEMINI_EVENTS } from './events.ts'

/** Reads a payload of Gemini CLI. */
export function parseGeminiPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const told = parseClaudePayload(fields, event)
  const response = readRecordField(fields, 'tool_response')
  return {
    ...told,
    output: readTextField(fields, 'prompt_response') ?? readTextField(readRecordField(fields, 'llm_response'), 'text'),
    // There is no separate event for a tool that failed.
    error: own(response, 'error'),
    facts: defined({ model: readTextField(readRecordField(fields, 'llm_request'), 'model'), ...told.facts }),
  }
}

/** Whether a payload in a line of Claude is from Gemini CLI. */
export function isGeminiPayload(fields: Fields): boolean {
  return isTimedEvent(fields) && Object.hasOwn(GEMINI_EVENTS, readTextField(fields, 'hook_event_name') ?? '')
}
