import { describe, expect, it } from 'vitest'
import { createHookBus } from '../../compat/hook-bus.ts'
import { Failure } from '../../engine/degradation.ts'
import { createEngine } from '../../platform/hook-engine.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { createSupervisionGate, type GateOptions, readReview } from './gate.ts'

const RULES = [
  { pattern: /rm -rf/g, action: 'BLOCK' },
  { pattern: 'npm publish --dry-run', action: 'allow' },
  { pattern: '/NPM\\s+publish/i', action: 'BLOCK', reason: 'people publish' },
] as const

function engineWith(options: GateOptions, onError: 'log' | 'abort' = 'log') {
  const engine = createEngine({ mode: 'enforce', onError, onFault: () => undefined })
  engine.register(createSupervisionGate(options))
  return engine
}

const call = (engine: ReturnType<typeof engineWith>, command: unknown) =>
  engine.dispatch('pre:tool', { tool: 'shell', args: { command } })
const TURN = { session: 's', turn: 't' }
const SUBSTANTIVE = { output: 'I modified the file.' }

describe('rules of a gate', () => {
  it.each([
    ['rm -rf build', true],
    ['rm -rf build', true],
    ['ls', false],
    ['npm publish --dry-run', false],
    ['npm  publish', true],
    [['rm', '-rf', 'build'], true],
  ])('B92 %j is blocked: %s', async (command, blocked) => {
    const engine = engineWith({ rules: RULES })
    expect((await call(engine, command)).blocked).toBe(blocked)
    // A global expression must not remember where it was.
    expect((await call(engine, command)).blocked).toBe(blocked)
  })

  it('B92 a block names its rule or its own reason', async () => {
    const engine = engineWith({ rules: RULES })
    expect(await call(engine, 'rm -rf x')).toMatchObject({
      hook: 'supervision-gate',
      metadata: { gateDecision: 'BLOCK' },
    })
    expect((await call(engine, 'npm publish')).reason).toBe('people publish')
  })

  it('B92 works on a bus as well', async () => {
    const bus = createHookBus({ mode: 'enforce' })
    bus.register(createSupervisionGate({ rules: RULES }))
    expect((await bus.dispatch('pre:tool', { tool: 'shell', args: { command: 'rm -rf x' } })).blocked).toBe(true)
    expect((await bus.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })).blocked).toBe(false)
  })

  it.each([
    [{ rules: 7 }, 'rules of createSupervisionGate'],
    [{ rules: [{ pattern: '/(/', action: 'BLOCK' }] }, 'cannot be read'],
    [{ rules: [{ pattern: 'x', action: 'DENY' }] }, 'action of createSupervisionGate'],
    [{ rule: [] }, 'does not know the option "rule"'],
  ])('refuses %j', (options, message) => {
    expect(() => createSupervisionGate(options as never)).toThrow(message)
  })
})

describe('a reviewer', () => {
  it.each([
    ['ALLOW', 'pass'],
    ['allow\nBLOCK: later lines do not count', 'pass'],
    ['ALLOW: fine', 'pass'],
    ['BLOCK: no tests', 'block'],
    ['\n block - no tests', 'block'],
    [{ decision: 'block', reason: 'no' }, 'block'],
    [{ control: 'veto' }, 'block'],
  ])('B92 answers %j: %s', (answer, decision) => {
    expect(readReview(answer)).toMatchObject({ decision })
  })

  it.each([['ALLOWED'], ['BLOCKING'], [''], [undefined], [{}], [{ reason: 'x' }], ['I think ALLOW']])(
    'B92 who answers %j has failed, and never consented',
    (answer) => expect(readReview(answer)).toBeInstanceOf(Failure),
  )

  it('B92 is asked about substantive output only, and once about the same', async () => {
    const asked: string[] = []
    const reviewer = async () => {
      asked.push('x')
      return 'BLOCK: no tests'
    }
    const engine = engineWith({ reviewer })
    expect((await engine.dispatch('pre:turn:end', { output: 'Hello.' }, TURN)).blocked).toBe(false)
    expect(asked).toHaveLength(0)
    await engine.dispatch('post:message', SUBSTANTIVE, TURN)
    expect(await engine.dispatch('pre:turn:end', SUBSTANTIVE, TURN)).toMatchObject({
      blocked: true,
      control: 'continue',
      reason: 'the reviewer objects: no tests',
    })
    expect(asked).toHaveLength(1)
    await engine.dispatch('post:message', { output: 'x', toolCalls: [{ tool: 'write', args: {} }] }, TURN)
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['objects', () => 'BLOCK: no tests'],
    [
      'fails',
      () => {
        throw new Error('down')
      },
    ],
    ['fails later', async () => 'nonsense'],
  ])(
    'B92 who %s holds a turn three times over any number of processes, then it is released',
    async (what, reviewer) => {
      const state = new MemoryStateStore()
      const seen = []
      for (let at = 0; at < 5; at++) {
        const engine = engineWith({ reviewer, state }, 'abort')
        const outcome = await engine.dispatch('pre:turn:end', { output: `modified ${at}` }, TURN)
        seen.push([outcome.blocked, outcome.metadata.capped ?? false])
      }
      expect([what, ...seen]).toEqual([what, ...Array(3).fill([true, false]), ...Array(2).fill([false, true])])
      const next = engineWith({ reviewer, state }, 'abort')
      expect((await next.dispatch('pre:turn:end', SUBSTANTIVE, { ...TURN, turn: 'next' })).blocked).toBe(true)
    },
  )

  it('B92 believes the count of a host that does not name its turns, and a message begins a new one', async () => {
    const engine = engineWith({ rules: [{ pattern: 'bad', action: 'BLOCK' }] })
    const end = (continues: number) => engine.dispatch('pre:turn:end', { output: 'bad', continues }, { session: 's' })
    expect(await end(3)).toMatchObject({ blocked: false, metadata: { capped: true } })
    for (let at = 0; at < 3; at++) expect((await end(0)).blocked).toBe(true)
    expect((await end(0)).blocked).toBe(false)
    await engine.dispatch('pre:message', { prompt: 'go on' }, { session: 's' })
    expect((await end(0)).blocked).toBe(true)
  })
})
