// The payload of Kimi Code: Claude's field names, with prompts as lists of parts and results under another name.

import { parseClaudePayload } from '../claude/payload.ts'
import { defined, type Fields, joinTexts, own, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads a payload of Kimi Code. */
export function parseKimiPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const told = parseClaudePayload(fields, event)
  const agentName = readTextField(fields, 'agent_name')
  return {
    ...told,
    agent: told.agent ?? agentName,
    result: own(fields, 'tool_output') ?? told.result,
    prompt: joinTexts(told.prompt) ?? told.prompt,
    output: readTextField(fields, 'response') ?? told.output,
    reason: told.reason ?? readTextField(fields, 'error_type'),
    facts: defined({
      ...told.facts,
      agentType: agentName,
      task: agentName === undefined ? undefined : readTextField(fields, 'prompt'),
      client: readTextField(fields, 'client_type'),
    }),
  }
}
