// The payload of Qwen Code: Claude's, but for the prompt hook that fires without a prompt.

import { parseClaudePayload } from '../claude/payload.ts'
import { type Fields, isTimedEvent, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { QWEN_TOOL_RESULTS } from './events.ts'

/** Reads a payload of Qwen Code. */
export function parseQwenPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const told = parseClaudePayload(fields, event)
  const isToolResults = told.event === 'UserPromptSubmit' && told.prompt === ''
  return isToolResults ? { ...told, spec: QWEN_TOOL_RESULTS } : told
}

/** Whether a payload in a line of Claude is from Qwen Code. */
export function isQwenPayload(fields: Fields): boolean {
  return isTimedEvent(fields) && readTextField(fields, 'permission_mode') !== undefined
}
