// How a call is put to the hook of a host, and how the host reads the answer.

import type { RawCall, SimulatedHost, ToolCall } from './attempt.ts'
import { HOME, PROJECT } from './attempt.ts'
import type { Ended } from './box.ts'

/** What the host does; `direct` for a command without a hook call. */
export type Verdict = 'blocked' | 'held' | 'passed' | 'direct'

/** A call that was asked about. */
export interface Asked {
  /** What to do if it passed. */
  readonly call: { readonly tool: string; readonly args: unknown }
  readonly verdict: Verdict
  detail: string
}

export const EVENTS: Readonly<Record<SimulatedHost, string>> = {
  claude: 'PreToolUse',
  codex: 'PreToolUse',
  opencode: 'tool.execute.before',
}

export function payloadOf({ tool, args, host, fields }: ToolCall, id: string, session: string): object {
  if (host === 'opencode') {
    return { input: { tool, sessionID: session, callID: id }, output: { args }, directory: PROJECT, ...fields }
  }
  const common = {
    session_id: session,
    cwd: PROJECT,
    hook_event_name: 'PreToolUse',
    transcript_path: `${HOME}/t.jsonl`,
  }
  return { ...common, tool_name: tool, tool_input: args, tool_use_id: id, ...fields }
}

export function readAnswer(asked: ToolCall | RawCall, answer: Ended): Asked {
  const { host = 'claude' } = asked
  const verdict = verdictOf(host, answer)
  const call = 'raw' in asked ? (asked.does ?? { tool: '', args: {} }) : { tool: asked.tool, args: asked.args }
  const edited = verdict === 'passed' ? editOf(answer) : undefined
  const failed = verdict === 'passed' && answer.code !== 0 ? `the hook ended with ${answer.code}` : ''
  // The rule that stopped it.
  const rule = verdict === 'passed' ? undefined : /\(([\w-]+\/[\w-]+): /.exec(answer.stdout)?.[1]
  const detail = rule ?? failed
  return { call: edited === undefined ? call : { tool: call.tool, args: edited }, verdict, detail }
}

// As the hosts read it: exit code 2 and a denial in the JSON stop; every other exit code continues.
export function verdictOf(host: SimulatedHost, { code, stdout, isAbsent }: Ended): Verdict {
  if (isAbsent) return 'passed'
  if (code === 2) return 'blocked'
  if (code !== 0) return 'passed'
  const said = jsonOf(stdout)
  if (host === 'opencode') return said.deny === undefined ? 'passed' : 'blocked'
  const { permissionDecision, decision: request } = specificOf(said)
  // The second is the form of a permission request.
  const decision = permissionDecision ?? (request as { behavior?: unknown } | undefined)?.behavior ?? said.decision
  if (decision === 'deny' || decision === 'block') return 'blocked'
  return decision === 'ask' ? 'held' : 'passed'
}

function editOf({ stdout }: Ended): unknown {
  const said = jsonOf(stdout)
  return specificOf(said).updatedInput ?? said.args
}

function specificOf(said: Record<string, unknown>): Record<string, unknown> {
  return (said.hookSpecificOutput ?? {}) as Record<string, unknown>
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    // Hosts take what is not JSON for plain output.
    return {}
  }
}
