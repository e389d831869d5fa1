import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearRegex } from '../platform/engine-services.ts'
import type { Assessment } from './assessment.ts'
import { classifyRisk } from './classify.ts'
import { decide } from './decide.ts'
import { explain } from './explain.ts'
import { defineRulePack } from './user-pack.ts'

const PLACE = { cwd: '/srv/app', workspace: '/srv/app' }
const shell = (command: string): Assessment => classifyRisk({ tool: 'shell', args: { command }, ...PLACE })
const tool = (name: string, args: Record<string, unknown>): Assessment => classifyRisk({ tool: name, args, ...PLACE })

describe('the classes and tiers', () => {
  it.each([
    ['rm notes.txt', 'destructive', 3, 'flag'],
    ['git push --force', 'destructive', 4, 'block'],
    ['fly deploy', 'deploy-affecting', 4, 'ask'],
    ['rm -rf /', 'destructive', 5, 'block'],
    [`perl -e 'unlink glob "/etc/*"'`, 'destructive', 4, 'block'],
    [`perl -e 'unlink <*.log>'`, 'destructive', 3, 'flag'],
    ['ls -la', 'read-only', 1, 'pass'],
    ['npm install', 'build-affecting', 2, 'pass'],
    ['mkdir src/new', 'file-modification', 2, 'pass'],
    ['rm -rf "$UNKNOWN"', 'destructive', 4, 'ask'],
  ])('B10 %s is %s, tier %i: %s', (command, effect, tier, decision) => {
    const assessment = shell(command)
    expect([assessment.effect, assessment.tier, decide(assessment)]).toEqual([effect, tier, decision])
  })

  it.each([
    ['npm run build', 'build-affecting', 2],
    ['yarn build:web', 'build-affecting', 2],
    ['make', 'build-affecting', 2],
    ['docker build .', 'build-affecting', 2],
    ['docker buildx build .', 'build-affecting', 2],
    ['cargo build --release', 'build-affecting', 2],
    ['tsc -p .', 'build-affecting', 2],
    ['vite build', 'build-affecting', 2],
    ['go build ./...', 'build-affecting', 2],
    ['./gradlew assemble', 'build-affecting', 2],
    ['tsc --noEmit', 'file-modification', 2],
    ['make test', 'file-modification', 2],
    ['npm test', 'file-modification', 2],
    ['git branch', 'read-only', 1],
    ['git branch -a --contains main', 'read-only', 1],
    ['git branch topic', 'file-modification', 2],
    ['git branch -d topic', 'file-modification', 2],
    ['git tag v1', 'file-modification', 2],
    ['git config user.name', 'read-only', 1],
    ['git config --get user.name', 'read-only', 1],
    ['git config user.name Ada', 'file-modification', 2],
    ['git remote -v', 'read-only', 1],
    ['git remote add x y', 'file-modification', 2],
    ['git stash list', 'read-only', 1],
    ['git stash', 'file-modification', 2],
    ['dropdb app', 'destructive', 5],
    ['dropdb app_test', 'destructive', 4],
  ])('S8 B10 %s is %s, tier %i', (command, effect, tier) => {
    expect(shell(command)).toMatchObject({ effect, tier })
  })

  it('S8 deploys under their usual names need approval, as target, script and tool', () => {
    const calls = [shell('make deploy'), shell('npm run release'), shell('./deploy.sh'), tool('deploy', {})]
    expect(calls.map((risk) => [risk.effect, decide(risk)])).toEqual(calls.map(() => ['deploy-affecting', 'ask']))
  })

  it('B10 deleting an untracked folder needs approval', () => {
    const input = { tool: 'shell', args: { command: 'rm -rf drafts' }, ...PLACE }
    const asked: string[] = []
    const knowing = (isTracked: boolean | undefined) =>
      classifyRisk(input, {
        facts: {
          isTracked: (path) => {
            asked.push(path)
            return isTracked
          },
        },
      })
    expect([true, false, undefined].map((known) => decide(knowing(known)))).toEqual(['flag', 'ask', 'flag'])
    expect(new Set(asked)).toEqual(new Set(['/srv/app/drafts']))
  })

  it('B10 deploy-affecting and destructive actions need a confirmation, others do not', () => {
    expect(shell('fly deploy').requiresConfirmation).toBe(true)
    expect(shell('rm a.txt').requiresConfirmation).toBe(true)
    expect(shell('npm install').requiresConfirmation).toBe(false)
    expect(shell('ls').requiresConfirmation).toBe(false)
  })

  it('B10 the checklist grows with the risk: light, standard, strict', () => {
    expect(['ls', 'npm install', 'git push --force'].map((command) => shell(command).checklist)).toEqual([
      'light',
      'standard',
      'strict',
    ])
  })

  it('B10 evidence names the rule, the matched span and what is safer', () => {
    const text = 'cd src && git push --force origin main'
    const [first] = shell(text).evidence
    expect(first?.rule).toBe('git/push-force')
    expect(text.slice(first?.span?.start, first?.span?.end)).toBe('--force')
    expect(first?.matched).toBe('--force')
    expect(first?.alternative).toContain('--force-with-lease')
    expect(first?.owasp).toBe('ASI02')
  })

  it('B10 the most severe evidence comes first', () => {
    const tiers = shell('rm a.txt; rm -rf /; git push --force').evidence.map(({ tier }) => tier)
    expect(tiers).toEqual([...tiers].sort((a, b) => b - a))
    expect(tiers[0]).toBe(5)
  })
})

describe('path classes', () => {
  it.each([
    ['/tmp/x', 'pass'],
    ['/tmp/../etc', 'block'],
    ['node_modules', 'pass'],
    ['src', 'flag'],
    ['..', 'block'],
    ['/srv/other', 'block'],
    ['.git', 'block'],
  ])('B10 rm -rf %s: %s', (path, decision) => {
    expect(decide(shell(`rm -rf ${path}`))).toBe(decision)
  })

  it('B10 what is inside depends on the project, not on the working folder', () => {
    const command = 'rm -rf ../lib'
    expect(decide(classifyRisk({ tool: 'shell', args: { command }, cwd: '/srv/app/src', workspace: '/srv/app' }))).toBe(
      'flag',
    )
    expect(decide(classifyRisk({ tool: 'shell', args: { command }, cwd: '/srv/app', workspace: '/srv/app' }))).toBe(
      'block',
    )
  })
})

describe('decide', () => {
  it('B10 tier 4 can be made to ask; tier 5 always blocks', () => {
    expect(decide(shell('git push --force'), { tier4: 'ask' })).toBe('ask')
    expect(decide(shell('rm -rf /'), { tier4: 'ask' })).toBe('block')
  })

  it('B10 the lowest tier that blocks can be moved', () => {
    expect(decide(shell('rm a.txt'), { blockTier: 3 })).toBe('block')
    expect(decide(shell('git push --force'), { blockTier: 5 })).toBe('flag')
    expect(decide(shell('rm -rf /'), { blockTier: 5 })).toBe('block')
  })

  it('B10 an unknown part that looks harmless does not ask; one that looks dangerous does', () => {
    expect(decide(shell('"$EDITOR" notes.md'))).toBe('pass')
    expect(decide(shell('eval "$COMMAND"'))).toBe('ask')
    expect(decide(shell('"$TOOL" -rf /'))).toBe('block')
    expect(decide(tool('shell', { action: 4 }))).toBe('ask')
  })
})

describe('other tools', () => {
  it.each([
    ['Write', { file_path: 'src/a.ts', content: 'rm -rf /' }, 'pass'],
    ['Write', { file_path: '/home/user/.claude/settings.json', content: '{}' }, 'block'],
    ['Edit', { file_path: '/etc/passwd' }, 'block'],
    ['Read', { file_path: '/home/user/.ssh/id_rsa' }, 'block'],
    ['Read', { file_path: 'README.md' }, 'pass'],
    ['WebFetch', { url: 'http://169.254.169.254/latest/meta-data/' }, 'block'],
    ['WebFetch', { url: 'https://docs.example/delete' }, 'pass'],
    ['mcp__github__delete_repository', { repo: 'x' }, 'ask'],
    ['mcp__github__list_issues', {}, 'pass'],
    ['deploy', { target: 'production' }, 'ask'],
    ['list_deployments', {}, 'pass'],
    ['apply_patch', { input: '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch' }, 'flag'],
    ['Task', { prompt: 'rm -rf /' }, 'pass'],
    ['run_shell_command', { command: 'rm -rf /' }, 'block'],
    ['shell', { command: ['bash', '-lc', 'rm -rf /'] }, 'block'],
  ])('B10 %s %j: %s', (name, args, decision) => {
    expect(decide(tool(name, args))).toBe(decision)
  })
})

describe('messages', () => {
  it.each([
    ['deploy the app to production', 'deploy-affecting'],
    ['we deployed it', 'deploy-affecting'],
    ['do NOT deploy', 'read-only'],
    ["don't ever publish this", 'read-only'],
    ['summarise the press release notes', 'read-only'],
    ['please force push the branch', 'destructive'],
    ['explain what "rm -rf" does', 'read-only'],
    ['what does deploy mean?', 'read-only'],
    ['fix the parser', 'file-modification'],
    ['run npm install', 'build-affecting'],
    ['show me the logs', 'read-only'],
    ['', 'read-only'],
  ])('B10 %j is %s', (message, effect) => {
    expect(classifyRisk({ message }).effect).toBe(effect)
  })
})

describe('hostile input', () => {
  it('B10 the same text gives the same answer, and nothing is ever thrown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), commands()), (command) => {
        const first = shell(command)
        expect(shell(command)).toEqual(first)
        expect(['pass', 'flag', 'ask', 'block']).toContain(decide(first))
        expect(explain(first, command)).toContain('tier')
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['a shell call without a command', 'shell', {}],
    ['arguments that are no object', 'shell', 'rm -rf /'],
    ['a command that is a number', 'shell', { command: 4 }],
    ['no tool at all', undefined, undefined],
  ])('B10 survives %s', (_, name, args) => {
    expect(() => classifyRisk({ tool: name, args } as never)).not.toThrow()
  })

  it('B10 a text that is too long or too deep to analyse is unknown, never harmless', () => {
    const deep = `${'$('.repeat(5_000)}id${')'.repeat(5_000)}`
    expect(decide(shell(`echo ${deep}`))).toBe('ask')
  })

  it('B10 a harmless front does not hide what comes after it', () => {
    for (const command of [
      'ls; rm -rf ~',
      'true && rm -rf ~',
      'ls | rm -rf ~',
      '(rm -rf ~)',
      'if true; then rm -rf ~; fi',
      'rm --help; rm -rf ~',
    ]) {
      expect([command, decide(shell(command))]).toEqual([command, 'block'])
    }
  })
})

function commands(): fc.Arbitrary<string> {
  const words = [
    'rm',
    '-rf',
    '/',
    '$(',
    ')',
    '`',
    '"',
    "'",
    '|',
    '&&',
    '<<EOF',
    '\n',
    'EOF',
    '{',
    '}',
    '$x',
    'git',
    'push',
    '-f',
    '~',
    '*',
    'sudo',
    'bash -c',
    ';',
  ]
  return fc.array(fc.constantFrom(...words), { maxLength: 20 }).map((list) => list.join(' '))
}

describe('packs of users', () => {
  const RULE = {
    id: 'no-prod',
    program: 'acme',
    subcommand: 'deploy',
    flags: ['-p|--prod'],
    effect: 'deploy-affecting',
    tier: 4,
    reason: 'It deploys to production.',
    examples: { match: ['acme deploy --prod', 'acme deploy -vp'], pass: ['acme deploy', 'acme status -p'] },
  }

  it('B10 find what they describe, beside no other pack or beside all', () => {
    const { pack, problems } = defineRulePack({ name: 'acme', rules: [RULE] }, { regex: linearRegex })
    expect(problems).toEqual([])
    const found = classifyRisk(
      { tool: 'shell', args: { command: 'sudo acme deploy --prod' } },
      { packs: pack === undefined ? [] : [pack] },
    )
    expect(found.evidence[0]?.rule).toBe('acme/no-prod')
  })

  it('B10 may hold a pattern, which runs in linear time', () => {
    const rule = {
      ...RULE,
      flags: undefined,
      subcommand: undefined,
      pattern: '(a+)+$',
      examples: { match: ['acme aaa'], pass: ['acme b'] },
    }
    const { pack } = defineRulePack(JSON.parse(JSON.stringify({ name: 'acme', rules: [rule] })), { regex: linearRegex })
    const command = `acme ${'a'.repeat(5_000)}b`
    expect(
      classifyRisk({ tool: 'shell', args: { command } }, { packs: [pack as NonNullable<typeof pack>] }).evidence,
    ).toEqual([])
  })

  it.each([
    ['an unknown key', { name: 'acme', rules: [{ ...RULE, colour: 'red' }] }, /colour/],
    ['a tier that does not exist', { name: 'acme', rules: [{ ...RULE, tier: 9 }] }, /rules\.0\.tier/],
    ['a pattern that cannot be read', { name: 'acme', rules: [{ ...RULE, pattern: '(' }] }, /cannot be read/],
    [
      'an example that is not found',
      { name: 'acme', rules: [{ ...RULE, examples: { match: ['ls'], pass: ['ls'] } }] },
      /does not find its own example "ls"/,
    ],
    [
      'an example that is found by mistake',
      { name: 'acme', rules: [{ ...RULE, examples: { match: ['acme deploy -p'], pass: ['acme deploy --prod'] } }] },
      /should leave/,
    ],
    ['a flag without dashes', { name: 'acme', rules: [{ ...RULE, flags: ['prod'] }] }, /-f\|--force/],
    ['nothing at all', undefined, /the pack/],
  ])('B10 report %s', (_, definition, problem) => {
    const { pack, problems } = defineRulePack(definition, { regex: linearRegex })
    expect(pack).toBeUndefined()
    expect(problems.join('\n')).toMatch(problem)
  })
})

describe('explain', () => {
  it('B10 underlines the match of each rule, with reason and alternative', () => {
    const text = 'echo ok; git reset --hard'
    expect(explain(shell(text), text)).toBe(
      [
        'block: destructive, tier 4 (shared or hard to undo)',
        '',
        'would run',
        '  echo ok',
        '  git reset --hard',
        '',
        'git/reset-hard  destructive, tier 4, ASI02',
        '  echo ok; git reset --hard',
        '                     ^~~~~~',
        '  why: Discards uncommitted changes.',
        '  safer: git stash keeps the changes. git diff shows them.',
        '',
      ].join('\n'),
    )
  })

  it('B10 shows control characters as dots, so that a text cannot move the cursor', () => {
    const text = 'rm -rf / \u001b[2J'
    expect(explain(shell(text), text)).not.toContain('\u001b')
  })
})

describe('G3 commands inside other programs', () => {
  const decisionOf = (command: string, home = '/home/user') => {
    const input = { tool: 'shell', args: { command }, cwd: '/srv/app', workspace: '/srv/app' }
    return decide(classifyRisk(input, { facts: { home } }))
  }

  it.each([
    "watch -n1 'rm -rf ~'",
    "flock /tmp/l -c 'rm -rf ~'",
    'flock -n /tmp/l rm -rf ~',
    "tmux new -d 'rm -rf ~'",
    "tmux -L x new-session -d -s a 'rm -rf ~'",
    "tmux send-keys -t 0 'rm -rf ~' Enter",
    "tmux run-shell 'rm -rf ~'",
    'screen -dm rm -rf ~',
    "screen -S a -X stuff 'rm -rf ~^M'",
    "socat - EXEC:'rm -rf ~'",
    "script -c 'rm -rf ~' /dev/null",
    "expect -c 'spawn rm -rf ~'",
    'expect -c \'spawn sh; send "rm -rf ~\\r"\'',
    "echo 'rm -rf ~' | at now",
    'systemd-run --user rm -rf ~',
    'setsid rm -rf ~',
    "busybox sh -c 'rm -rf ~'",
    'ssh localhost rm -rf ~',
    "ssh me@127.0.0.1 'rm -rf ~'",
    "bash /dev/stdin <<< 'rm -rf ~'",
    "sh /dev/fd/0 <<< 'rm -rf ~'",
    'strace -o ~/.claude/settings.json ls',
  ])('G3 are read in %s', (command) => {
    expect(decisionOf(command)).toBe('block')
  })

  it.each([
    "tmux new -d 'npm run dev'",
    "tmux send-keys -t 0 'npm test' Enter",
    'screen -dm npm start',
    'ssh localhost ls',
  ])('pass in %s when they are harmless', (command) => {
    expect(decisionOf(command)).toBe('pass')
  })

  it('G3 a home folder below the temporary folder is a home folder', () => {
    expect(decisionOf('rm -rf ~', '/tmp/x/home')).toBe('block')
    expect(decisionOf('rm -rf /tmp/x', '/tmp/x/home')).toBe('block')
    expect(decisionOf('rm -rf /tmp/y', '/tmp/x/home')).toBe('pass')
  })
})
