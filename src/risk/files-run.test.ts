// What a command runs is read: scripts, project files, code. Facts are made up; nothing is read from the disk.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FakeFiles, fakeFacts } from '../../test/file-facts.ts'
import type { Assessment } from './assessment.ts'
import { analyzeRisk, classifyRisk } from './classify.ts'
import { decide } from './decide.ts'

const APP = '/srv/app'
const NUKE = 'rm -rf ~/'

function rate(command: string, fake: FakeFiles): Assessment {
  const files = Object.fromEntries(
    Object.entries(fake.files).map(([name, text]) => [name.startsWith('/') ? name : `${APP}/${name}`, text]),
  )
  const call = { tool: 'shell', args: { command }, cwd: APP, workspace: APP }
  return classifyRisk(call, { facts: { home: '/home/me', files: fakeFacts({ ...fake, files }) } })
}

const PLACES: readonly (readonly [command: string, place: string, files: Record<string, string>])[] = [
  ['bash t.sh', 't.sh:3', { 't.sh': `#!/bin/bash\nset -e\n${NUKE}\n` }],
  ['sh -x t.sh', 't.sh:1', { 't.sh': NUKE }],
  ['./t.sh', 't.sh:2', { 't.sh': `#!/bin/sh\n${NUKE}` }],
  ['./t', 't:3', { t: '#!/usr/bin/env python3\nimport os\nos.system("rm -rf ~/")\n' }],
  ['source env.sh', 'env.sh:2', { 'env.sh': `A=1\n${NUKE}` }],
  ['. ./env.sh', 'env.sh:1', { 'env.sh': NUKE }],
  ['bash < t.sh', 't.sh:1', { 't.sh': NUKE }],
  ['cat t.sh | bash', 't.sh:1', { 't.sh': NUKE }],
  ['eval "$(cat t.sh)"', 't.sh:1', { 't.sh': NUKE }],
  ['cd sub && bash ../t.sh', 't.sh:1', { 't.sh': NUKE }],
  ['cp t.sh /tmp/x.sh && sh /tmp/x.sh', 't.sh:1', { 't.sh': NUKE }],
  ['bash a.sh', 'lib/b.sh:1', { 'a.sh': 'cd "$(dirname "$0")"\n. lib/b.sh', 'lib/b.sh': NUKE }],
  ['bash a.sh ~/', 'a.sh:1', { 'a.sh': 'rm -rf "$1"' }],
  ['bash a.sh x ~/', 'a.sh:2', { 'a.sh': 'shift\nrm -rf "$@"' }],
  ['python3 t.py', 't.py:2', { 't.py': 'import shutil\nshutil.rmtree("/")\n' }],
  ['node t.js', 't.js:2', { 't.js': 'const c = require("child_process")\nc.execSync("rm -rf ~/")\n' }],
  ['deno run -A t.ts', 't.ts:1', { 't.ts': 'execSync("rm -rf ~/")' }],
  ['ruby t.rb', 't.rb:1', { 't.rb': 'system("rm -rf ~/")' }],
  ['make clean', 'Makefile:5', { Makefile: 'DIR := ~\nall:\n\techo\nclean:\n\t@rm -rf $(DIR)/\n' }],
  ['make', 'Makefile:4', { Makefile: 'all: prep\n\techo\nprep:\n\trm -rf $$HOME\n' }],
  ['make -C sub', 'sub/Makefile:2', { 'sub/Makefile': 'x:\n\trm -rf ~/\n' }],
  ['make again', 'Makefile:2', { Makefile: 'clean:\n\trm -rf ~/\nagain:\n\t$(MAKE) clean\n' }],
  ['make x D=~/', 'Makefile:2', { Makefile: 'x:\n\trm -rf $(D)\n' }],
  ['npm run reset', 'package.json:3', { 'package.json': '{\n "scripts": {\n  "reset": "rm -rf ~/"\n }\n}' }],
  ['pnpm build', 'package.json:1', { 'package.json': '{"scripts":{"prebuild":"rm -rf ~/","build":"tsc"}}' }],
  ['yarn', 'package.json:1', { 'package.json': '{"scripts":{"postinstall":"rm -rf ~/"}}' }],
  ['npm test', 'package.json:1', { 'package.json': '{"scripts":{"test":"npm run x","x":"rm -rf ~/"}}' }],
  ['npm run d -- -rf ~/', 'package.json:1', { 'package.json': '{"scripts":{"d":"rimraf"}}' }],
  ['just', 'justfile:5', { justfile: 'home := "~/"\ndefault: wipe\n  echo\nwipe:\n  @rm -rf {{home}}\n' }],
  ['task wipe', 'Taskfile.yml:4', { 'Taskfile.yml': 'tasks:\n  wipe:\n    cmds:\n      - rm -rf ~/\n' }],
  ['rake wipe', 'Rakefile:4', { Rakefile: 'task :ok do\n  1\nend\ntask(:wipe) do sh "rm -rf ~/"\nend\n' }],
  [
    'docker compose up',
    'compose.yaml:5',
    { 'compose.yaml': 'services:\n  a:\n    image: x\n    volumes: ["/:/h"]\n    command: rm -rf /h\n' },
  ],
  ['psql -f a.sql', 'a.sql:2', { 'a.sql': 'SELECT 1;\nDROP DATABASE shop;\n' }],
  ['sqlite3 a.db ".read a.sql"', 'a.sql:1', { 'a.sql': 'DROP TABLE users;' }],
]

describe('S2 what a command runs is read', () => {
  it.each(PLACES)('S2 %s is stopped, and the evidence names %s', (command, place, files) => {
    const risk = rate(command, { files })
    expect(decide(risk)).toBe('block')
    const [worst] = risk.evidence
    expect([`${worst?.file?.replace(`${APP}/`, '')}:${worst?.line}`, worst?.reason]).toEqual([
      place,
      expect.stringContaining(`In ${place}.`),
    ])
    expect(worst?.span?.end).toBeLessThanOrEqual(command.length)
  })

  it.each(PLACES)('S2 %s passes as before without facts', (command) => {
    const plain = classifyRisk({ tool: 'shell', args: { command }, cwd: APP, workspace: APP })
    expect(plain.evidence.every(({ file }) => file === undefined)).toBe(true)
  })

  it.each(PLACES)('S2 %s of the project is at most held', (command, _place, files) => {
    const isByArguments = / [~D]|-rf/.test(command)
    expect(decide(rate(command, { files, isProjects: true }))).toEqual(
      isByArguments ? 'block' : expect.stringMatching(/ask|flag/),
    )
  })

  it('S2 a script of the project that is not a catastrophe is flagged', () => {
    const files = { 't.sh': 'git reset --hard' }
    expect(decide(rate('bash t.sh', { files }))).toBe('block')
    expect(decide(rate('bash t.sh', { files, isProjects: true }))).toBe('flag')
  })

  it('S2 a script of the project that the same command changes counts as typed', () => {
    const files = { 't.sh': NUKE }
    expect(decide(rate('sed -i s/a/b/ t.sh && bash t.sh', { files, isProjects: true }))).toBe('block')
  })

  it('S2 text that the command itself writes takes precedence over the disk', () => {
    const files = { 't.sh': 'echo harmless' }
    expect(decide(rate("echo 'rm -rf ~/' > t.sh && bash t.sh", { files }))).toBe('block')
    expect(decide(rate("echo 'echo hi' > t.sh && bash t.sh", { files: { 't.sh': NUKE } }))).toBe('pass')
    expect(decide(rate('cat > Makefile <<E\nx:\n\trm -rf ~/\nE\nmake x', { files: {} }))).toBe('block')
  })

  it.each([
    ['make -n clean', { Makefile: 'clean:\n\trm -rf ~/\n' }],
    ['make other', { Makefile: 'clean:\n\trm -rf ~/\nother:\n\techo\n' }],
    ['npm run build', { 'package.json': '{"scripts":{"build":"tsc","reset":"rm -rf ~/"}}' }],
    ['cat t.sh', { 't.sh': NUKE }],
    ['bash a.sh build', { 'a.sh': 'rm -rf "$1"' }],
    ['rake ok', { Rakefile: 'task :ok do\n  1\nend\ntask :wipe do\n sh "rm -rf ~/"\nend\n' }],
    ['bash t.sh', { 't.sh': 'wipe() { rm -rf ~/; }\necho hi\n' }],
    ['ssh host bash t.sh', { 't.sh': NUKE }],
  ])('S2 %s runs nothing dangerous and passes', (command, files) => {
    expect(decide(rate(command, { files }))).toBe('pass')
  })

  it.each([
    ['too-large', 'is too large to read'],
    ['binary', 'is a binary file'],
    ['not-a-file', 'is not a regular file'],
    ['unreadable', 'cannot be read'],
  ] as const)('S2 a file that is %s counts as before, and the evidence says so', (why, text) => {
    const risk = rate('bash t.sh', { files: { 't.sh': { why } } })
    expect(decide(risk)).toBe('pass')
    expect(risk.evidence).toEqual([
      expect.objectContaining({ rule: 'shell/unread-file', reason: expect.stringContaining(text) }),
    ])
  })

  it('S2 files that run each other in a circle end', () => {
    const files = { 'a.sh': 'bash b.sh; git push --force', 'b.sh': 'bash a.sh', Makefile: 'a: b\nb: a\n\tmake a\n' }
    expect(decide(rate('bash a.sh', { files }))).toBe('block')
    expect(decide(rate('make a', { files }))).toBe('pass')
  })

  it('S2 at most 20 files and 5 levels are read', () => {
    const chain = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.sh`, `bash ${at + 1}.sh`]))
    expect(rate('bash 0.sh', { files: chain }).evidence.map(({ rule }) => rule)).toContain('shell/unread-file')
    const many = Array.from({ length: 30 }, (_, at) => `bash ${at}.sh`).join(';')
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.sh`, 'echo']))
    expect(rate(many, { files }).evidence.length).toBeGreaterThan(5)
  })

  it('S2 a long file cannot hide the rest of the command', () => {
    const files = { 't.sh': 'echo a\n'.repeat(8_000) }
    expect(decide(rate('bash t.sh; rm -rf /', { files }))).toBe('block')
    expect(rate('bash t.sh; rm -rf /', { files }).evidence[0]).toMatchObject({
      rule: 'filesystem/delete-everything',
      tier: 5,
    })
  })

  it('S2 any text in any project file is classified without a failure, and spans stay in the command', () => {
    const names = ['t.sh', 'Makefile', 'package.json', 'justfile', 'Taskfile.yml', 'Rakefile', 'compose.yaml', 't.py']
    const commands = ['bash t.sh', 'make', 'npm run a', 'just', 'task', 'rake', 'docker compose up', 'python3 t.py']
    const piece = fc.constantFrom(
      'a:',
      '\n',
      '\t',
      '  ',
      '- ',
      '$(',
      ')',
      '{{',
      '}}',
      '"',
      "'",
      'rm -rf ~',
      '|',
      '{',
      '}',
      ':=',
      '\\\n',
      'task :a do',
      'end',
      '"scripts":',
      'services:',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(names.length - 1), (pieces, at) => {
        const command = commands[at] ?? ''
        const { evidence } = rate(command, { files: { [names[at] ?? '']: pieces.join('') } })
        expect(evidence.map(({ rule }) => rule)).not.toContain('risk/failed')
        for (const { span } of evidence) expect(span?.end ?? 0).toBeLessThanOrEqual(command.length)
      }),
      { numRuns: 300 },
    )
  })
})

describe('S2 scripts that a tool writes', () => {
  const write = (tool: string, args: Record<string, unknown>) =>
    classifyRisk(
      { tool, args, cwd: APP, workspace: APP },
      { facts: { home: '/home/me', files: fakeFacts({ files: {} }) } },
    )

  it.each([
    ['Write', { file_path: 't.sh', content: `#!/bin/sh\n${NUKE}\n` }, 't.sh:2'],
    ['Write', { file_path: 'deploy', content: `#!/bin/bash\n${NUKE}\n` }, 'deploy:2'],
    ['Edit', { file_path: 't.sh', old_string: 'a', new_string: NUKE }, 't.sh:1'],
    ['Write', { file_path: 'Makefile', content: 'a:\n\techo\nb:\n\trm -rf ~/\n' }, 'Makefile:4'],
    ['Write', { file_path: 'package.json', content: '{"scripts":{\n"x":"rm -rf ~/"}}' }, 'package.json:2'],
    ['Write', { file_path: 't.py', content: 'import shutil\nshutil.rmtree("/")\n' }, 't.py:'],
    ['apply_patch', { input: `*** Begin Patch\n*** Add File: t.sh\n+echo\n+${NUKE}\n*** End Patch` }, 't.sh:2'],
  ])('S2 %s %j counts one tier lower, and names the line', (tool, args, place) => {
    const risk = write(tool, args)
    expect(risk.tier).toBe(4)
    expect(risk.evidence[0]?.reason).toContain(place)
  })

  it('S2 prose, data and harmless scripts pass', () => {
    expect(decide(write('Write', { file_path: 'README.md', content: NUKE }))).toBe('pass')
    expect(decide(write('Write', { file_path: 't.sh', content: `echo "${NUKE}"` }))).toBe('pass')
    expect(decide(write('Write', { file_path: 'app.py', content: 'shutil.rmtree(path)' }))).toBe('pass')
    expect(decide(write('Write', { file_path: 't.sh', content: 'git reset --hard' }))).toBe('flag')
  })
})

describe('S1 facts', () => {
  const checkout = (command: string, facts: FakeFiles['facts']) =>
    decide(rate(command, { files: { 'a.ts': '' }, facts: facts ?? {} }))
  const changed = { findChanges: () => [`${APP}/a.ts`] }

  it.each(['git checkout a.ts', 'git restore a.ts', 'git checkout -- a.ts', 'git -C . checkout a.ts'])(
    'S1 %s is rated by what it would lose',
    (command) => {
      const noRef = { refExists: () => false }
      expect(checkout(command, { ...noRef, findChanges: () => [] })).toBe('pass')
      expect(checkout(command, { ...noRef, ...changed })).toBe('block')
      expect(checkout(command, { ...noRef, ...changed, isOwnEdit: () => true })).toBe('flag')
      expect(checkout(command, { ...noRef, ...changed, isCopied: () => true })).toBe('flag')
      expect(checkout(`cp a.ts a.bak && ${command}`, { ...noRef, ...changed })).toBe('flag')
      expect(checkout(`git stash && ${command}`, { ...noRef, ...changed })).toBe('flag')
      expect(checkout(`git stash pop && ${command}`, { ...noRef, findChanges: () => [] })).toBe('block')
      expect(checkout(command, { ...noRef, findChanges: () => undefined })).toBe('block')
    },
  )

  it('S1 what exists decides between a branch and a file', () => {
    expect(checkout('git checkout feature/foo.bar', { refExists: () => true })).toBe('pass')
    expect(checkout('git checkout feature/foo.bar', { refExists: () => false, exists: () => false })).toBe('pass')
    expect(checkout('git checkout Dockerfile', { refExists: () => false, exists: () => true, ...changed })).toBe(
      'block',
    )
    expect(checkout('git checkout feature/foo.bar', {})).toBe('flag')
    expect(checkout('git checkout feature/foo.bar', { exists: () => true })).toBe('block')
  })

  it('S1 without facts nothing changes', () => {
    for (const command of ['bash t.sh', 'make', 'git checkout a.ts', 'git checkout feature/foo.bar', 'npm test'])
      expect(classifyRisk({ tool: 'shell', args: { command } })).toEqual(
        classifyRisk({ tool: 'shell', args: { command } }, { facts: {} }),
      )
  })

  it('S1 the files that a call touches are listed with their paths, also through a script', () => {
    const files = fakeFacts({ files: { [`${APP}/t.sh`]: 'rm b.txt\necho x > c.txt\nmv d.txt e.txt' } })
    const call = { tool: 'shell', args: { command: 'cp a.txt a.bak && bash t.sh' }, cwd: APP, workspace: APP }
    const { effects } = analyzeRisk(call, { facts: { home: '/home/me', files } })
    expect(effects.map(({ kind, path }) => `${kind} ${path.replace(`${APP}/`, '')}`)).toEqual([
      'copy a.txt',
      'overwrite a.bak',
      'delete b.txt',
      'overwrite c.txt',
      'overwrite e.txt',
      'delete d.txt',
    ])
  })
})
