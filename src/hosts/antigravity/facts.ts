// The facts of Antigravity. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const antigravityFacts = {
  name: 'antigravity',
  programs: ['agy'],
  // The desktop application: its terminals belong to a person.
  aliases: ['antigravity'],
  packagePaths: [],
  variables: { prefix: 'ANTIGRAVITY', markers: [] },
  settings: {
    folders: [{ folder: '.gemini/config', names: ['hooks.json', 'plugins'] }],
    projectFiles: ['.agents/hooks.json', '.agent/hooks.json', '.antigravitycli/hooks.json'],
  },
  isEventInLine: true,
  unattended: { options: ['-p', '--print', '--dangerously-skip-permissions'] },
} as const satisfies AgentFacts

export const antigravityTools: ToolNames = {
  shell: ['run_command'],
  edit: ['edit_file', 'replace_file_content'],
  'multi-edit': ['multi_replace_file_content'],
  write: ['write_to_file'],
  read: ['view_file'],
  'search-text': ['grep_search', 'codebase_search'],
  'find-files': ['find_by_name'],
  'list-files': ['list_dir'],
  fetch: ['read_url_content'],
  'search-web': ['search_web'],
  spawn: ['invoke_subagent', 'browser_subagent'],
}
