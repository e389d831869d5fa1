// The payload of Antigravity: no name of the event, and other names for the arguments of tools.

import { isRecord } from '../../engine/plain-data.ts'
import { defined, type Fields, firstText, own, readRecordField, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'
import { readArgs } from '../tool-args.ts'

const ARGUMENTS: Readonly<Record<string, string>> = {
  CommandLine: 'command',
  Cwd: 'cwd',
  TargetFile: 'file_path',
  AbsolutePath: 'file_path',
  CodeContent: 'content',
  ReplacementContent: 'new_string',
  TargetContent: 'old_string',
  Url: 'url',
}

/** Reads a payload of Antigravity. */
export function parseAntigravityPayload(fields: Fields, event: string | undefined): ParsedPayload {
  const call = readRecordField(fields, 'toolCall')
  const result = own(fields, 'result') ?? own(fields, 'output')
  const error = own(fields, 'error')
  return {
    event: event ?? readTextField(fields, 'hook_event_name', 'hookEventName') ?? '',
    session: readTextField(fields, 'conversationId'),
    workspace: firstText(own(fields, 'workspacePaths')),
    // A result may come without its call.
    tool: readTextField(call, 'name') ?? (event === 'PostToolUse' ? 'unknown' : undefined),
    args: renameArguments(own(call, 'args')),
    result: result ?? (event === 'PostToolUse' ? null : undefined),
    error: error === '' ? undefined : error,
    facts: defined({
      transcript: readTextField(fields, 'transcriptPath'),
      step: typeof own(fields, 'stepIdx') === 'number' ? own(fields, 'stepIdx') : undefined,
    }),
  }
}

function renameArguments(value: unknown): unknown {
  const args = value === undefined || value === null ? value : readArgs(value)
  if (!isRecord(args)) return args
  const rename = (key: string): string => (Object.hasOwn(ARGUMENTS, key) ? (ARGUMENTS[key] as string) : key)
  return Object.fromEntries(Object.entries(args).map(([key, inner]) => [rename(key), inner]))
}
