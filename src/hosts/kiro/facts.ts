// The facts of Kiro CLI. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const kiroFacts = {
  name: 'kiro',
  programs: ['kiro-cli', 'kiro-cli-chat'],
  // The desktop application: its terminals belong to a person.
  aliases: ['kiro'],
  packagePaths: [],
  variables: { prefix: 'KIRO', markers: [] },
  settings: {
    folders: [{ folder: '.kiro', names: ['agents', 'hooks', 'settings'] }],
    ownFolders: ['.kiro'],
  },
  looseningOptions: ['--trust-all-tools', '-a'],
  unattended: { options: ['--no-interactive', '--trust-all-tools', '-a'] },
} as const satisfies AgentFacts

export const kiroTools: ToolNames = {
  shell: ['execute_bash', 'shell', 'execute_cmd'],
  write: ['fs_write', 'write'],
  read: ['fs_read', 'read'],
  'search-text': ['grep'],
  'find-files': ['glob'],
  fetch: ['web_fetch'],
  'search-web': ['web_search'],
  spawn: ['use_subagent', 'subagent', 'delegate'],
}
