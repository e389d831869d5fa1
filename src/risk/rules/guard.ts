// A table: exempt from the file length limit.
// The guard itself: its files, the agents' hook settings, its daemon, and the switches that turn it off.

import type { Access } from '../access.ts'
import { readCall } from '../call.ts'
import { AGENT_PROGRAMS, changesEnvironment, loosensAgent } from '../guarded/agent-environment.ts'
import { findLoosening } from '../guarded/arc-command.ts'
import { loosensByFile, toolTouchesGuarded, touchesGuarded } from '../guarded/classify-use.ts'
import { stopsDaemon } from '../guarded/daemon-process.ts'
import { checkCodeAgainstGuard } from '../guarded/guarded-code.ts'
import { AGENT_CONFIG_VARIABLES, isSettingsPath, SETTINGS_FOLDERS } from '../guarded/host-config-paths.ts'
import { changesPackage, MANAGERS } from '../guarded/package-managers.ts'
import { changesUnknownFiles } from '../guarded/unknown-targets.ts'
import { findPatchesInText } from '../patched-files.ts'
import { classifyPath } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'
import type { Execution } from '../shell/execution.ts'

const ASK = 'Ask the user to change this. An agent must not change its own supervision.'

export const guard: RulePack = {
  name: 'guard',
  about: 'ARC itself and the settings of the agents.',
  rules: [
    {
      id: 'guard/settings',
      effect: 'destructive',
      tier: 5,
      reason: 'Changes the settings that decide which hooks supervise the agent.',
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
        "git apply <<'E'\n--- a/x\n+++ b/.claude/settings.json\nE",
        "apply_patch <<'E'\n*** Begin Patch\n*** Add File: .claude/settings.json\n+{}\nE",
        'git diff --output=.claude/settings.json',
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
      reason: 'Disables or loosens the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { program: 'arc arc-supervisor arc-supervisor@*', test: (call) => findLoosening(call.command.args) },
      match: [
        'arc uninstall claude',
        'arc stop',
        'arc hooks disable risk-detection',
        'arc breaker reset',
        'arc approvals approve 1',
        'arc profile set enforcement off',
        'arc init --enforcement off',
        './bin/arc stop',
        'arc mode off',
        'arc mode advise',
        'arc allow last',
        'arc allow --rule git/push-force',
        'arc approve 1',
        'arc trust .',
        'arc init --confirm none',
        'arc setup',
        'arc --profile lax stop',
        'npx arc-supervisor stop',
        'npx -y arc-supervisor@0.1.0 stop',
        'npm exec arc-supervisor -- stop',
        'ARC_X=1 nohup arc stop &',
      ],
      pass: [
        'arc status',
        'arc logs',
        'arc hooks list',
        'arc allow list',
        'arc why last',
        'arc report --since 7d',
        'arc check -- ls',
        'arc init',
        'arc uninstall --help',
        'arc uninstall claude --dry-run',
        'arc mode',
        'arc mode enforce',
        'arc profile set enforcement enforce',
      ],
    },
    {
      id: 'guard/arc-by-file',
      effect: 'destructive',
      tier: 5,
      reason: 'Runs ARC by its file with a command that disables or loosens the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { program: '**', test: loosensByFile },
      match: [
        'node /usr/lib/node_modules/arc-supervisor/bin/arc profile set enforcement off',
        'bash ~/.arc/bin/arc stop',
        'node --no-warnings ./bin/arc mode log',
        'sh -c ". ~/.arc/bin/arc uninstall claude"',
      ],
      pass: ['node ./bin/arc status', 'node bin/arc check -- arc stop', 'node script.js stop', 'bash stop.sh arc'],
    },
    {
      id: 'guard/package',
      effect: 'destructive',
      tier: 5,
      reason: 'Removes or replaces the installed ARC.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { program: MANAGERS, test: changesPackage },
      match: [
        'npm uninstall -g arc-supervisor',
        'npm i -g arc-supervisor@0.0.1',
        'pnpm remove -g arc-supervisor',
        'yarn global remove arc-supervisor',
        'bun remove -g arc-supervisor',
        'npm rm arc-supervisor',
        'npm link arc-supervisor',
        'npm unlink arc-supervisor',
        'npm i -g ../arc-supervisor-0.0.1.tgz',
        'npm update -g',
        'npm explore -g arc-supervisor -- rm -rf dist',
        'apt remove nodejs',
      ],
      pass: [
        'npm install',
        'npm i arc-supervisor',
        'npm ls -g arc-supervisor',
        'npm link left-pad',
        'npm update',
        'npm outdated -g',
        'npm uninstall left-pad',
        'npm i -g typescript',
      ],
    },
    {
      id: 'guard/guarded-path',
      effect: 'destructive',
      tier: 5,
      reason: 'Changes a file or folder of the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { program: '**', test: touchesGuarded },
      match: [
        'cp x/settings.json ~/.claude/',
        'cp x/settings.json ~/.claude',
        'rsync -a x/ ~/.claude/',
        'tar xf x.tar -C ~/.claude',
        'unzip x.zip -d ~/.codex',
        'git clone https://x.example/y ~/.claude',
        'cd ~/.claude && git apply /tmp/x.patch',
        'patch ~/.claude/settings.json < x.diff',
        'ln -sfn /tmp/x ~/.claude',
        'mount --bind /tmp/x ~/.claude',
        'chmod 000 ~/.arc',
        'chown nobody ~/.claude',
        'find ~/.claude -delete',
        'find ~/.arc -type f -exec rm {} +',
        "sqlite3 ~/.arc/arc.db 'insert into x values (1)'",
        'curl --unix-socket ~/.arc/run/arc.sock http://arc/v1/x',
        'socat - UNIX-CONNECT:$HOME/.arc/run/arc.sock',
        'nc -U ~/.arc/run/arc.sock',
        'cat ~/.arc/run/token',
        'dd if=x of=$HOME/.claude/settings.json',
        'd=~/.claude; cp x $d/settings.json',
        'echo x > ~/.cl*/settings.json',
        'mv ~/.a*c /tmp',
        'rm -r ~/.{arc,x}',
        'cd ~/.claude && cp /tmp/x settings.json',
        'env -C /home/user/.claude tee settings.json',
        'echo ~/.claude/settings.json | xargs rm',
        "ed -s ~/.claude/settings.json <<< 'w'",
        'vim -c "w! ~/.claude/settings.json" x',
        'ln ~/.claude/settings.json /tmp/x',
        'cp -l ~/.claude/settings.json x.json',
        'cp --symbolic-link ~/.claude/settings.json x.json',
        'cp -al ~/.claude x',
        'git checkout-index -a --prefix=$HOME/.claude/',
        'git diff --output=$HOME/.claude/settings.json',
        'git archive -o ~/.codex/hooks.json HEAD',
        "patch -d ~ -p1 <<'E'\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\nE",
        "tclsh <<< 'file delete $env(HOME)/.claude/settings.json'",
        'docker run -v ~/.claude:/c alpine rm /c/settings.json',
        'npx prettier --write ~/.claude/settings.json',
        'cp x ~/.claude/$NAME',
        'rm -rf "$ARC_HOME"',
        'tar czf /tmp/x.tgz ~/.arc',
      ],
      pass: [
        'cat ~/.claude/settings.json',
        'ls -la ~/.arc ~/.claude',
        'jq .hooks ~/.claude/settings.json',
        'grep -r hooks ~/.claude',
        'cp ~/.claude/settings.json /tmp/copy',
        'cp notes.md ~/.claude/commands/notes.md',
        'mv CLAUDE.md ~/.claude/',
        'mkdir -p ~/.claude/commands',
        'git add .claude/',
        'git diff ~/.claude/settings.json',
        'echo x > .claude/notes.md',
        'diff ~/.claude/settings.json /tmp/copy',
        'find ~/.claude -name "*.md"',
        'stat ~/.arc/arc.db',
        'gh pr create --body "mentions ~/.claude/settings.json"',
        'git commit -m "describe ~/.arc/config.json"',
        'echo "see ~/.claude/settings.json"',
        'python3 -m json.tool ~/.claude/settings.json',
        'npm install',
        'node script.js',
        'tar xzf x.tgz -C /tmp/x',
        'cp -al src /tmp/x',
        'git archive --prefix=x/ -o /tmp/x.tar HEAD',
      ],
    },
    {
      id: 'guard/guarded-file',
      effect: 'destructive',
      tier: 5,
      reason: 'Changes a file of the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { access: ['read', 'write', 'delete'], test: toolTouchesGuarded },
      match: [
        { tool: 'Write', args: { file_path: '/home/user/.arc/profiles/default.json', content: '{}' } },
        { tool: 'Edit', args: { file_path: '~/.claude/settings.json' } },
        { tool: 'Read', args: { file_path: '/home/user/.arc/run/token' } },
      ],
      pass: [
        { tool: 'Read', args: { file_path: '/home/user/.claude/settings.json' } },
        { tool: 'Write', args: { file_path: '/home/user/.claude/commands/x.md', content: '' } },
        { tool: 'Write', args: { file_path: 'src/a.ts', content: '' } },
      ],
    },
    {
      id: 'guard/guarded-code',
      effect: 'destructive',
      tier: 5,
      reason: 'The code uses a file of the supervision and may change it.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        language: ['python', 'javascript', 'perl', 'ruby', 'php', 'awk', 'sql', 'other'],
        test: checkCodeAgainstGuard,
      },
      match: [
        "python3 -c \"open('/home/user/.claude/settings.json','w').write('{}')\"",
        "python3 -c \"import os,json; p=os.path.join(os.path.expanduser('~'),'.claude','settings.json'); json.dump({},open(p,'w'))\"",
        "node -e \"require('fs').writeFileSync(process.env.HOME+'/.claude/settings.json','{}')\"",
        'perl -e \'open(F, ">", "$ENV{HOME}/.claude/settings.json")\'',
        'ruby -e \'File.write(File.expand_path("~/.arc/profiles/default.json"), "")\'',
        'awk \'BEGIN{print "{}" > "/home/user/.claude/settings.json"}\'',
        "cd ~/.claude && python3 -c \"open('settings.json','w')\"",
        'python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect(\'/home/user/.arc/run/arc.sock\')"',
        "python3 -c \"open('/home/user/.cla' + 'ude/settings.json','w')\"",
        'perl -e \'rename "$ENV{HOME}/.claude", "$ENV{HOME}/.c"\'',
        'ruby -e \'FileUtils.mv "#{Dir.home}/.claude", "/tmp/x"\'',
        "python3 -c \"from pathlib import Path; (Path.home() / '.claude').rename('/tmp/x')\"",
        'node -e "const h = os.homedir(); fs.writeFileSync(h + \'/.claude/settings.json\', 1)"',
      ],
      pass: [
        'python3 -c "print(open(\'/home/user/.claude/settings.json\').read())"',
        'node -p "require(\'/home/user/.claude/settings.json\').hooks"',
        'python3 -c "print(1)"',
        "awk '{print $1}' ~/.claude/settings.json",
        "python3 -c \"open('/tmp/x','w').write('a')\"",
      ],
    },
    {
      id: 'guard/guarded-names',
      effect: 'destructive',
      tier: 4,
      reason: 'Passes paths of the supervision to a command that changes files.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        whole: (execution, facts) => {
          const result = changesUnknownFiles(execution, facts)
          return typeof result === 'object' && 'at' in result ? { ...result, isUncertain: true } : result
        },
      },
      match: [
        'find ~/.claude -name "set*" | xargs rm',
        'rm "$(which arc)"',
        'ls ~/.arc/profiles | while read f; do rm "$f"; done',
        'echo {} > "$(realpath ~/.claude)/settings.json"',
        'cp x `ls -d ~/.codex`/hooks.json',
        'cd "$(dirname "$(realpath ~/.claude/settings.json)")" && echo {} > settings.json',
      ],
      pass: [
        'find . -name "*.tmp" | xargs rm',
        'which node',
        'rm "$(which foo)"',
        'find ~/.claude -name "*.md" | xargs cat',
        'cat ~/.claude/settings.json > "$(mktemp)"',
        'find src -name settings.json -exec sed -i s/a/b/ {} +',
      ],
    },
    {
      id: 'guard/patch',
      effect: 'destructive',
      tier: 4,
      reason: 'Applies a patch that changes a file of the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { whole: patchesSettings },
      match: [
        "printf -- '--- a/.claude/settings.json\\n+++ b/.claude/settings.json\\n' > p; git apply p",
        "cat > p <<'E'\n--- a/.codex/hooks.json\n+++ b/.codex/hooks.json\nE\npatch -p1 -i p",
        "echo '+++ b/.claude/settings.json' | cat - x | patch -p1",
      ],
      pass: [
        "printf -- '--- a/src/a.ts\\n+++ b/src/a.ts\\n' > p; git apply p",
        "printf -- '+++ b/.claude/settings.json' > notes; git status",
        'git apply x.patch',
      ],
    },
    {
      id: 'guard/environment',
      effect: 'destructive',
      tier: 4,
      reason: 'Starts an agent or ARC with settings that may disable the supervision.',
      alternative: ASK,
      owasp: 'ASI10',
      when: { whole: changesEnvironment },
      match: [
        'HOME=/tmp/x claude -p hi',
        'ARC_PROFILE=lax claude',
        'ARC_DAEMON=off npm test',
        'export ARC_DAEMON=off',
        'XDG_CONFIG_HOME=/tmp/x opencode run hi',
        'env HOME=/tmp/x codex exec hi',
        'env -u CLAUDE_CONFIG_DIR claude -p hi',
        'env -i claude -p hi',
        'export HOME=/tmp/x; claude -p hi',
        'HOME=/tmp/x; claude -p hi',
        'sudo -u nobody claude -p hi',
        'PATH=/tmp/x:$PATH claude -p hi',
        'chroot /tmp/x claude -p hi',
        'proot -r /tmp/x claude -p hi',
        'unshare -rm codex exec hi',
        'docker run --rm image claude -p hi',
        'CLAUDE_CODE_SIMPLE=1 claude -p hi',
      ],
      pass: [
        'HOME=/tmp/x npm test',
        'ARC_PROFILE=strict arc status',
        'env -u X npm test',
        'claude -p hi',
        'FOO=1 claude -p hi',
        'PATH=/tmp/x:$PATH npm test',
        'unshare -rn npm test',
        'docker build -t claude .',
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 claude -p hi',
      ],
    },
    {
      id: 'guard/daemon',
      effect: 'destructive',
      tier: 5,
      reason: 'Stops the process that supervises the agent.',
      alternative: ASK,
      owasp: 'ASI10',
      when: {
        program:
          'pkill killall kill skill systemctl launchctl service rc-service gdb strace ltrace reptyr prlimit renice',
        test: stopsDaemon,
      },
      match: [
        'pkill -f "arc serve"',
        'pkill -f arc',
        'killall arc',
        'systemctl stop arc',
        'systemctl --user disable arc-supervisor.service',
        'kill $(cat ~/.arc/run/arc.pid)',
        'kill -9 $(pgrep -f "arc serve")',
        'kill $(lsof -t ~/.arc/run/arc.sock)',
      ],
      pass: ['pkill node', 'kill 4242', 'killall archiver', 'pkill -f vite', 'systemctl status arc'],
    },
    {
      id: 'guard/kill-switch',
      effect: 'destructive',
      tier: 4,
      reason: 'Sets a variable that disables hooks or checks.',
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
      reason: 'Starts an agent without approvals and hooks.',
      alternative: 'Start it without the option. arc launch supervises it.',
      owasp: 'ASI10',
      when: { program: AGENT_PROGRAMS, test: loosensAgent },
      match: [
        'claude --dangerously-skip-permissions -p x',
        'codex exec --dangerously-bypass-approvals-and-sandbox x',
        'gemini --yolo -p x',
        'claude --permission-mode=bypassPermissions',
        'claude --settings /tmp/x.json -p hi',
        'claude --bare -p hi',
        'claude --setting-sources project',
        'codex exec -c hooks.PreToolUse=[] x',
        'codex -c features.hooks=false',
        'opencode --pure run x',
        'pi --no-extensions -p x',
        'pi -ne x',
        'kimi --auto',
        'npx @anthropic-ai/claude-code --dangerously-skip-permissions',
      ],
      pass: ['claude -p hello', 'codex exec x', 'gemini -p x', 'codex -c model=o3 exec x', 'claude --continue'],
    },
    {
      id: 'guard/git-hooks',
      effect: 'file-modification',
      tier: 4,
      reason: 'Changes programs that git runs automatically.',
      alternative: 'Put hooks into a reviewed folder, such as .husky.',
      owasp: 'ASI05',
      when: {
        access: ['write', 'delete'],
        test: ({ file, cwd, location }, facts) => {
          const { path } = classifyPath(file, cwd, facts, location)
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
      reason: 'Changes files that run at every login or in every build.',
      owasp: 'ASI05',
      when: {
        access: ['write'],
        test: ({ file, cwd, location }, facts) => {
          const { path, pathClass } = classifyPath(file, cwd, facts, location)
          const name = path.slice(path.lastIndexOf('/') + 1)
          if (STARTUP.has(name) && pathClass !== 'inside') return { at: file.span, isUncertain: true }
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

// The settings of ARC and of other guards.
const GUARD_FILES = ['.arc/config.json', '.arc/config.yaml', '.safety-net', '.cc-safety-net']
const AGENT_FOLDERS = [...SETTINGS_FOLDERS, '.arc']

function touchesSettings(access: Access, facts: Facts): TestResult {
  const { file, cwd, location, kind } = access
  const { path } = classifyPath(file, cwd, facts, location)
  const isGuardFile = GUARD_FILES.some(
    (name) => path.endsWith(`/${name}`) || path.includes(`/${name}/`) || path === name,
  )
  const isFolder =
    kind === 'delete' && AGENT_FOLDERS.some((name) => path.endsWith(`/${name}`) || path.endsWith(`/${name}/*`))
  const isHome = path.includes('/.arc/') && path.startsWith(facts.home)
  return isGuardFile || isFolder || isHome || isSettingsPath(path) ? file : undefined
}

// The patch is in a file or comes through a pipe: its text is in another command.
function patchesSettings({ commands }: Execution, facts: Facts): TestResult {
  if (commands.length < 2) return undefined
  for (const command of commands) {
    if (command.isDormant === true || (command.name !== 'git' && command.name?.endsWith('patch') !== true)) continue
    const others = commands.filter((other) => other !== command)
    for (const file of findPatchesInText(readCall(command), others)) {
      const { cwd, location } = command
      const access: Access = { kind: 'write', file, cwd, location, by: command.name, isAppend: false }
      const result = touchesSettings(access, facts) ?? toolTouchesGuarded(access, facts)
      if (result !== undefined) return { at: command.span, isUncertain: true }
    }
  }
  return undefined
}

const SWITCHES = new Set([
  'CLAUDE_CODE_SIMPLE',
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
  ...AGENT_CONFIG_VARIABLES,
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
