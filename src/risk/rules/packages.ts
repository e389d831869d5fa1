// A table: exempt from the file length limit.
// Package managers: what they remove, publish or run.

import { type Call, findOption } from '../call.ts'
import type { RulePack, TestResult } from '../rule.ts'
import { always, operandAt, option, type RuleRow, subcommand, testByProgram } from '../rule-rows.ts'

export const packages: RulePack = {
  name: 'packages',
  about: 'Package managers: installing, removing, publishing.',
  rules: [
    {
      id: 'packages/unpublish',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes a published version that others may depend on.',
      alternative: 'Use npm deprecate, or publish a fixed version.',
      owasp: 'ASI02',
      when: {
        program: 'npm pnpm yarn bun',
        test: (call) =>
          readVerb(call, ['unpublish']) ??
          (call.operands[0]?.text === 'npm'
            ? readVerb({ ...call, operands: call.operands.slice(1) }, ['unpublish'])
            : undefined),
      },
      match: ['npm unpublish pkg@1.0.0', 'pnpm unpublish x --force', 'yarn npm unpublish x'],
      pass: ['npm unpublish --dry-run x', 'npm view unpublish', 'npm run unpublish-docs'],
    },
    {
      id: 'packages/yank',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes a published version that others may depend on.',
      alternative: 'Publish a fixed version.',
      owasp: 'ASI02',
      when: {
        program: 'cargo gem twine poetry dotnet nuget helm',
        sub: ['yank', 'owner', 'nuget delete', 'delete'],
        test: (call) =>
          call.operands[0]?.text === 'owner'
            ? findOption(call, ['-r', '--remove'])?.word
            : call.name === 'cargo' && findOption(call, ['--undo'])
              ? undefined
              : true,
      },
      match: [
        'cargo yank --vers 1.0.0',
        'gem yank x -v 1.0',
        'dotnet nuget delete x 1.0',
        'cargo owner --remove eve',
        'nuget delete x 1.0',
      ],
      pass: ['cargo build', 'gem list', 'cargo owner --list', 'cargo yank --undo --vers 1.0.0'],
    },
    {
      id: 'packages/publish',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Publishes a package. A published version cannot be changed.',
      alternative: '--dry-run shows what would be published.',
      owasp: 'ASI02',
      when: {
        program:
          'npm pnpm yarn bun cargo poetry uv twine gem mvn mvnw gradle gradlew dotnet nuget lerna changeset flit hatch goreleaser vsce ovsx semantic-release dart flutter pod',
        test: (call) => publishes(call),
      },
      match: [
        'npm publish',
        'pnpm -r publish',
        'cargo publish',
        'twine upload dist/*',
        'gem push x.gem',
        'mvn deploy',
        'yarn npm publish',
        './gradlew publish',
        'goreleaser release',
      ],
      pass: [
        'npm publish --dry-run',
        'npm run publish-docs',
        'cargo package',
        'mvn package',
        'npm pack',
        'cargo publish -n',
        'goreleaser release --snapshot',
      ],
    },
    {
      id: 'packages/registry-access',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes the owners of a package, or the version that users install by default.',
      owasp: 'ASI03',
      when: {
        program: 'npm pnpm',
        sub: [
          'owner add|rm',
          'access *',
          'dist-tag add|rm',
          'token create|revoke|delete',
          'team destroy|rm',
          'deprecate',
          'org rm',
        ],
        test: (call) =>
          call.operands[0]?.text === 'access' && /^(?:ls|list|get)/.test(call.operands[1]?.text ?? '')
            ? undefined
            : { at: call.command.span, isUncertain: true },
      },
      match: ['npm owner rm me pkg', 'npm dist-tag add pkg@1 latest', 'npm token revoke abc', 'npm access public x'],
      pass: ['npm owner ls', 'npm dist-tag ls', 'npm token list', 'npm access list packages'],
    },
    {
      id: 'packages/remove-system',
      effect: 'build-affecting',
      tier: 3,
      reason: 'Removes software from the machine.',
      alternative: 'Leave it installed, or ask the owner of the machine.',
      owasp: 'ASI02',
      when: {
        program: 'apt apt-get aptitude dpkg yum dnf zypper pacman apk brew snap flatpak port rpm emerge',
        test: removesSystemPackage,
      },
      match: [
        'apt-get remove -y curl',
        'brew uninstall node',
        'pacman -Rns x',
        'apt purge python3',
        'dpkg -P libc6',
        'rpm -e x',
      ],
      pass: ['apt list', 'apt-get -s remove x', 'brew list', 'pacman -Qi x', 'apt-get install x'],
    },
    {
      id: 'packages/install-system',
      effect: 'build-affecting',
      tier: 3,
      reason: 'Installs or changes system-wide software.',
      owasp: 'ASI04',
      when: { program: 'apt apt-get yum dnf zypper apk snap pip pip3', test: installsForAll },
      match: ['apt-get install -y jq', 'apk add curl', 'pip install --break-system-packages x', 'apt full-upgrade'],
      pass: ['apt list', 'pip install x', 'apt-cache search x', 'apt-get -s install x'],
    },
    {
      id: 'packages/install',
      effect: 'build-affecting',
      tier: 2,
      reason: 'Changes the dependencies of the project.',
      owasp: 'ASI04',
      when: {
        program: 'npm pnpm yarn bun pip pip3 pipx uv poetry cargo go gem bundle composer brew conda mamba dotnet',
        verb: 'install i ci add update upgrade remove uninstall rm sync get tidy lock dedupe audit',
      },
      match: ['npm install', 'pip install requests', 'cargo add serde', 'go get x'],
      pass: ['npm test', 'cargo build', 'pip list'],
    },
  ],
}

function readVerb(call: Call, verbs: readonly string[]) {
  const first = call.operands[0]
  return first !== undefined && verbs.includes(first.text) ? first : undefined
}

const BUILD_TASKS: Readonly<Record<string, readonly string[]>> = {
  mvn: ['deploy', 'release:perform'],
  mvnw: ['deploy'],
  gradle: ['publish', 'publishPlugins', 'uploadArchives', 'publishToMavenCentral'],
  gradlew: ['publish', 'publishPlugins', 'uploadArchives', 'publishToMavenCentral'],
}

// `gradle :app:publish`: the task comes after the name of the module.
function findBuildTask({ name, operands }: Call): TestResult {
  const tasks = BUILD_TASKS[name] ?? []
  return operands.find(({ text }) => tasks.includes(text.slice(text.lastIndexOf(':') + 1)) || tasks.includes(text))
}

const publishes = testByProgram(
  {
    'semantic-release': [[always, 'hit']],
    'mvn mvnw gradle gradlew': [
      [option('--snapshot'), 'pass'],
      [always, findBuildTask],
    ],
    dotnet: publishing('nuget push'),
    'dart flutter': publishing('pub publish'),
    pod: publishing('trunk push'),
    twine: publishing('upload'),
    'gem nuget': publishing('push'),
    goreleaser: publishing('release'),
    vsce: publishing('publish', 'unpublish'),
    yarn: publishing('publish', 'npm publish'),
  },
  publishing('publish'),
)

// A verb may also come after `workspace name`. The hit is the last word of the subcommand.
function publishing(...subcommands: string[]): RuleRow[] {
  const inWorkspaces = subcommands.filter((words) => !words.includes(' ')).map((verb) => `workspace * ${verb}`)
  return [
    [option('--snapshot'), 'pass'],
    ...[...subcommands, ...inWorkspaces].map(
      (words): RuleRow => [subcommand(words), operandAt(words.split(' ').length - 1)],
    ),
  ]
}

// Without these the machine does not start, or no user can log in.
const ESSENTIAL = new Set([
  'libc6',
  'systemd',
  'linux-image-generic',
  'sudo',
  'bash',
  'coreutils',
  'openssh-server',
  'glibc',
  'python3',
  'apt',
  'dpkg',
  'grub-pc',
  'network-manager',
])

function removesSystemPackage(call: Call): TestResult {
  const verb = call.operands.find(({ text }) =>
    ['remove', 'purge', 'autoremove', 'uninstall', 'erase', 'autopurge', 'del', 'rm'].includes(text),
  )
  const option = call.options.find(
    ({ name }) =>
      (call.name === 'pacman' && name === '-R') ||
      (call.name === 'dpkg' && ['-r', '-P', '--remove', '--purge'].includes(name)) ||
      (call.name === 'rpm' && ['-e', '--erase'].includes(name)) ||
      (call.name === 'emerge' && ['-C', '--unmerge'].includes(name)),
  )
  const word = verb ?? option?.word
  if (word === undefined) return undefined
  const essential = call.operands.find(({ text }) => ESSENTIAL.has(text))
  return essential === undefined ? word : { at: essential.span, tier: 4, effect: 'destructive' }
}

function installsForAll(call: Call): TestResult {
  if (call.name.startsWith('pip')) return findOption(call, ['--break-system-packages'])?.word
  return readVerb(call, ['install', 'add', 'upgrade', 'full-upgrade', 'dist-upgrade', 'refresh', 'update']) &&
    call.operands[0]?.text !== 'update'
    ? call.operands[0]
    : undefined
}
