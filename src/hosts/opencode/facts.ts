// The facts of OpenCode. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const opencodeFacts = {
  name: 'opencode',
  programs: ['opencode'],
  aliases: ['opencode-ai'],
  packagePaths: ['opencode-ai'],
  variables: {
    prefix: 'OPENCODE',
    markers: ['OPENCODE'],
    settingsFiles: ['OPENCODE_CONFIG'],
    settingsText: ['OPENCODE_CONFIG_CONTENT'],
  },
  settings: {
    folders: [
      {
        folder: '.config/opencode',
        variable: 'OPENCODE_CONFIG_DIR',
        names: ['opencode.json', 'opencode.jsonc', 'config.json', 'plugin', 'plugins'],
      },
    ],
    projectFiles: [
      ...['.opencode/plugin', '.opencode/plugins', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
      ...['opencode.json', 'opencode.jsonc', '.config/opencode'],
    ],
    ownFolders: ['.opencode'],
    machineFolders: ['/etc/opencode'],
  },
  isEventInLine: true,
  failClosed: 'FAIL_CLOSED in the plugin',
  unattended: { commands: ['run'] },
} as const satisfies AgentFacts

export const opencodeTools: ToolNames = {
  shell: ['bash'],
  edit: ['edit'],
  write: ['write'],
  patch: ['patch', 'apply_patch'],
  read: ['read'],
  'search-text': ['grep'],
  'find-files': ['glob'],
  'list-files': ['list'],
  fetch: ['web_fetch'],
  'search-web': ['web_search'],
  spawn: ['task'],
}
