// The real agents: release, own configuration, command line. One entry each. Knows nothing of scenarios.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const PLATFORM = `linux-${process.arch}`
// For agents that need a newer Node than the one that runs this.
const NODE_22 = `node-${PLATFORM}@22.23.3`

/** A hook that the user had before `arc install`. It leaves this file in the home, so a run shows that it still fires. */
export const OWN_HOOK_MARK = 'own-hook-ran'
const OWN_HOOK = `touch "$HOME/${OWN_HOOK_MARK}"`

// Uneven spaces and no newline at the end: they must survive install and uninstall.
const ownGroups = (event) =>
  `{\n\t"hooks": { "${event}": [\n\t\t{"hooks": [ {"type":"command", "command":${JSON.stringify(OWN_HOOK)}} ]} ] }\n}`

/**
 * packages  npm releases, pinned.
 * scope     where its hooks are installed.
 * told      what the model learns of a block: `reason`, or `ends` where a block ends the run.
 * lacks     kinds of tools that it does not have.
 * hidesPrompts  why no hook gets the prompt of a headless run, although it has an event for prompts.
 * ownHook   whether `files` has a hook of the user.
 * launch    `{ files, argv, env }` from `{ bin, home, project, modelUrl, prompt, wants }`; `bin` is its node_modules, `wants` the kinds
 *           of tools that the scenario needs.
 */
export const CLIENTS = {
  claude: {
    packages: ['@anthropic-ai/claude-code@2.1.325'],
    scope: 'project',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, project, modelUrl, prompt }) => ({
      files: {
        [`${project}/CLAUDE.md`]: '# A project\n',
        [`${project}/.claude/settings.json`]: ownGroups('PreToolUse'),
      },
      argv: [
        ...[`${bin}/@anthropic-ai/claude-code-${PLATFORM}/claude`, '-p', prompt, '--model', 'claude-sonnet-4-5'],
        ...['--allowedTools', 'Bash,Write,Task,Agent', '--output-format', 'stream-json', '--verbose'],
        '--include-hook-events',
      ],
      env: {
        ...{ ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'dummy' },
        ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', DISABLE_ERROR_REPORTING: '1' },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  codex: {
    packages: ['@openai/codex@0.166.0'],
    scope: 'user',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, project, modelUrl, prompt, wants }) => ({
      files: {
        [`${home}/.codex/config.toml`]: codexConfig(modelUrl, project, wants),
        [`${home}/.codex/hooks.json`]: ownGroups('PreToolUse'),
      },
      argv: [
        ...[process.execPath, `${bin}/@openai/codex/bin/codex.js`, 'exec', '--json', '--skip-git-repo-check'],
        // Codex skips hooks that no person has reviewed in its terminal.
        ...['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust', prompt],
      ],
      env: { MOCK_KEY: 'dummy', CODEX_HOME: `${home}/.codex` },
    }),
  },
  gemini: {
    packages: ['@google/gemini-cli@0.61.0'],
    scope: 'project',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, project, modelUrl, prompt }) => ({
      files: {
        [`${home}/.gemini/settings.json`]: geminiSettings('gemini-api-key'),
        [`${project}/.gemini/settings.json`]: ownGroups('BeforeTool'),
      },
      argv: [process.execPath, `${bin}/.bin/gemini`, '-p', prompt, '--yolo', '-m', 'gemini-2.5-flash'],
      env: {
        ...{ GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: modelUrl },
        ...{ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' },
      },
    }),
  },
  qwen: {
    packages: ['@qwen-code/qwen-code@0.24.4', NODE_22],
    scope: 'project',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, project, modelUrl, prompt }) => ({
      files: {
        // Without this it adds a line to the message of each commit.
        [`${home}/.qwen/settings.json`]: geminiSettings('openai', { gitCoAuthor: { commit: false, pr: false } }),
        [`${project}/.qwen/settings.json`]: ownGroups('PreToolUse'),
      },
      argv: [`${bin}/node-${PLATFORM}/bin/node`, `${bin}/.bin/qwen`, '-p', prompt, '--yolo'],
      env: {
        ...{ OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'mock-model' },
        QWEN_CODE_NO_RELAUNCH: 'true',
      },
    }),
  },
  copilot: {
    packages: ['@github/copilot@1.0.102'],
    scope: 'project',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, project, modelUrl, prompt }) => ({
      files: {
        [`${project}/.github/hooks/own.json`]: `{"version": 1,\n\t"hooks": {"preToolUse": [ {"type":"command", "bash":${JSON.stringify(OWN_HOOK)}} ]}}`,
      },
      argv: [`${bin}/@github/copilot-${PLATFORM}/copilot`, '-p', prompt, '--allow-all', '--no-auto-update'],
      env: {
        // Exactly "true" also trusts the folder; without trust no hooks of the project are loaded.
        ...{ COPILOT_OFFLINE: 'true', COPILOT_ALLOW_ALL: 'true', COPILOT_AUTO_UPDATE: 'false' },
        ...{ COPILOT_HOME: `${home}/.copilot`, COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1` },
        ...{ COPILOT_PROVIDER_API_KEY: 'dummy', COPILOT_MODEL: 'mock-model' },
      },
    }),
  },
  cline: {
    packages: ['cline@3.0.65'],
    scope: 'project',
    hidesPrompts: 'a headless run tells no hook of its prompt',
    told: 'ends',
    // One file per event: a hook of the user would take the place of ARC's.
    ownHook: false,
    launch: ({ bin, project, modelUrl, prompt }) => ({
      files: { [`${project}/.clinerules/style.md`]: 'Write short sentences.' },
      argv: ['/bin/sh', '-c', CLINE_SCRIPT, `${bin}/@cline/cli-${PLATFORM}/bin/cline`, modelUrl, prompt],
      env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    }),
  },
  opencode: {
    packages: ['opencode-ai@1.18.33'],
    scope: 'project',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, project, modelUrl, prompt }) => ({
      files: {
        [`${project}/opencode.json`]: opencodeConfig(modelUrl),
        [`${project}/.opencode/plugin/own.js`]: ownPlugin('export const Own = async () => ({', "'tool.execute.before'"),
      },
      argv: [`${bin}/opencode-${PLATFORM}/bin/opencode`, 'run', '--format', 'json', prompt],
      env: {
        ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
        ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' },
        // It first waits for an npm install, which without a network fails at once, or after many tries.
        npm_config_fetch_retries: '0',
      },
    }),
  },
  pi: {
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    scope: 'project',
    lacks: ['spawn'],
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, project, modelUrl, prompt }) => ({
      files: {
        [`${home}/.pi/agent/models.json`]: piModels(modelUrl),
        [`${project}/.pi/extensions/own.js`]: `import { writeFileSync } from 'node:fs'\nexport default (pi) => {\n\tpi.on('tool_call', () => writeFileSync(process.env.HOME + '/${OWN_HOOK_MARK}', ''))\n}`,
      },
      argv: [
        ...[process.execPath, `${bin}/.bin/pi`, '-p', '--provider', 'mock', '--model', 'mock-model'],
        ...['--mode', 'json', prompt],
      ],
      env: { PI_OFFLINE: '1' },
    }),
  },
  kimi: {
    packages: ['@moonshot-ai/kimi-code@2.1.0', NODE_22],
    scope: 'user',
    told: 'reason',
    ownHook: true,
    launch: ({ bin, home, modelUrl, prompt }) => ({
      files: { [`${home}/.kimi-code/config.toml`]: kimiConfig(modelUrl) },
      argv: [`${bin}/node-${PLATFORM}/bin/node`, `${bin}/.bin/kimi`, '-p', prompt, '--output-format', 'stream-json'],
      env: { KIMI_CODE_HOME: `${home}/.kimi-code`, KIMI_CODE_NO_AUTO_UPDATE: '1' },
    }),
  },
}

/** The release of a client, as in its first package. */
export function releaseOf(name) {
  return CLIENTS[name].packages[0].split('@').at(-1)
}

/** Installs the releases of a client into the cache, unless they are there. Without install scripts. */
export function installClient(name, cache) {
  const { packages } = CLIENTS[name]
  const folder = join(cache, name)
  if (packages.every((spec) => isInstalled(spec, folder))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  process.stderr.write(`installing ${packages.join(' ')}\n`)
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...quiet, ...packages], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0 || !packages.every((spec) => isInstalled(spec, folder)))
    throw new Error(`could not install ${packages.join(' ')} into ${folder}`)
}

function isInstalled(spec, folder) {
  const at = spec.lastIndexOf('@')
  const manifest = join(folder, 'node_modules', spec.slice(0, at), 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === spec.slice(at + 1)
}

// Its provider can only be set by a command; a prompt of one word would be read as a command.
const CLINE_SCRIPT = `prompt="$2"; case "$prompt" in *" "*) ;; *) prompt="please $prompt" ;; esac
"$0" auth -p openai-compatible -k dummy -m mock-model -b "$1/v1" --data-dir "$HOME/data" >&2
exec "$0" --json --auto-approve true --data-dir "$HOME/data" -P openai-compatible -m mock-model -k dummy -t 60 "$prompt"`

function codexConfig(modelUrl, project, wants) {
  // Codex offers its tool for patches to models that it knows, and its tool for agents at once to others.
  return `model = "${wants.includes('write') ? 'gpt-5.5' : 'mock-model'}"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"
`
}

function geminiSettings(selectedType, general = {}) {
  return JSON.stringify({
    security: { auth: { selectedType }, folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, ...general },
  })
}

function opencodeConfig(modelUrl) {
  const model = { name: 'mock', tool_call: true, limit: { context: 100_000, output: 4_000 } }
  const options = { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' }
  const mock = { npm: '@ai-sdk/openai-compatible', name: 'mock', options, models: { 'mock-model': model } }
  return JSON.stringify({
    ...{ autoupdate: false, share: 'disabled', model: 'mock/mock-model', small_model: 'mock/mock-model' },
    provider: { mock },
    permission: { bash: 'allow', edit: 'allow', external_directory: 'allow' },
  })
}

function ownPlugin(head, event) {
  return `import { writeFileSync } from 'node:fs'\n${head}\n\t${event}: async () => writeFileSync(process.env.HOME + '/${OWN_HOOK_MARK}', ''),\n})`
}

function piModels(modelUrl) {
  const mock = { baseUrl: `${modelUrl}/v1`, apiKey: 'dummy', api: 'openai-completions', models: [{ id: 'mock-model' }] }
  return JSON.stringify({ providers: { mock } })
}

function kimiConfig(modelUrl) {
  return `# mine
default_model = "mock"
telemetry = false

[providers.mock]
type = "openai"
base_url = "${modelUrl}/v1"
api_key = "dummy"

[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 100000
protocol = "openai"

[[hooks]]
event = "PreToolUse"
command = ${JSON.stringify(OWN_HOOK)}`
}
