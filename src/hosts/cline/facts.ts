// The facts of Cline. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const clineFacts = {
  name: 'cline',
  programs: ['cline'],
  aliases: [],
  packagePaths: [],
  variables: { prefix: 'CLINE', markers: ['CLINE_ACTIVE'] },
  settings: {
    folders: [
      { folder: '.cline', names: ['hooks'] },
      { folder: 'Documents/Cline/Hooks', names: [''] },
    ],
    projectFiles: ['.clinerules/hooks'],
  },
  isEventInLine: true,
  failClosed: 'a cancel in its scripts',
  unattended: { options: ['-y', '--yolo', '--auto-approve=true'] },
} as const satisfies AgentFacts

export const clineTools: ToolNames = {
  shell: ['run_commands', 'execute_command'],
  edit: ['editor', 'replace_in_file'],
  write: ['write_to_file'],
  patch: ['apply_patch'],
  read: ['read_file', 'read_files'],
  'search-text': ['search_files'],
  'list-files': ['list_files'],
  fetch: ['fetch_web_content'],
  spawn: ['new_task'],
}
