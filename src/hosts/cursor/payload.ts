// The payload of Cursor: one general tool event, and older ones for a command, a server's tool and a file.

import { argsIn, defined, type Fields, firstText, own, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { CURSOR_EVENTS } from './events.ts'

/** Reads a payload of Cursor. */
export function parseCursorPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const name = ownSpelling(readTextField(fields, 'hook_event_name') ?? event ?? '')
  return {
    event: name,
    session: readTextField(fields, 'conversation_id', 'session_id'),
    turn: readTextField(fields, 'generation_id'),
    agent: readTextField(fields, 'subagent_id'),
    workspace: readTextField(fields, 'cwd') ?? firstText(own(fields, 'workspace_roots')),
    ...(Object.hasOwn(SPECIAL, name) ? SPECIAL[name]?.(fields) : readCall(fields)),
    callId: readTextField(fields, 'tool_use_id', 'tool_call_id'),
    error: own(fields, 'error_message'),
    prompt: own(fields, 'prompt'),
    output: readTextField(fields, 'text', 'summary'),
    reason: readTextField(fields, 'reason', 'status', 'trigger', 'composer_mode'),
    isContinued: Number(own(fields, 'loop_count')) > 0,
    facts: defined({
      model: readTextField(fields, 'model'),
      clientVersion: readTextField(fields, 'cursor_version'),
      transcript: readTextField(fields, 'transcript_path'),
      agentType: readTextField(fields, 'subagent_type'),
      task: readTextField(fields, 'task'),
    }),
  }
}

// Hooks that it takes over from Claude's files keep Claude's spelling.
function ownSpelling(name: string): string {
  if (name === 'UserPromptSubmit') return 'beforeSubmitPrompt'
  const lower = name.slice(0, 1).toLowerCase() + name.slice(1)
  return Object.hasOwn(CURSOR_EVENTS, lower) ? lower : name
}

type Call = Pick<ParsedPayload, 'tool' | 'args' | 'result'>

function readCall(fields: Fields): Call {
  return {
    tool: readTextField(fields, 'tool_name'),
    args: argsIn(fields, 'tool_input'),
    result: own(fields, 'tool_output'),
  }
}

const shell = (fields: Fields): Call => ({
  tool: 'Shell',
  args: defined({ command: own(fields, 'command') }),
  result: own(fields, 'output'),
})
const server = (fields: Fields): Call => ({
  tool: `mcp__cursor__${readTextField(fields, 'tool_name') ?? 'tool'}`,
  args: argsIn(fields, 'tool_input'),
  result: own(fields, 'result_json'),
})
const read = (fields: Fields): Call => ({ tool: 'Read', args: defined({ file_path: own(fields, 'file_path') }) })
const edit = (fields: Fields): Call => ({
  tool: 'Edit',
  args: defined({ file_path: own(fields, 'file_path'), edits: own(fields, 'edits') }),
})

const SPECIAL: Readonly<Record<string, (fields: Fields) => Call>> = {
  beforeShellExecution: shell,
  afterShellExecution: shell,
  beforeMCPExecution: server,
  afterMCPExecution: server,
  beforeReadFile: read,
  beforeTabFileRead: read,
  afterFileEdit: edit,
  afterTabFileEdit: edit,
}

/** Whether a payload in a line of Claude is from Cursor. */
export function isCursorPayload(fields: Fields): boolean {
  return readTextField(fields, 'cursor_version', 'conversation_id') !== undefined
}
