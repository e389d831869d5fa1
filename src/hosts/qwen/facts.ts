// The facts of Qwen Code. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const qwenFacts = {
  name: 'qwen',
  programs: ['qwen'],
  aliases: ['qwen-code'],
  packagePaths: ['@qwen-code/qwen-code'],
  variables: {
    prefix: 'QWEN',
    markers: ['QWEN_CODE', 'QWEN_CODE_SESSION_ID'],
    session: 'QWEN_CODE_SESSION_ID',
    settingsFiles: ['QWEN_CODE_SYSTEM_SETTINGS_PATH'],
  },
  settings: {
    folders: [{ folder: '.qwen', variable: 'QWEN_HOME', names: ['settings.json', 'hooks'] }],
    ownFolders: ['.qwen'],
    credentials: ['.qwen/oauth_creds.json'],
    machineFolders: ['/etc/qwen-code'],
  },
  looseningOptions: ['-y'],
  unattended: { options: ['-p', '--prompt', '-y', '--yolo', '--approval-mode=yolo'] },
} as const satisfies AgentFacts

export const qwenTools: ToolNames = {
  shell: ['run_shell_command'],
  edit: ['edit', 'replace'],
  write: ['write_file'],
  read: ['read_file', 'read_many_files'],
  'search-text': ['search_file_content', 'grep_search'],
  'find-files': ['glob'],
  'list-files': ['list_directory'],
  fetch: ['web_fetch'],
  'search-web': ['web_search'],
  spawn: ['task'],
  message: ['send_message'],
}
