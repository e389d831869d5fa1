import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MODES } from '../engine/mode.ts'
import { BUILT_IN_HOOKS } from './built-in-hooks.ts'
import { serializeContent } from './command-list.ts'
import { type Config, DEFAULTS, effectiveOnError, hookSettings } from './config.ts'
import { type Layer, override, tighten } from './layers.ts'
import { parseText } from './parse-text.ts'
import type { FileKind } from './schema.ts'
import { raiseTo, readStrictness } from './strictness.ts'
import { validate } from './validate.ts'

function layer(settings: object | string, kind: FileKind = 'profile', file = `${kind}.json`): Layer {
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings)
  const { parsed, problems } = parseText(file, text)
  if (parsed === undefined) throw new Error(JSON.stringify(problems))
  const { valid, problems: invalid } = validate(parsed, kind)
  if (valid === undefined) throw new Error(JSON.stringify(invalid))
  return { file: valid, scripts: [] }
}

const user = (settings: object) => override(DEFAULTS, layer(settings))
const project = (base: Config, settings: object | string) => tighten(base, layer(settings, 'project'))

const COMMAND = { event: 'pre_tool_use', matcher: 'bash', command: './check.sh' }

describe('what the trace keeps', () => {
  it('Z4 is set by the user, field by field, with defaults and without limit', () => {
    expect(DEFAULTS.trace.keep).toEqual({ days: 90, bytes: 2_000_000_000 })
    const base = user({ trace: { keep: { days: 30 }, archive: '/mnt/archive' } })
    expect(base.trace).toMatchObject({ keep: { days: 30, bytes: 2_000_000_000 }, archive: '/mnt/archive' })
    expect(override(base, layer({ trace: { keep: { bytes: null } } })).trace.keep).toEqual({ days: 30, bytes: null })
  })

  it.each([{ keep: { days: 1 } }, { keep: { days: 400 } }, { keep: { bytes: null } }, { archive: '/tmp/x' }])(
    'Z4 cannot be changed by a project: %j',
    (trace) => {
      const { config, problems } = project(DEFAULTS, { trace })
      expect(config.trace).toEqual(DEFAULTS.trace)
      expect(problems).toMatchObject([{ kind: 'looser', key: 'trace' }])
      expect(problems[0]?.message).toContain('a project cannot change this, because the trace belongs to the user')
    },
  )
})

describe('C4 permissions', () => {
  const PERMISSION = fc.constantFrom('shellExec', 'fileWrite', 'network', 'spawn')
  const list = fc.option(fc.array(PERMISSION, { maxLength: 5 }), { nil: undefined })
  const settings = (permissions: readonly string[] | undefined) => ({ ...(permissions && { permissions }) })

  it('C4 the list of a profile replaces the list below it', () => {
    const base = user({ permissions: ['shellExec', 'network', 'network'] })
    expect(base.permissions.granted).toEqual(['shellExec', 'network'])
    expect(override(base, layer({})).permissions.granted).toEqual(['shellExec', 'network'])
    expect(override(base, layer({ permissions: [] })).permissions.granted).toEqual([])
  })

  it('C4 a project only removes permissions, and a name that it would add is reported with its position', () => {
    const base = user({ permissions: ['shellExec', 'network'] })
    const { config, problems } = project(base, '{\n "permissions": ["shellExec",\n "spawn"] }')
    expect(config.permissions).toEqual({ granted: ['shellExec'], removed: ['network'] })
    expect(problems).toMatchObject([{ kind: 'looser', key: 'permissions[1]', line: 3 }])
    expect(project(DEFAULTS, { permissions: ['spawn'] }).config.permissions).toEqual(DEFAULTS.permissions)
  })

  it('C4 no project and no lost file grants what the user does not', () => {
    fc.assert(
      fc.property(list, list, list, (mine, theirs, before) => {
        const base = user(settings(mine))
        const { granted } = project(base, settings(theirs)).config.permissions
        for (const name of granted ?? []) expect(mine).toContain(name)
        for (const name of mine ?? []) {
          expect(granted?.includes(name)).toBe(theirs === undefined || theirs.includes(name))
        }
        const raised = raiseTo(base, readStrictness(user(settings(before))))
        for (const name of raised.permissions.granted ?? []) {
          expect(mine).toContain(name)
          if (before !== undefined) expect(before).toContain(name)
        }
      }),
    )
  })
})

describe('the layers of the user', () => {
  it('C2 a later one overrides, field by field, and lists append', () => {
    const base = user({ enforcement: 'log', hooks: { a: { enabled: false, timeout: 5 } }, commands: [COMMAND] })
    const over = {
      enforcement: 'enforce',
      hooks: { timeout: 9, a: { timeout: 7 } },
      commands: [{ ...COMMAND, blocking: true }],
    }
    const config = override(base, layer(over))
    expect(config).toMatchObject({
      enforcement: 'enforce',
      timeoutMs: 9,
      hooks: { a: { enabled: false, timeoutMs: 7 } },
    })
    expect(config.commands.map(({ name, blocking }) => [name, blocking])).toEqual([
      ['check.sh@pre:tool', false],
      ['check.sh@pre:tool #2', true],
    ])
  })
})

describe("a project's layer", () => {
  it('C2 appends its hooks and drops those that are there already, whatever their name and spelling', () => {
    const base = user({ commands: [{ ...COMMAND, name: 'mine' }] })
    const again = { ...COMMAND, event: 'PreToolUse', name: 'other', timeout_secs: 10 }
    const { config, problems } = project(base, {
      commands: [again, { ...COMMAND, command: 'x' }, { ...COMMAND, command: 'x' }],
    })
    expect(problems).toEqual([])
    expect(config.commands.map(({ name, origin }) => [name, origin.layer])).toEqual([
      ['mine', 'user'],
      ['x@pre:tool', 'project'],
    ])
  })

  it("C2 never takes the place of the user's hook of the same name", () => {
    const base = user({ commands: [{ ...COMMAND, name: 'lint' }] })
    const { config } = project(base, { commands: [{ ...COMMAND, name: 'lint', command: 'true' }] })
    expect(config.commands.map(({ name, command }) => [name, command])).toEqual([
      ['lint', './check.sh'],
      ['lint (project)', 'true'],
    ])
  })

  it('C2 may tighten everything', () => {
    const base = user({
      enforcement: 'log',
      risk: { floor: false },
      hooks: { roundtable: { enabled: false, mode: 'log' } },
    })
    const { config, problems } = project(base, {
      enforcement: 'enforce',
      risk: { floor: true },
      breaker: { cooldownMs: 1_000 },
      hooks: { errorBehavior: 'abort', timeout: 1_000, roundtable: { enabled: true, mode: 'warn', onError: 'abort' } },
    })
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      enforcement: 'enforce',
      errorBehavior: 'abort',
      timeoutMs: 1_000,
      risk: { floor: true },
      breaker: { failureThreshold: 3, cooldownMs: 1_000 },
      hooks: { roundtable: { enabled: true, mode: 'advise' } },
    })
  })

  it('C2 Q1 may hold messages of people, and may not stop holding them', () => {
    const hold = { hooks: { 'risk-detection': { messages: 'hold' } } }
    const rate = { hooks: { 'risk-detection': { messages: 'rate' } } }
    expect(project(user({}), hold)).toMatchObject({ problems: [], config: hold })
    expect(project(user(hold), rate)).toMatchObject({
      problems: [{ kind: 'looser', key: 'hooks.risk-detection.messages' }],
      config: hold,
    })
    expect(project(user(rate), rate).problems).toEqual([])
  })

  it('G6 Q1 a lost file still holds messages of people', () => {
    const before = readStrictness(user({ hooks: { 'risk-detection': { messages: 'hold' } } }))
    expect(hookSettings(raiseTo(user({}), before), 'risk-detection').messages).toBe('hold')
    expect(raiseTo(user({}), readStrictness(user({})))).toEqual(user({}))
  })

  it.each([
    ['enforcement', 'lower the mode', { enforcement: 'log' }],
    ['risk.floor', 'turn off the floor', { risk: { floor: false } }],
    ['hooks.timeout', 'raise the time limit', { hooks: { timeout: 60_000 } }],
    ['hooks.timeout', 'make hooks time out into a pass', { hooks: { timeout: 1 } }],
    ['hooks.errorBehavior', 'lower what failures mean', { hooks: { errorBehavior: 'skip' } }],
    ['hooks.maxHooksPerPoint', 'raise the number of hooks', { hooks: { maxHooksPerPoint: 500 } }],
    ['hooks.maxHooksPerPoint', 'push hooks out', { hooks: { maxHooksPerPoint: 1 } }],
    ['hooks.risk-detection.enabled', 'disable a hook', { hooks: { 'risk-detection': { enabled: false } } }],
    ['hooks.risk-detection.mode', 'lower the mode of a hook', { hooks: { 'risk-detection': { mode: 'log' } } }],
    ['hooks.risk-detection.onError', 'soften a guard', { hooks: { 'risk-detection': { onError: 'log' } } }],
    ['hooks.risk-detection.timeout', 'raise the limit of a hook', { hooks: { 'risk-detection': { timeout: 6_000 } } }],
    [
      'hooks.risk-detection.options',
      'change what a hook does',
      { hooks: { 'risk-detection': { options: { rules: [] } } } },
    ],
    ['breaker.failureThreshold', 'trip the breaker sooner', { breaker: { failureThreshold: 1 } }],
    ['breaker.failureThreshold', 'trip the breaker later', { breaker: { failureThreshold: 99 } }],
    ['breaker.cooldownMs', 'keep the breaker open', { breaker: { cooldownMs: 86_400_000 } }],
    ['tool', 'choose the agent', { tool: 'other' }],
    ['headless', 'have a program started', { headless: './ask.sh' }],
  ])('C2 %s: an attempt to %s is ignored and reported, the rest applies', (key, _what, settings) => {
    const base = user({ enforcement: 'enforce', tool: 'claude' })
    const { config, problems } = project(base, { ...settings, commands: [COMMAND] })
    expect(problems.map((found) => [found.kind, found.key])).toEqual([['looser', key]])
    expect(problems[0]?.column).toBeGreaterThan(1)
    expect(config.commands).toHaveLength(1)
    expect(looserParts(config, base)).toEqual([])
  })

  it('C2 reports an attempt with its place in the file', () => {
    const { problems } = project(
      user({ enforcement: 'enforce' }),
      '{\n  "risk": { "floor": true },\n  "enforcement": "off"\n}',
    )
    expect(problems).toMatchObject([{ line: 3, column: 18, file: 'project.json' }])
    expect(problems[0]?.message).toBe(
      'enforcement is ignored: a project can only tighten, and "off" is looser than "enforce".',
    )
  })

  it('C2 is never looser than the layer of the user, for any pair of layers', () => {
    fc.assert(
      fc.property(anySettings(), anySettings(), anySettings(), (mine, theirs, more) => {
        const base = user(mine)
        const once = project(base, theirs)
        const twice = project(once.config, more)
        expect(looserParts(once.config, base)).toEqual([])
        expect(looserParts(twice.config, base)).toEqual([])
        expect(looserParts(twice.config, once.config)).toEqual([])
        expect(project(once.config, theirs).config).toEqual(once.config)
      }),
      { numRuns: 500 },
    )
  })
})

const STRICTNESS = { skip: 0, log: 1, abort: 2 }
const NAMES = [...Object.keys(BUILT_IN_HOOKS).slice(0, 5), 'lint', 'own', 'constructor']

// Written apart from the code under test: what "looser" means, part by part.
function looserParts(after: Config, before: Config): string[] {
  const looser: string[] = []
  const check = (part: string, isLooser: boolean) => isLooser && looser.push(part)
  check('mode', MODES[after.enforcement].rank < MODES[before.enforcement].rank)
  check('floor', before.risk.floor && !after.risk.floor)
  check('onError', STRICTNESS[after.errorBehavior] < STRICTNESS[before.errorBehavior])
  check('timeout', after.timeoutMs > before.timeoutMs)
  check('shorter', after.timeoutMs < before.timeoutMs && after.errorBehavior !== 'abort')
  check('limit', after.maxHooksPerPoint !== before.maxHooksPerPoint)
  check('threshold', after.breaker.failureThreshold !== before.breaker.failureThreshold)
  check('cooldown', after.breaker.cooldownMs > before.breaker.cooldownMs)
  check('tool', after.tool !== before.tool)
  for (const name of NAMES) {
    const [now, then] = [hookSettings(after, name), hookSettings(before, name)]
    const limits = [now.timeoutMs ?? after.timeoutMs, then.timeoutMs ?? before.timeoutMs] as const
    check(`${name} off`, now.enabled === false && then.enabled !== false)
    check(`${name} mode`, MODES[now.mode ?? 'enforce'].rank < MODES[then.mode ?? 'enforce'].rank)
    check(`${name} onError`, STRICTNESS[effectiveOnError(after, name)] < STRICTNESS[effectiveOnError(before, name)])
    check(`${name} timeout`, limits[0] > limits[1])
    check(`${name} shorter`, limits[0] < limits[1] && effectiveOnError(after, name) !== 'abort')
    check(`${name} options`, JSON.stringify(now.options) !== JSON.stringify(then.options))
  }
  const kept = after.commands.map((command) => `${command.name} ${serializeContent(command)}`)
  for (const command of before.commands)
    check('command', !kept.includes(`${command.name} ${serializeContent(command)}`))
  return looser
}

function anySettings(): fc.Arbitrary<object> {
  const mode = fc.constantFrom('off', 'log', 'advise', 'warn', 'enforce')
  const onError = fc.constantFrom('skip', 'log', 'abort')
  const limit = fc.constantFrom(1, 100, 5_000, 10_000, 60_000)
  const maybe = { requiredKeys: [] as [] }
  const hook = fc.record(
    { enabled: fc.boolean(), timeout: limit, mode, onError, options: fc.constantFrom({}, { a: 1 }) },
    maybe,
  )
  const command = fc.record(
    {
      event: fc.constantFrom('pre_tool_use', 'session_start'),
      command: fc.constantFrom('a', 'b'),
      blocking: fc.boolean(),
    },
    { requiredKeys: ['event', 'command'] },
  )
  const defaults = fc.record(
    { errorBehavior: onError, timeout: limit, maxHooksPerPoint: fc.constantFrom(1, 50, 99) },
    maybe,
  )
  return fc.record(
    {
      enforcement: mode,
      tool: fc.constantFrom('claude', 'codex'),
      headless: fc.constantFrom<string | string[]>('./ask.sh', ['claude', '-p']),
      hooks: fc
        .tuple(defaults, fc.dictionary(fc.constantFrom(...NAMES), hook))
        .map(([scalars, named]) => ({ ...scalars, ...named })),
      commands: fc.array(command, { maxLength: 3 }),
      breaker: fc.record({ failureThreshold: fc.constantFrom(1, 3, 9), cooldownMs: limit }, maybe),
      risk: fc.record({ floor: fc.boolean() }, maybe),
    },
    maybe,
  )
}
