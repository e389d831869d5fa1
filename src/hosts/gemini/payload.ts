// The payload of Gemini CLI: Claude's field names, with the model's words in places of their own.

import { tellClaude } from '../claude/payload.ts'
import { type Fields, own, recordOf, textOf } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads a payload of Gemini CLI. */
export function tellGemini(fields: Fields, event: string | undefined): ParsedPayload {
  const told = tellClaude(fields, event)
  const response = recordOf(fields, 'tool_response')
  return {
    ...told,
    output: textOf(fields, 'prompt_response') ?? textOf(recordOf(fields, 'llm_response'), 'text'),
    // There is no event of its own for a tool that failed.
    error: own(response, 'error'),
  }
}
