// The facts of Gemini CLI. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const geminiFacts = {
  name: 'gemini',
  programs: ['gemini'],
  aliases: ['gemini-cli'],
  packagePaths: ['@google/gemini-cli'],
  variables: {
    prefix: 'GEMINI',
    markers: ['GEMINI_CLI', 'GEMINI_SESSION_ID'],
    session: 'GEMINI_SESSION_ID',
    settingsFiles: ['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'],
  },
  settings: {
    folders: [{ folder: '.gemini', parentVariable: 'GEMINI_CLI_HOME', names: ['settings.json', 'hooks'] }],
    ownFolders: ['.gemini'],
    credentials: ['.gemini/oauth_creds.json'],
    machineFolders: ['/etc/gemini-cli', '/Library/Application Support/GeminiCli'],
  },
  looseningOptions: ['-y'],
  unattended: { options: ['-p', '--prompt', '-y', '--yolo', '--approval-mode=yolo'] },
} as const satisfies AgentFacts

export const geminiTools: ToolNames = {
  shell: ['run_shell_command'],
  edit: ['replace'],
  write: ['write_file'],
  read: ['read_file', 'read_many_files'],
  'search-text': ['search_file_content', 'grep_search'],
  'find-files': ['glob'],
  'list-files': ['list_directory'],
  fetch: ['web_fetch'],
  'search-web': ['google_web_search'],
}
