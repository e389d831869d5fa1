// The facts of Pi. Plain data.

import type { AgentFacts, ToolNames } from '../facts/agent-facts.ts'

export const piFacts = {
  name: 'pi',
  programs: ['pi'],
  aliases: ['pi-coding-agent'],
  packagePaths: ['@mariozechner/pi-coding-agent'],
  variables: { prefix: 'PI', markers: ['PI_CODING_AGENT'] },
  settings: {
    folders: [{ folder: '.pi/agent', variable: 'PI_CODING_AGENT_DIR', names: ['settings.json', 'extensions'] }],
    projectFiles: ['.pi/settings.json', '.pi/extensions'],
    ownFolders: ['.pi'],
    credentials: ['.pi/agent/auth.json'],
  },
  isEventInLine: true,
  failClosed: 'FAIL_CLOSED in the extension',
  looseningOptions: ['--no-extensions', '-ne'],
  unattended: { options: ['-p', '--print', '--mode=json', '--mode=text'] },
} as const satisfies AgentFacts

export const piTools: ToolNames = {
  shell: ['bash'],
  edit: ['edit'],
  write: ['write'],
  read: ['read'],
  'search-text': ['grep'],
  'find-files': ['find'],
  'list-files': ['ls'],
  spawn: ['subagent'],
}
