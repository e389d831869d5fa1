// A table: exempt from the file length limit.
// The guard itself: its files, the agents' hook settings, its daemon, and the switches that turn it off.

import type { Access } from '../access.ts'
import { type Call, findOption } from '../call.ts'
import { placeOf } from '../places.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'

const ASK = 'A person can change this by hand; an agent should not change what supervises it.'

export const guard: RulePack = {
  name: 'guard',
  about: "The guard itself and the agents' own settings.",
  rules: [
    {
      id: 'guard/settings',
      effect: 'destructive',
      tier: 5,
      reason: 'It changes the settings that say which hooks supervise the agent.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { access: ['write', 'delete'], test: touchesSettings },
      match: [
        'rm ~/.claude/settings.json',
        'echo {} > .claude/settings.local.json',
        'sed -i s/hooks/x/ ~/.codex/config.toml',
        'mv ~/.gemini/settings.json /tmp',
        'cp x .cursor/hooks.json',
        'rm -rf ~/.claude',
        'chmod 000 ~/.codex/hooks.json',
        { tool: 'Write', args: { file_path: '.claude/settings.json', content: '{}' } },
        { tool: 'Edit', args: { file_path: '/home/user/.codex/hooks.json' } },
        'rm -rf ~/.arc',
        'echo off > ~/.arc/profiles/default.json',
      ],
      pass: [
        'cat ~/.claude/settings.json',
        'jq .hooks ~/.claude/settings.json',
        'echo x > .claude/notes.md',
        'cp ~/.claude/settings.json /tmp/copy',
        { tool: 'Read', args: { file_path: '.claude/settings.json' } },
        { tool: 'Write', args: { file_path: '.claude/commands/x.md', content: '' } },
      ],
    },
    {
      id: 'guard/arc',
      effect: 'destructive',
      tier: 5,
      reason: 'It switches the supervision off, or loosens it.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        program: 'arc',
        sub: [
          'uninstall|stop',
          'hooks disable',
          'breaker reset',
          'approvals approve',
          'trust',
          'untrust',
          'profile set|use|delete|create',
          'init',
        ],
        test: (call) => loosens(call),
      },
      match: [
        'arc uninstall claude',
        'arc stop',
        'arc hooks disable risk-detection',
        'arc breaker reset',
        'arc approvals approve 1',
        'arc profile set enforcement off',
        'arc init --enforcement off',
        './bin/arc stop',
      ],
      pass: [
        'arc status',
        'arc logs',
        'arc hooks list',
        'arc why last',
        'arc check -- ls',
        'arc init',
        'arc uninstall --help',
        'arc uninstall claude --dry-run',
      ],
    },
    {
      id: 'guard/daemon',
      effect: 'destructive',
      tier: 5,
      reason: 'It ends the process that supervises the agent.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        program: 'pkill killall kill systemctl launchctl',
        test: (call) =>
          call.command.args.find(
            ({ text }) =>
              ['arc', 'arc-supervisor', 'arc serve', 'arc-daemon', 'arc.service'].includes(text) ||
              text.includes('arc.pid') ||
              text.includes('arc serve'),
          ),
      },
      match: ['pkill -f "arc serve"', 'killall arc', 'systemctl stop arc', 'kill $(cat ~/.arc/run/arc.pid)'],
      pass: ['pkill node', 'kill 4242', 'killall archiver'],
    },
    {
      id: 'guard/kill-switch',
      effect: 'destructive',
      tier: 4,
      reason: 'It sets a variable that turns hooks or checks off.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        whole: ({ commands, assigned }) => {
          for (const [name, word] of assigned) if (isSwitch(name, word.text)) return word
          for (const { env } of commands) for (const [name, word] of env) if (isSwitch(name, word.text)) return word
          return undefined
        },
      },
      match: [
        'ARC_HOME=/tmp/x claude -p hi',
        'export ARC_MODE=off',
        'ARC_ENFORCEMENT=off npm test',
        'export CLAUDE_CODE_DISABLE_HOOKS=1',
        'HUSKY=0 git commit -m x',
        'export DISABLE_HOOKS=true',
      ],
      pass: ['ARC=1 npm test', 'NODE_ENV=test npm test', 'export PATH=$PATH:/x', 'ARC_PROFILE=strict arc status'],
    },
    {
      id: 'guard/skip-permissions',
      effect: 'destructive',
      tier: 4,
      reason: 'It starts an agent that asks nobody and heeds no hook.',
      alternative: 'Start it without the option; arc launch supervises it.',
      owasp: 'ASI10',
      when: {
        program: 'claude codex gemini qwen opencode copilot cursor-agent cline amp aider goose',
        test: (call) =>
          call.options.find(
            ({ name, value }) =>
              LOOSENING.has(name) ||
              (name === '--approval-mode' && value === 'yolo') ||
              (name === '--permission-mode' && value === 'bypassPermissions') ||
              name.endsWith('disable-hooks') ||
              (name === '--settings' && (value ?? '').includes('disableAllHooks')),
          )?.word,
      },
      match: [
        'claude --dangerously-skip-permissions -p x',
        'codex exec --dangerously-bypass-approvals-and-sandbox x',
        'gemini --yolo -p x',
        'claude --permission-mode=bypassPermissions',
      ],
      pass: ['claude -p hello', 'codex exec x', 'gemini -p x'],
    },
    {
      id: 'guard/git-hooks',
      effect: 'file-modification',
      tier: 4,
      reason: 'It changes what git runs by itself.',
      alternative: 'Put hooks where they are reviewed, such as .husky.',
      owasp: 'ASI05',
      when: {
        access: ['write', 'delete'],
        test: ({ file, cwd, place }, facts) => {
          const { path } = placeOf(file, cwd, facts, place)
          if (path.endsWith('.sample')) return undefined
          return path.includes('/.git/hooks/') || path.endsWith('/.git/hooks') || path.endsWith('/.git/config')
            ? { at: file.span, isUncertain: !path.includes('/.git/hooks') }
            : undefined
        },
      },
      match: [
        'echo x > .git/hooks/pre-commit',
        'rm .git/hooks/pre-push',
        { tool: 'Write', args: { file_path: '.git/hooks/post-checkout', content: '' } },
        'chmod -x .git/hooks/pre-commit',
      ],
      pass: ['cat .git/hooks/pre-commit', 'echo x > .husky/pre-commit', 'ls .git/hooks'],
    },
    {
      id: 'guard/startup-files',
      effect: 'file-modification',
      tier: 3,
      reason: 'It changes what runs at every login or on every machine that builds the project.',
      owasp: 'ASI05',
      when: {
        access: ['write'],
        test: ({ file, cwd, place }, facts) => {
          const { path, kind } = placeOf(file, cwd, facts, place)
          const name = path.slice(path.lastIndexOf('/') + 1)
          if (STARTUP.has(name) && kind !== 'inside') return { at: file.span, isUncertain: true }
          return path.includes('/.github/workflows/') ||
            name === '.gitlab-ci.yml' ||
            name === 'Jenkinsfile' ||
            path.includes('/.circleci/') ||
            path.includes('/etc/cron') ||
            path.includes('/LaunchAgents/')
            ? file
            : undefined
        },
      },
      match: [
        'echo x >> ~/.bashrc',
        { tool: 'Edit', args: { file_path: '.github/workflows/ci.yml' } },
        'tee ~/.profile',
      ],
      pass: ['cat ~/.bashrc', 'echo x > notes.txt', { tool: 'Write', args: { file_path: 'src/a.ts', content: '' } }],
    },
  ],
}

const STARTUP = new Set([
  '.bashrc',
  '.zshrc',
  '.profile',
  '.bash_profile',
  '.zprofile',
  '.zshenv',
  '.bash_login',
  '.gitconfig',
  '.vimrc',
  '.npmrc',
  '.bash_logout',
  'crontab',
])

// The files in which agents keep their hooks, and the folders that hold little else.
const AGENT_FILES = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks',
  '.claude.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.codex/hooks',
  '.codex/rules',
  '.gemini/settings.json',
  '.gemini/hooks',
  '.qwen/settings.json',
  '.cursor/hooks.json',
  '.cursor/hooks',
  '.copilot/config.json',
  '.copilot/hooks',
  '.github/hooks',
  '.clinerules/hooks',
  '.cline/hooks',
  '.opencode/plugin',
  '.opencode/plugins',
  '.opencode/opencode.json',
  'opencode.json',
  '.config/opencode',
  'claude-code/managed-settings.json',
  '.arc/config.json',
  '.arc/config.yaml',
  '.safety-net',
  '.cc-safety-net',
]
const AGENT_FOLDERS = ['.claude', '.codex', '.gemini', '.qwen', '.cursor', '.copilot', '.opencode', '.arc']

function touchesSettings(access: Access, facts: Facts): TestResult {
  const { file, cwd, place, kind } = access
  const { path } = placeOf(file, cwd, facts, place)
  const isSettings = AGENT_FILES.some(
    (name) => path.endsWith(`/${name}`) || path.includes(`/${name}/`) || path === name,
  )
  const isFolder =
    kind === 'delete' && AGENT_FOLDERS.some((name) => path.endsWith(`/${name}`) || path.endsWith(`/${name}/*`))
  const isHome = path.includes('/.arc/') && path.startsWith(facts.home)
  return isSettings || isFolder || isHome ? file : undefined
}

function loosens(call: Call): TestResult {
  const [first, second, third, fourth] = call.operands.map(({ text }) => text)
  if (first === 'init')
    return call.options.some(({ name, value }) => name === '--enforcement' && value !== 'enforce') ||
      call.operands.length > 1
      ? true
      : undefined
  if (first === 'profile' && second === 'set' && third === 'enforcement' && fourth === 'enforce') return undefined
  return findOption(call, ['--dry-run']) === undefined ? (call.operands[0] ?? true) : undefined
}

const LOOSENING = new Set([
  '--dangerously-skip-permissions',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
  '--yolo',
  '--allow-all-tools',
  '--full-auto',
  '--force-allow',
  '--yes-always',
])

const SWITCHES = new Set([
  'DISABLE_HOOKS',
  'CLAUDE_CODE_DISABLE_HOOKS',
  'CLAUDE_DISABLE_HOOKS',
  'ARC_DISABLE',
  'ARC_DISABLED',
  'ARC_SKIP',
  'ARC_OFF',
  'NO_HOOKS',
  'SKIP_HOOKS',
  'HOOKS_DISABLED',
  'DISABLE_ALL_HOOKS',
  'CC_SAFETY_NET_DISABLE',
  'SAFETY_NET_DISABLE',
  'DCG_BYPASS',
  'DCG_DISABLE',
  'GUARD_DISABLE',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
])
const OFF = new Set(['off', 'log', 'none', 'false', '0', 'disabled'])
const ON = new Set(['1', 'true', 'yes', 'on'])

function isSwitch(name: string, value: string): boolean {
  if (name === 'ARC_HOME') return true
  if (
    name === 'HUSKY' ||
    name === 'ARC_MODE' ||
    name === 'ARC_ENFORCEMENT' ||
    name === 'ARC_HOOKS' ||
    name === 'ARC_GUARD'
  )
    return OFF.has(value.toLowerCase())
  if (name.endsWith('_DIR') || name.endsWith('_HOME') || name.endsWith('_PATH')) return SWITCHES.has(name)
  return SWITCHES.has(name) && (ON.has(value.toLowerCase()) || value === '')
}
