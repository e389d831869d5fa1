// The payload of Cline: the tool call twice, once as the model made it and once with every value as a text.

import { argsIn, defined, type Fields, firstText, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { CLINE_HOOK_NAMES } from './events.ts'

/** Reads a payload of Cline. The event is the name of the hook file, given on the command line. */
export function parseClinePayload(fields: Fields, event: string | undefined): ParsedPayload {
  const call = { ...readRecordField(fields, 'tool_call'), ...readRecordField(fields, 'tool_result') }
  const flat = { ...readRecordField(fields, 'preToolUse'), ...readRecordField(fields, 'postToolUse') }
  const turn = readRecordField(fields, 'turn')
  const parent = readTextField(fields, 'parent_agent_id')
  return {
    event: event ?? eventIn(fields),
    session:
      readTextField(readRecordField(fields, 'sessionContext'), 'rootSessionId') ?? readTextField(fields, 'taskId'),
    turn: readTextField(fields, 'taskId'),
    // The main agent has an id too; only one that another agent made acts for an agent.
    agent: parent === undefined ? undefined : readTextField(fields, 'agent_id'),
    workspace:
      firstText(own(fields, 'workspaceRoots')) ?? readTextField(readRecordField(fields, 'workspaceInfo'), 'rootPath'),
    tool: readTextField(call, 'name') ?? readTextField(flat, 'toolName'),
    args: argsIn(call, 'input') ?? argsIn(flat, 'parameters') ?? argsIn(fields),
    callId: readTextField(call, 'id'),
    result: own(call, 'output') ?? own(flat, 'result'),
    prompt: own(readRecordField(fields, 'userPromptSubmit'), 'prompt') ?? own(fields, 'prompt'),
    output: readTextField(turn, 'outputText'),
    reason: readTextField(turn, 'status') ?? readTextField(fields, 'reason'),
    facts: defined({ parentAgent: parent, durationMs: own(call, 'durationMs') }),
  }
}

function eventIn(fields: Fields): string {
  const name = readTextField(fields, 'hookName') ?? ''
  return (Object.hasOwn(CLINE_HOOK_NAMES, name) ? CLINE_HOOK_NAMES[name] : undefined) ?? name
}
