// The facts of Kimi Code. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const kimiFacts = {
  name: 'kimi',
  // Its processes call themselves kimi-code.
  programs: ['kimi', 'kimi-code'],
  aliases: ['kimi-cli'],
  packagePaths: ['@moonshot-ai/kimi-code'],
  // It sets no variable for its child processes.
  variables: { prefix: 'KIMI', markers: [] },
  settings: {
    folders: [{ folder: '.kimi-code', variable: 'KIMI_CODE_HOME', names: ['config.toml', 'plugins'] }],
    projectFiles: ['.kimi-code/local.toml'],
    ownFolders: ['.kimi-code'],
    credentials: ['.kimi-code/credentials'],
  },
  looseningOptions: ['-y', '--auto'],
  unattended: { options: ['-p', '--prompt', '--auto'] },
} as const satisfies AgentFacts

export const kimiTools: ToolNames = {
  shell: ['bash'],
  edit: ['edit'],
  write: ['write'],
  read: ['read', 'readmediafile'],
  'search-text': ['grep'],
  'find-files': ['glob'],
  fetch: ['fetchurl'],
  'search-web': ['websearch'],
  spawn: ['agent', 'agentswarm'],
}
