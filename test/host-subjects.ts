// Each adapter with its captured payloads, a payload for every event, and configurations as users have them.

import { readdirSync, readFileSync } from 'node:fs'
import type { PointName } from '../src/engine/points.ts'
import type { HostName } from '../src/hosts/host.ts'
import { HOSTS } from '../src/hosts/list.ts'
import type { CapturedPayload, HostSubject } from '../src/testing/host-contract.ts'
import * as models from './host-models.ts'

type Expected = Readonly<Record<string, readonly [PointName, string?]>>

function captured(host: HostName, expected: Expected, isEventInLine: boolean): CapturedPayload[] {
  const folder = new URL(`../src/hosts/${host}/fixtures/`, import.meta.url)
  const files = readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('borrowed-'))
  return files.map((file) => {
    const name = file.replace(/\.json$/, '')
    const [point, tool] = expected[name] ?? []
    if (point === undefined) throw new Error(`no expectation for ${host}/${name}`)
    const event = isEventInLine ? name : undefined
    return {
      name,
      event,
      payload: readFileSync(new URL(file, folder), 'utf8'),
      point,
      ...(tool === undefined ? {} : { tool }),
    }
  })
}

const SNAKE = {
  session_id: 's-1',
  transcript_path: '/home/dev/t.jsonl',
  cwd: '/home/dev/project',
  tool_name: 'Bash',
  tool_input: { command: 'touch a' },
  tool_use_id: 'call-1',
  prompt: 'go',
}

const snake = (event: string): string => {
  const isAfter = /^(Post|After|PermissionDenied)/.test(event)
  const result = isAfter ? { tool_response: { stdout: '', llmContent: '' } } : {}
  return JSON.stringify({ hook_event_name: event, ...SNAKE, ...result })
}

const JSON_CONFIGURATIONS = [
  undefined,
  '',
  '{}',
  '{ }\n',
  '{\n}',
  '{"hooks":{}}',
  '{"model": "x"}\n',
  '{\r\n\t"hooks" : {\r\n\t}\r\n}\r\n',
  '\uFEFF{ "a": 1 }',
  '// mine\n{\n  /* here */ "hooks": { // hooks\n    "Other": [ ], // none\n  },\n}\n',
  '{\n\t"hooks": { "PreToolUse": [\n\t\t{"hooks": [ {"type":"command", "command":"touch \\"$HOME/x\\""} ]} ] }\n}',
  '{"hooks":{"BeforeTool":[],"preToolUse":[{"command":"own"}],"PreToolUse":[{"matcher":"Bash","hooks":[]}]},"z":[1,2]}',
]

export const SUBJECTS: Readonly<Record<HostName, HostSubject>> = {
  claude: {
    host: HOSTS.claude,
    captured: captured(
      'claude',
      {
        SessionStart: ['session:start'],
        InstructionsLoaded: ['post:session:phase'],
        UserPromptSubmit: ['pre:message'],
        PreToolUse: ['pre:tool', 'Bash'],
        PostToolUse: ['post:tool', 'Bash'],
        PostToolBatch: ['post:session:phase'],
        MessageDisplay: ['post:message'],
        Stop: ['pre:turn:end'],
        SessionEnd: ['session:end'],
      },
      false,
    ),
    payloadFor: snake,
    interpret: models.interpretClaude,
    configurations: JSON_CONFIGURATIONS,
  },
  codex: {
    host: HOSTS.codex,
    captured: captured(
      'codex',
      {
        SessionStart: ['session:start'],
        UserPromptSubmit: ['pre:message'],
        PreModelRequest: ['post:session:phase'],
        PreToolUse: ['pre:tool', 'Bash'],
        PostToolUse: ['post:tool', 'Bash'],
        Stop: ['pre:turn:end'],
        SessionEnd: ['session:end'],
      },
      false,
    ),
    payloadFor: snake,
    interpret: models.interpretCodex,
    configurations: JSON_CONFIGURATIONS,
  },
  gemini: {
    host: HOSTS.gemini,
    captured: captured(
      'gemini',
      {
        SessionStart: ['session:start'],
        BeforeAgent: ['pre:message'],
        PreCompress: ['pre:compact'],
        BeforeModel: ['pre:session:phase'],
        BeforeToolSelection: ['post:session:phase'],
        AfterModel: ['post:message'],
        BeforeTool: ['pre:tool', 'run_shell_command'],
        AfterTool: ['post:tool', 'run_shell_command'],
        AfterAgent: ['pre:turn:end'],
        SessionEnd: ['session:end'],
      },
      false,
    ),
    payloadFor: snake,
    interpret: models.interpretGemini,
    configurations: JSON_CONFIGURATIONS,
  },
  qwen: {
    host: HOSTS.qwen,
    captured: captured(
      'qwen',
      {
        InstructionsLoaded: ['post:session:phase'],
        SessionStart: ['session:start'],
        Notification: ['post:session:phase'],
        UserPromptSubmit: ['pre:message'],
        // The second one carries a tool's result and no prompt.
        'UserPromptSubmit.2': ['post:session:phase'],
        PreToolUse: ['pre:tool', 'run_shell_command'],
        PostToolUse: ['post:tool', 'run_shell_command'],
        PostToolBatch: ['post:session:phase'],
        MessageDisplay: ['post:message'],
        Stop: ['pre:turn:end'],
      },
      false,
    ),
    payloadFor: snake,
    interpret: models.interpretQwen,
    configurations: JSON_CONFIGURATIONS,
  },
  copilot: {
    host: HOSTS.copilot,
    captured: captured(
      'copilot',
      {
        sessionStart: ['session:start'],
        userPromptSubmitted: ['pre:message'],
        preToolUse: ['pre:tool', 'bash'],
        permissionRequest: ['pre:tool', 'bash'],
        postToolUse: ['post:tool', 'bash'],
        agentStop: ['pre:turn:end'],
        sessionEnd: ['session:end'],
      },
      true,
    ),
    payloadFor: (event) => {
      const call = { toolName: 'bash', toolArgs: { command: 'touch a' } }
      const result = event.startsWith('post') ? { toolResult: { resultType: 'success', textResultForLlm: '' } } : {}
      return JSON.stringify({ sessionId: 's-1', timestamp: 1, cwd: '/home/dev', prompt: 'go', ...call, ...result })
    },
    interpret: models.interpretCopilot,
    configurations: JSON_CONFIGURATIONS,
  },
  cline: {
    host: HOSTS.cline,
    captured: captured(
      'cline',
      {
        TaskStart: ['session:start'],
        PreToolUse: ['pre:tool', 'run_commands'],
        PostToolUse: ['post:tool', 'run_commands'],
        TaskComplete: ['pre:turn:end'],
      },
      true,
    ),
    payloadFor: (event) => {
      const call = { id: 'call-1', name: 'run_commands', input: { commands: ['touch a'] } }
      const key = event === 'PostToolUse' ? 'tool_result' : 'tool_call'
      return JSON.stringify({
        taskId: 't-1',
        sessionContext: { rootSessionId: 's-1' },
        workspaceRoots: ['/home/dev'],
        prompt: 'go',
        [key]: { ...call, ...(event === 'PostToolUse' ? { output: [] } : {}) },
      })
    },
    interpret: models.interpretCline,
    configurations: [undefined],
  },
  opencode: {
    host: HOSTS.opencode,
    captured: captured(
      'opencode',
      {
        'session.created': ['session:start'],
        'session.idle': ['pre:turn:end'],
        'session.status': ['post:session:phase'],
        'message.updated': ['post:session:phase'],
        'chat.message': ['pre:message'],
        'experimental.text.complete': ['post:message'],
        'shell.env': ['post:session:phase'],
        'tool.execute.before': ['pre:tool', 'bash'],
        'tool.execute.after': ['post:tool', 'bash'],
      },
      true,
    ),
    payloadFor: (event) =>
      JSON.stringify({
        input: { tool: 'bash', sessionID: 's-1', callID: 'call-1', args: { command: 'touch a' } },
        output: {
          ...(event === 'tool.execute.after' ? { output: '' } : { args: { command: 'touch a' } }),
          parts: [{ type: 'text', text: 'go' }],
        },
        directory: '/home/dev',
      }),
    interpret: models.interpretOpencode,
    configurations: [undefined],
  },
  cursor: {
    host: HOSTS.cursor,
    captured: [],
    payloadFor: (event) =>
      JSON.stringify({
        hook_event_name: event,
        conversation_id: 's-1',
        generation_id: 'g-1',
        cursor_version: '3.10.0',
        workspace_roots: ['/home/dev'],
        tool_name: event.includes('MCP') ? 'search' : 'Shell',
        tool_input: { command: 'touch a' },
        command: 'touch a',
        file_path: '/home/dev/a',
        prompt: 'go',
        ...(/^(post|after)/.test(event) ? { tool_output: '""', output: '' } : {}),
      }),
    interpret: models.interpretCursor,
    configurations: JSON_CONFIGURATIONS,
  },
}
