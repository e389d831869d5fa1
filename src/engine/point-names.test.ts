import { describe, expect, expectTypeOf, it } from 'vitest'
import { createEngine } from '../platform/hook-engine.ts'
import { ArcError } from './errors.ts'
import { BUILT_IN_POINTS, definePoint, PointIndex } from './point-names.ts'
import { POINTS, type ToolArgs } from './points.ts'

const resolve = (given: unknown) => BUILT_IN_POINTS.resolve(given)

// Everything the sources call a point, and the one name each has here.
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'pre:message': ['pre:message', 'pre-message', 'user_prompt_submit', 'UserPromptSubmit', 'before_ingest'],
  'post:message': ['post:message', 'post-message'],
  'pre:tool': ['pre:tool', 'pre_tool_use', 'PreToolUse', 'before_tool_apply'],
  'post:tool': ['post:tool', 'post_tool_use', 'PostToolUse', 'after_tool_apply'],
  'post:tool:failure': ['post:tool:failure', 'post_tool_use_failure', 'PostToolUseFailure'],
  'post:tool:batch': ['after_tool_batch', 'PostToolBatch'],
  'post:ingest': ['after_ingest'],
  'pre:model': ['before_generate', 'PreModelRequest', 'BeforeModel'],
  'post:model': ['after_generate', 'AfterModel'],
  'pre:permission': ['before_permission'],
  'post:permission': ['after_permission'],
  'pre:agent:spawn': ['pre:agent:spawn'],
  'post:agent:complete': ['post:agent:complete'],
  'pre:session:phase': ['pre:session:phase'],
  'post:session:phase': ['post:session:phase'],
  'pre:git:write': ['pre:git:write'],
  'post:git:write': ['post:git:write'],
  'pre:view:render': ['pre:view:render'],
  'pre:launch': ['pre-launch'],
  'post:launch': ['post-launch'],
  'session:start': ['session_start', 'SessionStart', 'after_session_enter'],
  'session:end': ['session_end', 'SessionEnd'],
  'run:start': ['run_start', 'RunStart', 'after_turn_enter'],
  'run:end': ['run_end', 'RunEnd'],
  'pre:turn:end': ['before_turn_end'],
  'pre:compact': ['pre_compact', 'PreCompact', 'before_compact'],
  'post:compact': ['post_compact', 'PostCompact', 'after_compact'],
  'config:change': ['config_change', 'ConfigChange'],
}
const ROWS = Object.entries(SPELLINGS).flatMap(([name, spellings]) => spellings.map((given) => [given, name] as const))

describe('a point’s name', () => {
  it.each(ROWS)('P2 %s is %s', (given, name) => {
    expect(resolve(given)).toEqual({ name, spec: POINTS[name as keyof typeof POINTS] })
  })

  it.each(ROWS)('P2 %s reaches the hooks registered at %s, and the other way round', async (given, name) => {
    const seen: string[] = []
    const engine = createEngine({ mode: 'enforce' })
    engine.register(given as 'pre:tool', (step) => void seen.push(step.point))
    engine.register(name as 'pre:tool', (step) => void seen.push(step.point))
    await engine.dispatch(given as 'pre:tool', { tool: 'x', args: {} })
    await engine.dispatch(name as 'pre:tool', { tool: 'x', args: {} })
    expect(seen).toEqual([name, name, name, name])
  })

  it('P2 is known to the table of spellings for every point there is', () => {
    expect(Object.keys(SPELLINGS).sort()).toEqual(Object.keys(POINTS).sort())
  })

  it.each(['preToolUse', 'PRE_TOOL_USE', 'pre-tool-use', 'pre_tool', 'Pre:Tool'])(
    'P2 may be written %s: separators and case do not matter',
    (given) => expect(resolve(given).name).toBe('pre:tool'),
  )

  it.each([
    ['pre:tol', 'pre:tool'],
    ['PreToolUes', 'PreToolUse'],
    ['per_tool_use', 'pre_tool_use'],
    ['sesion:start', 'session:start'],
    ['pre-lanch', 'pre-launch'],
    ['before_turn_ends', 'before_turn_end'],
  ])('P2 unknown, as %s is, is an error that suggests %s', (given, nearest) => {
    expect(() => resolve(given)).toThrow(ArcError)
    expect(() => resolve(given)).toThrow(`There is no point "${given}". Did you mean "${nearest}"?`)
    expect(() => resolve(given)).toThrow(expect.objectContaining({ code: 'ARC_POINT_UNKNOWN' }))
  })

  it.each([
    ...['', 'pre', ':', 'pre:tool:', '__proto__', 'constructor', 'toString', 'completely different words'],
    ...[undefined, null, 7, {}, [], Symbol('pre:tool')],
  ])('P2 is never made up from %o', (given) => {
    expect(() => resolve(given)).toThrow(expect.objectContaining({ code: 'ARC_POINT_UNKNOWN' }))
  })

  it('P2 means one point only: no two rows share a spelling', () => {
    const words = Object.entries(POINTS).flatMap(([name, { aliases }]) =>
      [name, ...aliases].map((spelling) => resolve(spelling).name === name),
    )
    expect(words).not.toContain(false)
  })
})

describe('a point with a tool', () => {
  it.each([
    ['pre:tool:shell', 'pre:tool', 'shell'],
    ['post:tool:Edit', 'post:tool', 'Edit'],
    ['pre_tool_use:Bash', 'pre:tool', 'Bash'],
    ['PreToolUse:Bash', 'pre:tool', 'Bash'],
    ['post:tool:failure:shell', 'post:tool:failure', 'shell'],
    ['PostToolUseFailure:shell', 'post:tool:failure', 'shell'],
    ['pre:tool:mcp__github__*', 'pre:tool', 'mcp__github__*'],
    ['pre:tool:server:tool', 'pre:tool', 'server:tool'],
  ])('P3 %s is %s with the tool %s', (given, name, tool) => {
    expect(resolve(given)).toMatchObject({ name, tool })
  })

  it('P3 post:tool:failure is the point of that name, not a tool called failure', () => {
    expect(resolve('post:tool:failure')).toEqual({ name: 'post:tool:failure', spec: POINTS['post:tool:failure'] })
  })

  it.each(['pre:message:shell', 'pre:agent:spawn:shell', 'config:change:shell'])(
    'P3 there is none at points without tools: %s is unknown',
    (given) => expect(() => resolve(given)).toThrow(expect.objectContaining({ code: 'ARC_POINT_UNKNOWN' })),
  )

  it.each([
    ['shell', true],
    ['Bash', true],
    ['read_file', false],
  ])('P3 a hook at pre:tool:shell runs on the tool %s: %s', async (tool, runs) => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool:shell', () => 'block')
    expect(await engine.dispatch('pre:tool', { tool, args: {} })).toMatchObject({ blocked: runs })
  })

  it('P3 refuses a second tool in match, because both could never hold', () => {
    const engine = createEngine()
    expect(() => engine.register('pre:tool:shell', () => 'pass', { match: { tool: 'Edit' } })).toThrow(
      expect.objectContaining({ code: 'ARC_OPTION_INVALID' }),
    )
  })
})

describe('a declared point', () => {
  const deploy = definePoint({
    name: 'pre:deploy',
    canAbort: true,
    modify: ['target'],
    data: {} as { readonly target: string; readonly version: number },
  })
  const data = { target: 'prod', version: 3 }

  it('P4 blocks where it says it can abort', async () => {
    const engine = createEngine({ mode: 'enforce', points: [deploy] })
    engine.register('pre:deploy', (step) => (step.data.target === 'prod' ? 'block' : 'pass'))
    expect(await engine.dispatch('pre:deploy', data)).toMatchObject({ blocked: true, control: 'stop' })
    expect(await engine.dispatch('pre:deploy', { ...data, target: 'test' })).toMatchObject({ blocked: false })
  })

  it('P4 blocks nothing unless it says it can', async () => {
    const engine = createEngine({ mode: 'enforce' })
    const note = definePoint({ name: 'note' })
    engine.register(note, () => 'block')
    expect(await engine.dispatch(note, {})).toMatchObject({ blocked: false, decision: 'flag' })
  })

  it('P4 lets hooks change the fields it names and no others', async () => {
    const engine = createEngine({ mode: 'enforce', points: [deploy] })
    engine.register('pre:deploy', () => ({ modify: { target: 'test', version: 9 } }) as { modify: { target: string } })
    expect((await engine.dispatch('pre:deploy', data)).data).toEqual({ target: 'test', version: 3 })
  })

  it('P4 is found by its name and by other ways to write it', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register(deploy, () => 'block')
    expect(await engine.dispatch('pre_deploy' as 'pre:tool', data as never)).toMatchObject({ blocked: true })
    expect(await engine.dispatch(deploy, data)).toMatchObject({ blocked: true })
  })

  it('P4 is suggested like any other point', () => {
    const points = BUILT_IN_POINTS.declare(deploy)
    expect(() => points.resolve('pre:deplyo')).toThrow('Did you mean "pre:deploy"?')
  })

  it('P4 can be declared twice over, but not beside another of its name', () => {
    const points = BUILT_IN_POINTS.declare(deploy)
    expect(points.declare(deploy)).toBe(points)
    expect(() => points.declare(definePoint({ name: 'pre:deploy' }))).toThrow(
      expect.objectContaining({ code: 'ARC_POINT_DUPLICATE' }),
    )
  })

  it.each(['pre:tool', 'pre-message', 'session-start'])('P4 cannot take the name %s of a built-in point', (name) => {
    expect(() => BUILT_IN_POINTS.declare(definePoint({ name }))).toThrow(
      expect.objectContaining({ code: 'ARC_POINT_DUPLICATE' }),
    )
  })

  it('P4 leaves the index it was added to as it was', () => {
    BUILT_IN_POINTS.declare(deploy)
    expect(() => resolve('pre:deploy')).toThrow(ArcError)
    expect(new PointIndex(new Map()).points.size).toBe(0)
  })

  it.each(['', 'Pre:Deploy', 'pre:', ':deploy', 'pre deploy', 'pre::deploy', '1st', 7, undefined, null, {}])(
    'P4 cannot be called %o',
    (name) => {
      expect(() => definePoint({ name: name as string })).toThrow(
        expect.objectContaining({ code: 'ARC_POINT_INVALID' }),
      )
    },
  )

  it.each([
    { name: 'x', modify: 'target' },
    { name: 'x', modify: [1] },
    { name: 'x', canAbort: 'yes' },
  ])('P4 is refused when its definition is malformed: %j', (definition) => {
    expect(() => definePoint(definition as never)).toThrow(expect.objectContaining({ code: 'ARC_POINT_INVALID' }))
  })

  it('P4 is refused when its definition has an option that does not exist', () => {
    expect(() => definePoint({ name: 'x', canAbrot: true } as never)).toThrow('Did you mean "canAbort"?')
  })

  it('P4 cannot be changed once declared', () => {
    expect(Object.isFrozen(deploy)).toBe(true)
    expect(Object.isFrozen(deploy.modify)).toBe(true)
  })
})

// Checked by the compiler: a mistake that compiles is an unused @ts-expect-error, which is an error itself.
describe('the types of a point', () => {
  const engine = createEngine()

  it('P4 give the data of a tool call at every spelling of its point', () => {
    engine.register('pre:tool', ({ data }) => {
      expectTypeOf(data.tool).toEqualTypeOf<string>()
      expectTypeOf(data.args).toEqualTypeOf<ToolArgs>()
    })
    engine.register('PreToolUse', ({ data }) => {
      expectTypeOf(data.tool).toEqualTypeOf<string>()
      expectTypeOf(data.args).toEqualTypeOf<ToolArgs>()
    })
    engine.register('pre_tool_use', ({ data }) => expectTypeOf(data.args).toEqualTypeOf<ToolArgs>() && undefined)
    engine.register('pre:tool:shell', ({ data }) => {
      expectTypeOf(data.tool).toEqualTypeOf<string>()
      expectTypeOf(data.args).toEqualTypeOf<ToolArgs>()
      // @ts-expect-error a call that has not run has no result
      data.result
    })
    engine.register(
      'post:tool:failure:shell',
      ({ data }) => expectTypeOf(data.error).toEqualTypeOf<string>() && undefined,
    )
    expect(engine.list().flatMap(({ points }) => points)).toHaveLength(5)
  })

  it('P4 let a verdict modify what the point allows, at every spelling', () => {
    engine.register('pre:tool', () => ({ modify: { args: { command: 'ls' } } }))
    engine.register('PreToolUse', async () => ({ modify: { args: { command: 'ls' } } }))
    engine.register('pre:tool:shell', () => ({ decision: 'flag', modify: { args: {} } }))
    engine.register('post:message', (step) => ({ modify: { output: step.data.output.trim() } }))
    engine.register('pre:tool', () => ({ result: 'from the cache' }))
    expect(engine.list().length).toBeGreaterThanOrEqual(5)
  })

  it('P4 refuse a modify of what the point does not allow', () => {
    const mistakes = () => {
      // @ts-expect-error a tool call has no output yet
      engine.register('pre:tool', () => ({ modify: { output: 'x' } }))
      // @ts-expect-error nor together with something allowed
      engine.register('pre:tool', () => ({ modify: { args: {}, output: 'x' } }))
      // @ts-expect-error nor from an asynchronous handler
      engine.register('pre:tool', async () => ({ modify: { args: {}, output: 'x' } }))
      // @ts-expect-error the tool itself is no field that may change
      engine.register('pre:tool', () => ({ modify: { args: {}, tool: 'x' } }))
      // @ts-expect-error nor at another spelling
      engine.register('PreToolUse', () => ({ modify: { output: 'x' } }))
      // @ts-expect-error nor with a tool
      engine.register('pre:tool:shell', () => ({ modify: { output: 'x' } }))
      // @ts-expect-error a field must keep its type
      engine.register('post:message', () => ({ modify: { output: 7 } }))
      // @ts-expect-error nothing may be modified after an agent finished
      engine.register('post:agent:complete', () => ({ modify: { output: 'x' } }))
      // @ts-expect-error nor asynchronously
      engine.register('post:agent:complete', async () => ({ modify: { agent: 'x' } }))
      // @ts-expect-error no such decision
      engine.register('pre:tool', () => 'deny')
    }
    expect(mistakes).toBeTypeOf('function')
  })

  it('P4 refuse a name that is no point, and data that is not the point’s', () => {
    const mistakes = () => {
      // @ts-expect-error no such point
      engine.register('pre:tol', () => 'pass')
      // @ts-expect-error no such point
      void engine.dispatch('pre:deploy', {})
      // @ts-expect-error a tool call has arguments
      void engine.dispatch('pre:tool', { tool: 'shell' })
      // @ts-expect-error a prompt is a text
      void engine.dispatch('pre:message', { prompt: 7 })
    }
    expect(mistakes).toBeTypeOf('function')
  })

  it('P4 give the outcome the data of its point', async () => {
    const outcome = await engine.dispatch('pre:tool', { tool: 'x', args: {} })
    expectTypeOf(outcome.data.args).toEqualTypeOf<ToolArgs>()
    expect(outcome.data.tool).toBe('x')
  })

  it('P4 follow a declared point, by token and by name', async () => {
    const deploy = definePoint({
      name: 'pre:deploy',
      canAbort: true,
      modify: ['target'],
      data: {} as { readonly target: string; readonly version: number },
    })
    const own = createEngine({ points: [deploy] })
    own.register(deploy, ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ readonly target: string; readonly version: number }>()
      return { modify: { target: 'test' } }
    })
    own.register('pre:deploy', ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<{ readonly target: string; readonly version: number }>()
      return { modify: { target: 'test' } }
    })
    const outcome = await own.dispatch('pre:deploy', { target: 'prod', version: 1 })
    expectTypeOf(outcome.data.version).toEqualTypeOf<number>()
    const mistakes = () => {
      // @ts-expect-error this field may not change
      own.register(deploy, () => ({ modify: { version: 2 } }))
      // @ts-expect-error nor beside one that may
      own.register('pre:deploy', () => ({ modify: { target: 'test', version: 2 } }))
      // @ts-expect-error a field of another point
      own.register(deploy, async () => ({ modify: { target: 'test', args: {} } }))
      // @ts-expect-error the field has another type
      own.register('pre:deploy', () => ({ modify: { target: 7 } }))
      // @ts-expect-error the data lacks a field
      void own.dispatch(deploy, { target: 'prod' })
      // @ts-expect-error modify names a field that the data does not have
      definePoint({ name: 'x', modify: ['nothing'], data: {} as { target: string } })
    }
    expect(mistakes).toBeTypeOf('function')
    expect(outcome.data).toEqual({ target: 'prod', version: 1 })
  })
})
