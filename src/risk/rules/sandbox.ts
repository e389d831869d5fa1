// A table: exempt from the file length limit.
// Calls that ask the agent to leave its own sandbox or to skip its permissions, by an argument of the call.

import type { Hit, RulePack } from '../rule.ts'
import { type Argument, leavesSandbox } from '../sandbox-arguments.ts'

export const sandbox: RulePack = {
  name: 'sandbox',
  about: "Calls without the agent's sandbox or past its permissions.",
  rules: [
    {
      id: 'sandbox/bypass',
      effect: 'file-modification',
      tier: 3,
      reason: "Asks to run without the agent's sandbox, or with more permissions than the agent has.",
      alternative: 'Run it inside the sandbox, or ask the user to run it.',
      owasp: 'ASI03',
      when: { argument: findEscape },
      match: [
        { tool: 'Bash', args: { command: 'npm test', dangerouslyDisableSandbox: true } },
        { tool: 'Bash', args: { command: 'npm test', dangerously_disable_sandbox: 'true' } },
        { tool: 'exec_command', args: { cmd: 'npm test', with_escalated_permissions: true, justification: 'x' } },
        { tool: 'shell', args: { command: 'npm test', sandbox_permissions: 'require_escalated' } },
        { tool: 'exec_command', args: { cmd: 'npm test', sandbox_permissions: 'with_additional_permissions' } },
        { tool: 'run_shell_command', args: { command: 'npm test', additional_permissions: { network: true } } },
        { tool: 'run_shell_command', args: { command: 'npm test', sandbox: false } },
        { tool: 'run_shell_command', args: { command: 'npm test', sandbox: 'none' } },
        { tool: 'exec', args: { command: 'npm test', elevated: true } },
        { tool: 'exec', args: { command: 'npm test', sandbox: { enabled: false } } },
        { tool: 'exec', args: { command: 'npm test', sandboxMode: 'danger-full-access' } },
        { tool: 'Task', args: { prompt: 'fix it', mode: 'bypassPermissions' } },
        { tool: 'spawn_agent', args: { task: 'fix it', options: { skipPermissions: 1 } } },
        { tool: 'mcp__shell__run', args: { calls: [{ command: 'ls', noSandbox: true }] } },
      ],
      pass: [
        'npm test',
        'chromium --no-sandbox --headless',
        { tool: 'Bash', args: { command: 'npm test', dangerouslyDisableSandbox: false } },
        { tool: 'Bash', args: { command: 'npm test', dangerouslyDisableSandbox: 'false' } },
        { tool: 'Bash', args: { command: 'npm test', description: 'dangerouslyDisableSandbox' } },
        { tool: 'exec_command', args: { cmd: 'npm test', sandbox_permissions: 'use_default' } },
        { tool: 'exec_command', args: { cmd: 'npm test', with_escalated_permissions: false } },
        { tool: 'run_shell_command', args: { command: 'npm test', additional_permissions: {} } },
        { tool: 'run_shell_command', args: { command: 'npm test', sandbox: true } },
        { tool: 'execute_command', args: { command: 'npm test', requires_approval: false } },
        { tool: 'mcp__e2b__run_code', args: { code: 'print(1)', sandbox_id: 'none' } },
        { tool: 'mcp__github__list_collaborators', args: { permissions: 'none' } },
        { tool: 'Write', args: { file_path: 'a.json', content: '{"dangerouslyDisableSandbox": true}' } },
        { tool: 'Task', args: { prompt: 'explain bypassPermissions', mode: 'plan' } },
        { tool: 'Bash', args: { command: 'npm start', env: { ELECTRON_DISABLE_SANDBOX: '1' } } },
      ],
    },
  ],
}

// What runs outside of the sandbox can do is unknown, so a person decides.
function findEscape(argument: Argument): Hit | undefined {
  if (!leavesSandbox(argument)) return undefined
  return { at: { start: 0, end: argument.text.length }, isUncertain: true }
}
