// The facts of GitHub Copilot CLI. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const copilotFacts = {
  name: 'copilot',
  programs: ['copilot'],
  aliases: [],
  packagePaths: ['@github/copilot'],
  variables: { prefix: 'COPILOT', markers: ['COPILOT_CLI'] },
  settings: {
    folders: [{ folder: '.copilot', variable: 'COPILOT_HOME', names: ['config.json', 'settings.json', 'hooks'] }],
    projectFiles: ['.github/hooks'],
    ownFolders: ['.copilot'],
  },
  isEventInLine: true,
  stopsAtAnyFailure: true,
  unattended: { options: ['-p', '--prompt', '--allow-all-tools', '--allow-all', '--yolo'] },
} as const satisfies AgentFacts

export const copilotTools: ToolNames = {
  shell: ['bash', 'powershell', 'run_in_terminal'],
  edit: ['edit', 'str_replace'],
  write: ['create', 'create_file'],
  read: ['view'],
  'search-text': ['grep', 'rg'],
  'find-files': ['glob', 'file_search'],
  fetch: ['web_fetch'],
  spawn: ['task'],
}
