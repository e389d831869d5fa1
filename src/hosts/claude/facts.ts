// The facts of Claude Code. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const claudeFacts = {
  name: 'claude',
  programs: ['claude'],
  aliases: ['claude-code'],
  packagePaths: ['@anthropic-ai/claude-code', 'claude/versions'],
  variables: {
    prefix: 'CLAUDE',
    markers: ['CLAUDECODE', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_PID'],
    session: 'CLAUDE_CODE_SESSION_ID',
  },
  settings: {
    folders: [
      { folder: '.claude', variable: 'CLAUDE_CONFIG_DIR', names: ['settings.json', 'settings.local.json', 'hooks'] },
    ],
    homeFiles: ['.claude.json'],
    projectFiles: ['claude-code/managed-settings.json'],
    ownFolders: ['.claude'],
    credentials: ['.claude/.credentials.json'],
    systemFile: 'etc/claude-code/managed-settings.json',
    machineFolders: ['/etc/claude-code', '/Library/Application Support/ClaudeCode'],
  },
  failClosed: 'onFailure: block',
  unattended: {
    options: ['-p', '--print', '--dangerously-skip-permissions', '--permission-mode=bypassPermissions'],
    unless: ['--permission-prompt-tool'],
  },
} as const satisfies AgentFacts

export const claudeTools: ToolNames = {
  shell: ['bash'],
  edit: ['edit'],
  'multi-edit': ['multiedit'],
  write: ['write'],
  notebook: ['notebookedit'],
  read: ['read'],
  'search-text': ['grep'],
  'find-files': ['glob'],
  'list-files': ['ls'],
  fetch: ['web_fetch'],
  'search-web': ['web_search'],
  spawn: ['task', 'agent'],
  message: ['sendmessage'],
}
