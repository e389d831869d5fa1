// What ARC's plugin in OpenCode sends: `{ input, output, directory }` of a hook, or an event of the bus.

import { isRecord } from '../../engine/plain-data.ts'
import { argsIn, defined, type Fields, own, recordOf, textOf } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads what the plugin sent. */
export function tellOpencode(fields: Fields, event: string | undefined): ParsedPayload {
  const input = recordOf(fields, 'input')
  const output = recordOf(fields, 'output')
  const properties = recordOf(fields, 'properties')
  const info = recordOf(properties, 'info')
  const name = event ?? textOf(fields, 'event', 'type') ?? ''
  const isAfter = name === 'tool.execute.after'
  return {
    event: name,
    session: textOf(input, 'sessionID') ?? textOf(properties, 'sessionID') ?? textOf(info, 'id'),
    turn: textOf(input, 'messageID') ?? textOf(recordOf(output, 'message'), 'id'),
    // A session that another one made belongs to an agent of its own.
    agent: textOf(info, 'parentID') === undefined ? undefined : textOf(info, 'id'),
    workspace: textOf(fields, 'directory') ?? textOf(info, 'directory') ?? textOf(input, 'cwd'),
    tool: textOf(input, 'tool', 'type'),
    args: argsIn(output, 'args') ?? argsIn(input, 'args', 'metadata') ?? argsBeside(fields),
    callId: textOf(input, 'callID'),
    result: isAfter ? own(output, 'output') : undefined,
    prompt: promptIn(own(output, 'parts')),
    output: textOf(output, 'text'),
    error: own(properties, 'error'),
    reason: textOf(properties, 'reason'),
    facts: defined({ agentName: textOf(recordOf(output, 'message'), 'agent') }),
  }
}

// Beside `input` and `output`, which are no arguments themselves.
function argsBeside({ input: _, ...rest }: Fields): unknown {
  return argsIn(rest)
}

function promptIn(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined
  const texts = parts.filter(isRecord).map((part) => part.text)
  return texts.filter((text): text is string => typeof text === 'string').join('\n')
}
