// The payload of Cline: the tool call twice, once as the model made it and once with every value as a text.

import { argsIn, defined, type Fields, firstText, own, recordOf, textOf } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { CLINE_HOOK_NAMES } from './events.ts'

/** Reads a payload of Cline. The event is the name of the hook file, given on the command line. */
export function tellCline(fields: Fields, event: string | undefined): ParsedPayload {
  const call = { ...recordOf(fields, 'tool_call'), ...recordOf(fields, 'tool_result') }
  const flat = { ...recordOf(fields, 'preToolUse'), ...recordOf(fields, 'postToolUse') }
  const turn = recordOf(fields, 'turn')
  const parent = textOf(fields, 'parent_agent_id')
  return {
    event: event ?? eventIn(fields),
    session: textOf(recordOf(fields, 'sessionContext'), 'rootSessionId') ?? textOf(fields, 'taskId'),
    turn: textOf(fields, 'taskId'),
    // The main agent has an id too; only one that another agent made acts for an agent.
    agent: parent === undefined ? undefined : textOf(fields, 'agent_id'),
    workspace: firstText(own(fields, 'workspaceRoots')) ?? textOf(recordOf(fields, 'workspaceInfo'), 'rootPath'),
    tool: textOf(call, 'name') ?? textOf(flat, 'toolName'),
    args: argsIn(call, 'input') ?? argsIn(flat, 'parameters') ?? argsIn(fields),
    callId: textOf(call, 'id'),
    result: own(call, 'output') ?? own(flat, 'result'),
    prompt: own(recordOf(fields, 'userPromptSubmit'), 'prompt') ?? own(fields, 'prompt'),
    output: textOf(turn, 'outputText'),
    reason: textOf(turn, 'status') ?? textOf(fields, 'reason'),
    facts: defined({ parentAgent: parent, durationMs: own(call, 'durationMs') }),
  }
}

function eventIn(fields: Fields): string {
  const name = textOf(fields, 'hookName') ?? ''
  return (Object.hasOwn(CLINE_HOOK_NAMES, name) ? CLINE_HOOK_NAMES[name] : undefined) ?? name
}
