// The facts of Cursor. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const cursorFacts = {
  name: 'cursor',
  programs: ['cursor-agent'],
  // The desktop application: its terminals belong to a person.
  aliases: ['cursor'],
  packagePaths: ['cursor-agent/versions'],
  variables: { prefix: 'CURSOR', markers: ['CURSOR_AGENT'] },
  settings: {
    folders: [{ folder: '.cursor', names: ['hooks.json', 'hooks'] }],
    ownFolders: ['.cursor'],
    machineFolders: ['/etc/cursor', '/Library/Application Support/Cursor'],
  },
  looseningOptions: ['--force', '-f'],
  failClosed: 'failClosed: true',
  unattended: { options: ['-p', '--print', '-f', '--force'] },
} as const satisfies AgentFacts

export const cursorTools: ToolNames = {
  shell: ['shell', 'run_terminal_cmd'],
  edit: ['edit', 'edit_file', 'search_replace'],
  write: ['write'],
  delete: ['delete', 'delete_file'],
  read: ['read', 'read_file'],
  'search-text': ['grep', 'grep_search'],
  'find-files': ['glob', 'file_search'],
  'list-files': ['ls', 'list_dir'],
  'search-web': ['web_search'],
  spawn: ['task'],
}
