import { describe, expect, it } from 'vitest'
import { linearRegex } from '../platform/engine-services.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { compileMatch, type Match, type MatchFacts } from './matcher.ts'

type Facts = Partial<MatchFacts>
const STEP: Facts = {
  data: { tool: 'Bash', args: { command: 'git push --force', cwd: '/srv', flags: ['-v', { deep: 'needle' }], n: 42 } },
  metadata: { riskTier: 3 },
  context: { agent: 'claude-work', source: 'human', host: 'claude', workspace: '/srv/project' },
}

/** Does a hook with this match run on the step? */
function runs(match: Match, facts: Facts = STEP): boolean {
  const test = compileMatch(match, linearRegex)
  return test === undefined || test({ data: {}, metadata: {}, context: {}, ...facts })
}
const onTool = (tool: unknown): Facts => ({ ...STEP, data: { tool, args: {} } })
const onFile = (path: string, workspace = '/srv/project'): Facts => ({
  data: { tool: 'Edit', args: { file_path: path } },
  context: { workspace },
})

describe('a tool matcher', () => {
  it.each<[Match['tool'], string, boolean]>([
    // A class, a tool, and the hosts' spellings of it; case does not matter.
    ['shell', 'Bash', true],
    ['shell', 'run_shell_command', true],
    ['Shell', 'shell', true],
    ['bash', 'Bash', true],
    ['bash', 'run_shell_command', true],
    ['Edit', 'edit_file', true],
    ['Edit', 'Write', false],
    ['write', 'Edit', true],
    ['mcp', 'mcp__github__push', true],
    ['shell', 'shellfish', false],
    // Lists hold when one of their patterns does.
    [['Edit', 'Bash'], 'Bash', true],
    [['Edit', 'mcp__*', /^W/], 'mcp__x__y', true],
    [['Edit', 'Read'], 'Bash', false],
    // Globs, over the whole name.
    ['mcp__*', 'mcp__github__push', true],
    ['mcp__*__push', 'mcp__github__push', true],
    ['mcp__github', 'mcp__github__push', false],
    ['*', 'anything', true],
    ['{Edit,Write}', 'Write', true],
    ['B?sh', 'Bash', true],
    // Regular expressions, anchored at both ends.
    ['/Edit|Write/', 'Write', true],
    ['/Edit|Write/', 'MultiEdit', false],
    ['/Edit|Write/', 'Writer', false],
    ['/bash/i', 'Bash', true],
    ['/bash/', 'Bash', false],
    ['/mcp__.+/', 'mcp__x', true],
    [/Edit|Write/, 'Edit', true],
    [/Edit|Write/, 'MultiEdit', false],
    [/bash/i, 'BASH', true],
    [/Bash/g, 'Bash', true],
    [/(?!Bash)\w+/, 'Edit', true],
    [/(?!Bash)\w+/, 'Bash', false],
    ['/Bash/m', 'x\nBash', false],
    [/Bash/m, 'x\nBash', false],
    [/(?=B)Bash/m, 'x\nBash', false],
  ])('D12 %o on %s: %s', (tool, name, expected) => {
    expect(runs({ tool } as Match, onTool(name))).toBe(expected)
    // The same name again is answered from memory.
    expect(runs({ tool } as Match, onTool(name))).toBe(expected)
  })

  it('D12 gives the same answer when tools alternate, and after many of them', () => {
    const test = compileMatch({ tool: ['shell', 'mcp__*'] }, linearRegex)
    const ask = (tool: string) => test?.({ data: { tool }, metadata: {}, context: {} })
    for (let i = 0; i < 2_000; i++)
      expect([ask('Bash'), ask(`tool${i}`), ask(`mcp__${i}`)]).toEqual([true, false, true])
  })

  it.each([undefined, null, 7, {}, ['Bash']])('D12 does not run on a step without a tool: %o', (tool) => {
    expect(runs({ tool: '*' }, onTool(tool))).toBe(false)
    expect(runs({ tool: 'shell' }, { data: {} })).toBe(false)
    expect(runs({ tool: /.*/ }, { data: { prompt: 'Bash' } })).toBe(false)
  })

  it('D12 keeps a hook from running through the engine, and a matcher that says no leaves no trace', async () => {
    const evaluations: unknown[] = []
    const engine = createEngine({ mode: 'enforce', sink: (evaluation) => void evaluations.push(evaluation) })
    engine.register('pre:tool', () => 'block', { match: { tool: 'shell' } })
    engine.register('pre:message', () => 'block', { match: { tool: '*' } })
    expect(await engine.dispatch('pre:tool', { tool: 'Edit', args: {} })).toMatchObject({ blocked: false })
    expect(await engine.dispatch('pre:message', { prompt: 'Bash' })).toMatchObject({ blocked: false })
    expect(evaluations).toEqual([])
    expect(await engine.dispatch('pre:tool', { tool: 'Bash', args: {} })).toMatchObject({ blocked: true })
    expect(evaluations).toHaveLength(1)
  })
})

describe('an argument matcher', () => {
  it.each<[Match['args'], boolean]>([
    ['push', true],
    ['--force', true],
    ['Push', false],
    ['needle', true],
    ['42', true],
    ['git*', false],
    ['command', false],
    [/push\s+--force$/, true],
    ['/push\\s+--force$/', true],
    ['/PUSH/i', true],
    ['/^push/', false],
    [{ command: 'push' }, true],
    [{ command: /^git / }, true],
    [{ cwd: 'push' }, false],
    [{ command: 'push', cwd: '/srv' }, true],
    [{ command: 'push', cwd: '/home' }, false],
    [{ missing: 'push' }, false],
    [{ missing: /.*/ }, false],
    [{ flags: 'needle' }, true],
    [{ n: '42' }, true],
    [{ toString: 'function' }, false],
  ])('D12 %o: %s', (args, expected) => {
    expect(runs({ args } as Match)).toBe(expected)
  })

  it('D12 looks for a text in arguments that are no object', () => {
    expect(runs({ args: 'push' }, { data: { tool: 'x', args: 'git push' } })).toBe(true)
    expect(runs({ args: { command: 'push' } }, { data: { tool: 'x', args: 'git push' } })).toBe(false)
    expect(runs({ args: 'push' }, { data: { tool: 'x' } })).toBe(false)
  })

  it('D12 lets the hook run when there is more to search than it will', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = [cyclic, cyclic]
    expect(runs({ args: 'needle' }, { data: { tool: 'x', args: cyclic } })).toBe(true)
    expect(runs({ args: 'needle' }, { data: { tool: 'x', args: { list: new Array(200_000).fill('hay') } } })).toBe(true)
  })

  it('D12 takes linear time whatever the pattern and the text', () => {
    const command = `${'a'.repeat(50_000)}b`
    for (const args of ['/(a+)+$/', '/(a|aa)+$/', '/(a*)*c/', /(a+)+$/, /^(([a-z])+.)+[A-Z]([a-z])+$/]) {
      expect(runs({ args }, { data: { tool: 'x', args: { command } } }), String(args)).toBe(false)
    }
    expect(runs({ tool: '/(a+)+/' }, onTool(command))).toBe(false)
  })
})

describe('a path matcher', () => {
  it.each<[string | string[], string, boolean]>([
    // A name alone is looked for in any folder.
    ['.env', '/srv/project/.env', true],
    ['.env', 'deep/down/.env', true],
    ['.env', '.env.example', false],
    ['*.ts', '/srv/project/src/a.ts', true],
    ['*.ts', 'src/a.tsx', false],
    ['.env*', '/elsewhere/.env.local', true],
    // With a slash it is relative to the workspace, or whole.
    ['src/**', '/srv/project/src/deep/a.ts', true],
    ['src/**', 'src/a.ts', true],
    ['src/**', '/srv/other/src/a.ts', false],
    ['src/**', '/srv/project-two/src/a.ts', false],
    ['./src/**', 'src/a.ts', true],
    ['src/', 'src/deep/a.ts', true],
    ['src/', 'srcs/a.ts', false],
    ['**/*.pem', '/home/me/.ssh/key.pem', true],
    ['/etc/**', '/etc/passwd', true],
    ['/etc/**', '/srv/project/etc/passwd', false],
    // However the agent writes it.
    ['src/**', './src/a.ts', true],
    ['src/**', '/srv/project/lib/../src/a.ts', true],
    ['src/**', '/srv/project//src///a.ts', true],
    ['src/**', 'src\\deep\\a.ts', true],
    ['src/**', 'src/../.env', false],
    ['.env', 'src/../.env', true],
    ['/etc/**', '../../etc/passwd', true],
    ['/etc/**', '../../../../../../etc/passwd', true],
    ['/srv/project/secrets/**', 'secrets/key', true],
    ['/srv/other/**', '../other/key', true],
    ['src/**', '../project/src/a.ts', true],
    // A list holds when one of its globs does.
    [['docs/**', '*.md'], 'README.md', true],
    [['docs/**', '*.md'], 'src/a.ts', false],
    // Globs that mix names and paths hold in each part as that part alone would.
    ['{*.pem,secrets/**}', 'deep/key.pem', true],
    ['{*.pem,secrets/**}', 'secrets/x', true],
  ])('D12 %o on %s: %s', (path, file, expected) => {
    expect(runs({ path } as Match, onFile(file))).toBe(expected)
  })

  it.each([
    ['C:\\work\\app', 'C:\\work\\app\\src\\a.ts', true],
    ['/', '/src/a.ts', true],
    ['/srv/project/', '/srv/project/src/a.ts', true],
    ['/srv/./x/../project', '/srv/project/src/a.ts', true],
  ])('D12 in the workspace %s finds %s', (workspace, file, expected) => {
    expect(runs({ path: 'src/**' }, onFile(file, workspace))).toBe(expected)
  })

  it('D12 works without a workspace, on what is written', () => {
    const facts = (file: string): Facts => ({ data: { tool: 'Edit', args: { file_path: file } } })
    expect(runs({ path: 'src/**' }, facts('src/a.ts'))).toBe(true)
    expect(runs({ path: 'src/**' }, facts('/srv/src/a.ts'))).toBe(false)
  })

  it('D12 looks at every file that the call names, and at the file of a write', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Add File: secrets/key\n*** End Patch'
    expect(runs({ path: 'secrets/**' }, { data: { tool: 'apply_patch', args: { input: patch } } })).toBe(true)
    expect(runs({ path: 'b.ts' }, { data: { tool: 'x', args: { paths: ['a.ts', 'b.ts'] } } })).toBe(true)
    expect(runs({ path: '*.ts' }, { data: { path: 'src/a.ts', content: '' } })).toBe(true)
  })

  it.each([{}, { tool: 'Bash', args: { command: 'cat src/a.ts' } }, { prompt: 'src/a.ts' }])(
    'D12 does not hold on a step that names no file: %j',
    (data) => expect(runs({ path: '**' }, { data })).toBe(false),
  )

  it('D12 comes to an end on a path made to be slow', () => {
    expect(runs({ path: `${'*a'.repeat(50)}b` }, onFile('a'.repeat(20_000)))).toBe(false)
    expect(runs({ path: 'x/**' }, onFile('a/../'.repeat(20_000)))).toBe(false)
  })
})

describe('a matcher on who and where', () => {
  it.each<[Match, boolean]>([
    [{ agent: 'claude-work' }, true],
    [{ agent: 'claude-*' }, true],
    [{ agent: 'claude' }, false],
    [{ agent: ['codex', 'claude-work'] }, true],
    [{ agent: '/claude/' }, false],
    [{ agent: /claude-.*/ }, true],
    [{ source: 'human' }, true],
    [{ source: ['agent', 'cron'] }, false],
    [{ host: 'claude' }, true],
    [{ host: '{codex,claude}' }, true],
    [{ host: 'codex' }, false],
    [{ minTier: 3 }, true],
    [{ minTier: 4 }, false],
    [{ minTier: 1 }, true],
  ])('D12 %o: %s', (match, expected) => {
    expect(runs(match)).toBe(expected)
  })

  it.each<Match>([{ agent: '*' }, { source: '*' }, { host: /.*/ }, { minTier: 1 }])(
    'D12 %o does not hold where nothing is known',
    (match) => {
      expect(runs(match, {})).toBe(false)
      expect(runs(match, { metadata: { riskTier: '5' } })).toBe(false)
    },
  )

  it('D12 follows the tier that an earlier hook found', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool', (step) => ({ metadata: { riskTier: step.data.tool === 'rm' ? 5 : 1 } }), {
      priority: 1,
    })
    engine.register('pre:tool', () => 'block', { match: { minTier: 4 } })
    expect(await engine.dispatch('pre:tool', { tool: 'ls', args: {} })).toMatchObject({ blocked: false })
    expect(await engine.dispatch('pre:tool', { tool: 'rm', args: {} })).toMatchObject({ blocked: true })
  })
})

describe('conditions together', () => {
  it.each<[Match | undefined, boolean]>([
    [undefined, true],
    [{}, true],
    [{ tool: 'shell', args: { command: 'push' }, host: 'claude', minTier: 2 }, true],
    [{ tool: 'shell', args: { command: 'push' }, host: 'codex', minTier: 2 }, false],
    [{ tool: 'Edit', args: { command: 'push' } }, false],
  ])('D12 must all hold: %o → %s', (match, expected) => {
    expect(runs(match as Match)).toBe(expected)
  })

  it('D12 that trip over hostile data let the hook run and see for itself', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => 'block', { match: { args: 'x' } })
    const args = Object.defineProperty({}, 'command', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    expect(await engine.dispatch('pre:tool', { tool: 'x', args })).toMatchObject({ blocked: true })
  })
})

describe('a pattern that cannot be read', () => {
  const register = (match: unknown) => () =>
    createEngine().register('pre:tool', () => 'pass', { match: match as Match })

  it.each([
    ...['tool', 'agent', 'source', 'host'].flatMap((key) => [
      ...['', [], ['', 'a'], null, 7, {}, [null], [['a']]].map((pattern) => ({ [key]: pattern })),
      ...['[a', '{a', 'a{1..3}', '*\\', '/[/', '/(/', '/a)(b/', '/a/x', '/(?=a)b/', '/\\1/', 'a|b'].map((pattern) => ({
        [key]: pattern,
      })),
    ]),
    ...['Bash(git *)', 'Bash(ls)', '^Bash$', '/Bash', '//'].map((tool) => ({ tool })),
    ...['', [], null, 7, '[a', '{a,b', ['ok', '[a'], /a/, ['ok', /a/]].map((path) => ({ path })),
    ...['', '/[/', '/a/x', ['a'], ['/a/', '/b/'], 7, { command: '' }, { command: '/(/' }, { command: ['/a/'] }].map(
      (args) => ({ args }),
    ),
    ...[{ command: 7 }, { command: null }].map((args) => ({ args })),
  ])('D12 is an error at registration: %j', (match) => {
    expect(register(match)).toThrow(expect.objectContaining({ code: 'ARC_PATTERN_INVALID' }))
  })

  it.each([0, 6, 2.5, '3', Number.NaN, null])('D12 is an error at registration: minTier %o', (minTier) => {
    expect(register({ minTier })).toThrow(expect.objectContaining({ code: 'ARC_OPTION_INVALID' }))
  })

  it.each([null, 'shell', 7, ['shell'], () => true])('D12 is an error at registration: match %o', (match) => {
    expect(register(match)).toThrow(expect.objectContaining({ code: 'ARC_OPTION_INVALID' }))
  })

  it('D12 names the pattern and says how to write what was meant', () => {
    expect(register({ tool: 'Edit|Write' })).toThrow('"Edit|Write"')
    expect(register({ tool: 'Edit|Write' })).toThrow('/…/')
    expect(register({ tools: 'Edit' })).toThrow('Did you mean "tool"?')
    expect(register({ tool: '/(/' })).toThrow('"/(/"')
  })
})
