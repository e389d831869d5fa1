// The payload of Gemini CLI: Claude's field names, with other fields for the text of the model.

import { parseClaudePayload } from '../claude/payload.ts'
import { type Fields, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads a payload of Gemini CLI. */
export function parseGeminiPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const told = parseClaudePayload(fields, event)
  const response = readRecordField(fields, 'tool_response')
  return {
    ...told,
    output: readTextField(fields, 'prompt_response') ?? readTextField(readRecordField(fields, 'llm_response'), 'text'),
    // There is no separate event for a tool that failed.
    error: own(response, 'error'),
  }
}
