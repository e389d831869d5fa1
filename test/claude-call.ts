// A tool call of Claude Code, evaluated as its installed line does without a daemon.

import { evaluateInProcess } from '../src/cli/hook/evaluate.ts'

/** A call, and where it comes from. */
export interface ClaudeCall {
  readonly home: string
  readonly cwd: string
  readonly command: string
  readonly session?: string | undefined
  /** Further arguments of the tool. */
  readonly more?: object | undefined
  readonly profile?: string | undefined
}

let calls = 0

/** The decision of the reply: `deny`, `ask`, or `none` where the call passes. */
export async function callClaude({ home, cwd, command, session = 's', more, profile }: ClaudeCall): Promise<string> {
  const common = { session_id: session, cwd, hook_event_name: 'PreToolUse', tool_use_id: `call-${++calls}` }
  const payload = JSON.stringify({ ...common, tool_name: 'Bash', tool_input: { command, ...more } })
  const { reply } = await evaluateInProcess(
    { host: 'claude', event: 'PreToolUse', payload, cwd, profile },
    { home, canStart: false, signal: new AbortController().signal },
  )
  const said = (reply.stdout === '' ? {} : JSON.parse(reply.stdout)) as {
    readonly hookSpecificOutput?: { readonly permissionDecision?: string }
  }
  return said.hookSpecificOutput?.permissionDecision ?? 'none'
}
