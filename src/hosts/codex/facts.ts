// The facts of Codex CLI. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const codexFacts = {
  name: 'codex',
  programs: ['codex'],
  aliases: [],
  packagePaths: ['@openai/codex'],
  variables: {
    prefix: 'CODEX',
    markers: ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID'],
    session: 'CODEX_THREAD_ID',
  },
  settings: {
    folders: [{ folder: '.codex', variable: 'CODEX_HOME', names: ['config.toml', 'hooks.json', 'hooks', 'rules'] }],
    ownFolders: ['.codex'],
    credentials: ['.codex/auth.json'],
    machineFolders: ['/etc/codex'],
  },
  unattended: {
    options: ['--dangerously-bypass-approvals-and-sandbox', '--yolo', '--ask-for-approval=never', '-a=never'],
    commands: ['exec', 'e'],
  },
} as const satisfies AgentFacts

export const codexTools: ToolNames = {
  shell: ['bash', 'exec_command', 'local_shell', 'shell_command'],
  patch: ['apply_patch'],
  spawn: ['spawn_agent'],
  message: ['send_input', 'send_message', 'followup_task'],
}
