// What ARC's extension in Pi sends: an event of Pi with the session and the folder.

import { argsIn, defined, type Fields, joinTexts, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { PI_TOOL_FAILED } from './events.ts'

/** Reads what the extension sent. */
export function parsePiPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const name = event ?? readTextField(fields, 'type') ?? ''
  const message = readRecordField(fields, 'message')
  const content = joinTexts(own(fields, 'content'))
  const isFailed = name === 'tool_result' && own(fields, 'isError') === true
  const isTool = /^tool_(?:call|result)$/.test(name) || own(fields, 'toolName') !== undefined
  return {
    event: name,
    session: readTextField(fields, 'sessionId'),
    workspace: readTextField(fields, 'cwd'),
    tool: isTool ? readTextField(fields, 'toolName') : undefined,
    args: isTool ? argsIn(fields, 'input') : undefined,
    callId: readTextField(fields, 'toolCallId'),
    result: content,
    error: isFailed ? content : undefined,
    prompt: name === 'user_bash' ? own(fields, 'command') : own(fields, 'text'),
    output: joinTexts(own(message, 'content')),
    reason: readTextField(fields, 'reason') ?? readTextField(message, 'stopReason'),
    facts: defined({
      model: readTextField(fields, 'model'),
      transcript: readTextField(fields, 'sessionFile'),
      promptSource: name === 'input' ? readTextField(fields, 'source') : undefined,
    }),
    // Without a screen Pi cannot ask a person.
    canPrompt: own(fields, 'hasUI') === true,
    spec: isFailed ? PI_TOOL_FAILED : undefined,
  }
}
