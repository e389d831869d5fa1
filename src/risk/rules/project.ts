// A table: exempt from the file length limit.
// A project's own scripts and targets by their names, and its configuration files. A name such as `deploy` is all that is
// known here: what the script contains is another question.

import type { Access } from '../access.ts'
import type { Tier } from '../assessment.ts'
import type { Call } from '../call.ts'
import { classifyPath } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'
import type { Word } from '../shell/execution.ts'

export const project: RulePack = {
  name: 'project',
  about: "A project's own deploy and release scripts, and its configuration files.",
  rules: [
    {
      id: 'project/deploy-target',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Runs a script or target of the project that deploys, publishes or releases.',
      alternative: 'Build and test only, or let CI deploy after review.',
      owasp: 'ASI02',
      when: {
        program:
          'make gmake just task go-task rake mage inv invoke fab nox doit grunt gulp ant nx turbo lerna moon wireit npm pnpm yarn bun composer poe pdm hatch deno mix sbt lein',
        test: findDeployTarget,
      },
      match: [
        'make deploy',
        'make -C services/api deploy-prod',
        'npm run deploy',
        'npm run deploy:staging',
        'npm run release',
        'yarn deploy',
        'yarn run publish',
        'pnpm run release',
        'bun run deploy',
        'yarn workspace web deploy',
        'just ship-deploy',
        'rake deploy',
        'nx deploy api',
        'npm run build && npm run deploy',
      ],
      pass: [
        'make',
        'make test',
        'make deploy-check',
        'make -n deploy',
        'npm run build',
        'npm run release-notes',
        'npm run deploy:dry-run',
        'pnpm deploy dist',
        'npm test -- deploy',
        'cargo build --release',
        'make undeploy-check',
        'npm run lint -- src/deploy.ts',
      ],
    },
    {
      id: 'project/deploy-script',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Runs a script that is named after a deployment or a release.',
      alternative: 'Read the script first. Build and test only, or let CI deploy after review.',
      owasp: 'ASI02',
      when: { program: '**', test: findDeployScript },
      match: [
        './deploy.sh',
        'scripts/deploy.sh production',
        'bash scripts/deploy.sh staging',
        'python3 tools/deploy.py',
        './bin/deploy',
        'node scripts/publish.mjs',
        './hack/trigger-release.sh v2.7.2',
      ],
      pass: [
        'cat deploy.sh',
        'bash -n scripts/deploy.sh',
        'shellcheck deploy.sh',
        'node --test scripts/deploy.test.mjs',
        './deploy.sh --help',
        './deploy.sh --dry-run',
        './scripts/test-deploy.sh',
        'python3 -m pytest tests/deploy.py',
        'vim deploy.py',
        'python3 release_notes.py',
      ],
    },
    {
      id: 'project/configuration',
      effect: 'file-modification',
      tier: 3,
      reason: 'Changes the configuration of the project: its environment, dependencies or settings.',
      owasp: 'ASI02',
      when: { access: ['write'], test: isConfiguration },
      match: [
        'sed -i s/a/b/ config/app.yaml',
        "echo 'DEBUG=1' >> .env",
        'sed -i s/1/2/ package.json',
        { tool: 'Write', args: { file_path: '/srv/app/.env', content: 'A=1' } },
        { tool: 'Edit', args: { file_path: '/srv/app/config/production.yml', old_string: 'a', new_string: 'b' } },
      ],
      pass: [
        'cat package.json',
        'sed s/a/b/ config/app.yaml',
        'echo x > src/config.ts',
        "echo 'DEBUG=1' > .env.example",
        'echo x > /tmp/package.json',
        'cp package.json /tmp/',
        { tool: 'Write', args: { file_path: '/srv/app/src/index.ts', content: 'x' } },
        { tool: 'Write', args: { file_path: '/srv/app/node_modules/x/package.json', content: 'x' } },
      ],
    },
  ],
}

const RUN_VERBS = new Set(['run', 'run-script', 'rum', 'exec', 'x', 'task'])
/** Package managers: the script comes after `run`, or is the first word where the manager allows that. */
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun', 'composer', 'poe', 'pdm', 'hatch', 'deno'])
const SHORT_FORMS = new Set(['yarn', 'bun', 'composer', 'poe'])
/** The words of `yarn` and `bun` before the name of a script. */
const BEFORE_SCRIPT = new Set(['workspace', 'workspaces', 'foreach'])

function findDeployTarget(call: Call): TestResult {
  const { name, operands } = call
  // `make -n` prints the commands; `just -n` and `rake -n` do, too.
  if (!MANAGERS.has(name)) {
    if (call.options.some((option) => DRY_OPTIONS.has(option.name))) return undefined
    return findTarget(operands)
  }
  const run = operands.findIndex(({ text }) => RUN_VERBS.has(text))
  if (run >= 0) return findTarget(operands.slice(run + 1, run + 2), 4)
  if (!SHORT_FORMS.has(name)) return undefined
  const isInWorkspace = BEFORE_SCRIPT.has(operands[0]?.text ?? '')
  return findTarget(isInWorkspace ? operands.slice(2, 3) : operands.slice(0, 1), 4)
}

const DRY_OPTIONS = new Set(['-n', '--dry-run', '--just-print', '--recon', '--dry', '--list', '-l', '-T', '--tasks'])

// A target named `release` often only builds: it is flagged. A script of package.json named so publishes.
function findTarget(words: readonly Word[], releaseTier: Tier = 3): TestResult {
  for (const word of words) {
    const kind = word.text.includes('=') ? undefined : readDeployName(word.text)
    if (kind !== undefined) return { at: word.span, tier: kind === 'release' ? releaseTier : 4 }
  }
  return undefined
}

const DEPLOY_WORDS = new Set(['deploy', 'redeploy', 'publish'])
const HARMLESS_WORDS = new Set(
  'check test tests lint dry plan preview notes note docs doc status log logs list verify validate build dev local mock undeploy changelog version diff'.split(
    ' ',
  ),
)

/** The kind of deployment that a name speaks of: `deploy:staging`, `prod-deploy`, `release`. */
function readDeployName(name: string): 'deploy' | 'release' | undefined {
  if (name.length > 80) return undefined
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  if (words.some((word) => HARMLESS_WORDS.has(word))) return undefined
  if (words.some((word) => DEPLOY_WORDS.has(word))) return 'deploy'
  return words.includes('release') ? 'release' : undefined
}

const MAY_DEPLOY = /deploy|publish|release/i
const INTERPRETERS = new Set(
  'sh bash zsh dash ksh fish source . python python2 python3 node deno bun tsx ts-node ruby php perl pwsh'.split(' '),
)
const SCRIPT_NAME = /^[\w.-]+\.(?:sh|bash|zsh|fish|py|js|mjs|cjs|ts|mts|rb|php|pl|ps1)$/i
/** Options with which an interpreter does not run the file as a program. */
const NO_RUN_OPTIONS = new Set(['-n', '-c', '-m', '-e', '--test', '--check', '--eval'])

function findDeployScript({ name, operands, options, command }: Call): TestResult {
  if (INTERPRETERS.has(name)) {
    const script = operands.find(({ text }) => text !== 'run')
    if (script === undefined || !MAY_DEPLOY.test(script.text)) return undefined
    if (options.some((option) => NO_RUN_OPTIONS.has(option.name))) return undefined
    return isDeployScript(script.text) ? { at: script.span, ...rateScript(script.text) } : undefined
  }
  if (!MAY_DEPLOY.test(name)) return undefined
  // A bare `deploy` may be a function or an alias; with a folder or an ending it is a file of the project.
  return isDeployScript(name) || DEPLOY_WORDS.has(name.toLowerCase())
    ? { at: command.span, ...rateScript(name) }
    : undefined
}

function isDeployScript(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return SCRIPT_NAME.test(name) && readDeployName(stripEnding(name)) !== undefined
}

function rateScript(path: string): { readonly tier?: Tier } {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return readDeployName(stripEnding(name)) === 'release' ? { tier: 3 } : {}
}

function stripEnding(name: string): string {
  return name.replace(/\.\w+$/, '')
}

const MANIFESTS = new Set(
  'package.json pyproject.toml cargo.toml go.mod pom.xml build.gradle build.gradle.kts gemfile composer.json'.split(
    ' ',
  ),
)
const ENVIRONMENT = /^\.env(?:\.(?!example|sample|template|dist|defaults?|test)[\w-]+)?$/
const SETTINGS_FOLDER = /(?:^|\/)(?:config|conf|settings)\//
const SETTINGS_ENDING = /\.(?:ya?ml|json5?|toml|ini|conf|cfg|properties|env)$/

// Only files of the project: copies in temporary and build folders configure nothing.
function isConfiguration(access: Access, facts: Facts): TestResult {
  const { text, span } = access.file
  const name = text.slice(text.lastIndexOf('/') + 1).toLowerCase()
  const isSettings = SETTINGS_ENDING.test(name) && SETTINGS_FOLDER.test(text.toLowerCase())
  if (!isSettings && !MANIFESTS.has(name) && !ENVIRONMENT.test(name)) return undefined
  const { pathClass } = classifyPath(access.file, access.cwd, facts, access.location)
  return pathClass === 'inside' || pathClass === 'repository' || pathClass === 'in-home' ? { at: span } : undefined
}
