// What ARC's plugin in OpenCode sends: `{ input, output, directory }` of a hook, or an event of the bus.

import { argsIn, defined, type Fields, joinTexts, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads what the plugin sent. */
export function parseOpencodePayload(fields: Fields, event: string | undefined): ParsedPayload {
  const input = readRecordField(fields, 'input')
  const output = readRecordField(fields, 'output')
  const properties = readRecordField(fields, 'properties')
  const info = readRecordField(properties, 'info')
  const name = event ?? readTextField(fields, 'event', 'type') ?? ''
  const isAfter = name === 'tool.execute.after'
  return {
    event: name,
    session: readTextField(input, 'sessionID') ?? readTextField(properties, 'sessionID') ?? readTextField(info, 'id'),
    turn: readTextField(input, 'messageID') ?? readTextField(readRecordField(output, 'message'), 'id'),
    // A session that another session created belongs to a sub-agent.
    agent: readTextField(info, 'parentID') === undefined ? undefined : readTextField(info, 'id'),
    workspace: readTextField(fields, 'directory') ?? readTextField(info, 'directory') ?? readTextField(input, 'cwd'),
    tool: readTextField(input, 'tool', 'type'),
    args: argsIn(output, 'args') ?? argsIn(input, 'args', 'metadata') ?? argsBeside(fields),
    callId: readTextField(input, 'callID'),
    result: isAfter ? own(output, 'output') : undefined,
    prompt: joinTexts(own(output, 'parts')),
    output: readTextField(output, 'text') ?? readTextField(fields, 'answer'),
    error: own(properties, 'error'),
    reason: readTextField(properties, 'reason'),
    facts: defined({ agentName: readTextField(readRecordField(output, 'message'), 'agent') }),
  }
}

// Beside `input` and `output`, which are no arguments themselves.
function argsBeside({ input: _, ...rest }: Fields): unknown {
  return argsIn(rest)
}
