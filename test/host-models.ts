// The rules of each agent for the replies of hooks, as measured with the programs or read in their documents. Written
// from those facts and not from the adapters, which are tested against it.

import type { HostReply } from '../src/hosts/host.ts'
import type { HostEffect } from '../src/testing/host-contract.ts'

type Json = Record<string, unknown>
type Interpret = (event: string, reply: HostReply) => HostEffect

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    return undefined
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const clean = (effect: Record<string, unknown>): HostEffect =>
  Object.fromEntries(Object.entries(effect).filter(([, value]) => value !== undefined)) as unknown as HostEffect

interface ClaudeRules {
  readonly exit2: readonly string[]
  readonly decision: readonly string[]
  readonly permission: readonly string[]
  readonly asks: boolean
  readonly appliesInput: boolean
}

// Claude Code: exit 2 blocks where blockable, JSON counts with any exit code, `allow` would skip the user's prompts.
function claudeLike(rules: ClaudeRules): Interpret {
  return (event, { stdout, stderr, exitCode }) => {
    const json = stdout === '' ? {} : parse(stdout)
    if (json === undefined) return { stopped: exitCode === 2, fault: 'stdout is not JSON' }
    const specific = (json.hookSpecificOutput ?? {}) as Json
    const permission = rules.permission.includes(event) ? specific.permissionDecision : undefined
    const behavior = event === 'PermissionRequest' ? (specific.decision as Json | undefined) : undefined
    const decided = rules.decision.includes(event) && json.decision === 'block'
    const stopped =
      permission === 'deny' ||
      behavior?.behavior === 'deny' ||
      decided ||
      (exitCode === 2 && rules.exit2.includes(event))
    const reason =
      specific.permissionDecisionReason ?? behavior?.message ?? json.reason ?? (stopped ? stderr : undefined)
    const wrongName = specific.hookEventName !== undefined && specific.hookEventName !== event
    return clean({
      stopped,
      prompted: rules.asks && !stopped && permission === 'ask' ? true : undefined,
      message: text(reason),
      args: rules.appliesInput && event === 'PreToolUse' ? specific.updatedInput : undefined,
      context: text(specific.additionalContext),
      notice: text(json.systemMessage),
      fault: permission === 'allow' ? 'an explicit allow' : wrongName ? 'another event is named' : undefined,
    })
  }
}

const CLAUDE_DECISION = ['UserPromptSubmit', 'UserPromptExpansion', 'Stop', 'SubagentStop', 'PreCompact']

export const interpretClaude = claudeLike({
  exit2: [
    ...CLAUDE_DECISION,
    ...['PreToolUse', 'PreModelSwitch', 'TeammateIdle', 'TaskCreated', 'TaskCompleted', 'Elicitation'],
    ...['ElicitationResult', 'ConfigChange', 'WorktreeCreate', 'PostToolBatch'],
  ],
  decision: CLAUDE_DECISION,
  permission: ['PreToolUse', 'PreModelSwitch'],
  asks: true,
  appliesInput: true,
})

export const interpretQwen = claudeLike({
  exit2: [...CLAUDE_DECISION, 'PreToolUse'],
  decision: CLAUDE_DECISION,
  permission: ['PreToolUse'],
  asks: true,
  appliesInput: false,
})

const UNIVERSAL = ['continue', 'stopReason', 'suppressOutput', 'systemMessage']
const SPECIFIC: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: ['permissionDecision', 'permissionDecisionReason', 'updatedInput', 'additionalContext'],
  PermissionRequest: ['decision'],
  PostToolUse: ['additionalContext'],
  SessionStart: ['additionalContext'],
  UserPromptSubmit: ['additionalContext'],
  SubagentStart: ['additionalContext'],
}
const CODEX_DECISION = ['UserPromptSubmit', 'Stop', 'PostToolUse']

// Codex: one key too many, or one that it does not support, voids the reply and the call runs.
function codexFault(event: string, json: Json): string | undefined {
  const allowed = [
    ...UNIVERSAL,
    'hookSpecificOutput',
    ...(CODEX_DECISION.includes(event) ? ['decision', 'reason'] : []),
  ]
  const stray = Object.keys(json).find((key) => !allowed.includes(key))
  if (stray !== undefined) return `the unknown key ${stray}`
  const { hookEventName, ...fields } = (json.hookSpecificOutput ?? {}) as Json
  const strayField = Object.keys(fields).find((key) => !(SPECIFIC[event] ?? []).includes(key))
  if (strayField !== undefined) return `the unknown key ${strayField}`
  if (json.hookSpecificOutput !== undefined && hookEventName !== event) return 'another event is named'
  if (event !== 'PreToolUse') return undefined
  if (json.continue === false || json.stopReason !== undefined) return 'continue or stopReason at PreToolUse'
  const { permissionDecision: decision, updatedInput } = fields
  if (decision === 'ask') return 'ask is not supported'
  if ((decision === 'allow') !== (updatedInput !== undefined)) return 'allow and updatedInput go together'
  return undefined
}

export const interpretCodex: Interpret = (event, { stdout, stderr, exitCode }) => {
  const blockable = ['PreToolUse', 'UserPromptSubmit', 'Stop'].includes(event)
  const json = stdout === '' ? {} : parse(stdout)
  const fault = json === undefined ? 'stdout is not JSON' : codexFault(event, json)
  // With exit code 2 the text on stderr counts, and it must not be empty.
  if (exitCode === 2) return clean({ stopped: blockable && stderr.trim() !== '', message: stderr, fault })
  if (json === undefined || fault !== undefined) return { stopped: false, fault: fault ?? '' }
  const specific = (json.hookSpecificOutput ?? {}) as Json
  const decision = specific.decision as Json | undefined
  return clean({
    stopped: specific.permissionDecision === 'deny' || json.decision === 'block' || decision?.behavior === 'deny',
    message: text(specific.permissionDecisionReason ?? json.reason ?? decision?.message),
    args: specific.updatedInput,
    context: text(specific.additionalContext),
    notice: text(json.systemMessage),
  })
}

const GEMINI_STOPPING = ['BeforeTool', 'BeforeAgent', 'AfterAgent', 'BeforeModel']

// Gemini: stdout, or stderr when that is empty, is read as JSON; other text denies with any code but 0 and 1.
export const interpretGemini: Interpret = (event, { stdout, stderr, exitCode }) => {
  const output = stdout.trim() === '' ? stderr : stdout
  const json = output.trim() === '' ? {} : parse(output)
  if (json === undefined) {
    return clean({ stopped: exitCode > 1 && GEMINI_STOPPING.includes(event), message: output, fault: 'plain text' })
  }
  const isDenied = json.decision === 'deny' || json.decision === 'block'
  const specific = (json.hookSpecificOutput ?? {}) as Json
  const input = specific.tool_input
  return clean({
    stopped: isDenied && GEMINI_STOPPING.includes(event),
    prompted: json.decision === 'ask' && event === 'BeforeTool' ? true : undefined,
    message: text(json.reason),
    // Merged over the arguments of the call.
    args: input === undefined ? undefined : { command: 'touch a', ...(input as Json) },
    context: text(specific.additionalContext),
    notice: text(json.systemMessage),
    fault: json.decision === 'allow' ? 'an explicit allow' : undefined,
  })
}

// Copilot: any exit code but 0 denies a tool call; otherwise exactly one JSON object counts.
export const interpretCopilot: Interpret = (event, { stdout, exitCode }) => {
  const json = stdout === '' ? {} : parse(stdout)
  if (json === undefined) return { stopped: event === 'preToolUse' && exitCode !== 0, fault: 'stdout is not JSON' }
  const permission = event === 'preToolUse' ? json.permissionDecision : undefined
  const stopped =
    (event === 'preToolUse' && exitCode !== 0) ||
    permission === 'deny' ||
    (event === 'permissionRequest' && json.behavior === 'deny') ||
    (['agentStop', 'subagentStop'].includes(event) && json.decision === 'block')
  return clean({
    stopped,
    prompted: permission === 'ask' && !stopped ? true : undefined,
    message: text(json.permissionDecisionReason ?? json.message ?? json.reason),
    args: json.modifiedArgs,
    context: text(json.additionalContext),
    fault: permission === 'allow' ? 'an explicit allow' : undefined,
  })
}

// Cline: exit codes count for nothing.
export const interpretCline: Interpret = (event, { stdout }) => {
  const json = stdout === '' ? {} : parse(stdout)
  if (json === undefined) return { stopped: false, fault: 'stdout is not JSON' }
  return clean({
    stopped: json.cancel === true && ['PreToolUse', 'UserPromptSubmit', 'TaskStart'].includes(event),
    message: text(json.errorMessage),
    args: json.overrideInput,
    context: text(json.contextModification),
  })
}

const THROWING = ['tool.execute.before', 'chat.message', 'permission.ask']

// OpenCode: ARC's plugin throws on a denial, at hooks that can stop something.
export const interpretOpencode: Interpret = (event, { stdout, exitCode }) => {
  const json = stdout === '' ? {} : parse(stdout)
  if (json === undefined) return { stopped: false, fault: 'stdout is not JSON' }
  return clean({
    stopped: THROWING.includes(event) && (json.deny !== undefined || exitCode === 2),
    message: text(json.deny),
    args: json.args,
    context: text(json.context),
    notice: text(json.notice),
  })
}

const CURSOR_GATES = [
  ...[
    'preToolUse',
    'beforeShellExecution',
    'beforeMCPExecution',
    'beforeReadFile',
    'beforeTabFileRead',
    'subagentStart',
  ],
]

// Cursor: what is not JSON stops the call, and so does a gate's answer without a permission.
export const interpretCursor: Interpret = (event, { stdout, exitCode }) => {
  const json = parse(stdout)
  if (json === undefined) return { stopped: true, fault: 'stdout is not JSON' }
  const isGate = CURSOR_GATES.includes(event)
  if (isGate && json.permission === undefined) return { stopped: true, fault: 'no permission' }
  const asked = json.permission === 'ask'
  const stopped =
    (isGate && (json.permission === 'deny' || exitCode === 2)) ||
    (event === 'beforeSubmitPrompt' && json.continue === false) ||
    (event === 'stop' && json.followup_message !== undefined)
  return clean({
    stopped,
    prompted: asked && !stopped ? true : undefined,
    message: stopped || asked ? text(json.agent_message ?? json.user_message ?? json.followup_message) : undefined,
    args: json.updated_input,
    context: text(json.additional_context),
    notice: stopped || asked ? undefined : text(json.user_message),
    fault: event === 'preToolUse' && asked ? 'it would not ask' : undefined,
  })
}
