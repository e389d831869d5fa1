import { describe, expect, it } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import type { Mode } from '../../engine/mode.ts'
import { createEngine } from '../../platform/hook-engine.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { attemptTracker } from './attempt-tracker.ts'
import { auditScore } from './audit-score.ts'
import type { BuiltIn } from './built-in.ts'
import { riskDetection } from './risk-detection.ts'
import type { SupervisionServices } from './services.ts'
import { storeTurnRisk } from './turn-risk.ts'

function engineWith<O>(builtIn: BuiltIn<O>, options: object, state = new MemoryStateStore(), mode: Mode = 'enforce') {
  const engine = createEngine({ mode })
  const { name, priority, points, critical } = builtIn
  const parts = builtIn.create(builtIn.options.parse(options), { state } as unknown as SupervisionServices)
  engine.register({ name, priority, points, critical, ...parts } as never)
  return engine
}

const TURN = { session: 's', turn: 't' }

describe('the attempt tracker', () => {
  const end = (engine: ReturnType<typeof engineWith>, context: object = TURN) =>
    engine.dispatch('pre:turn:end', { output: 'x' }, context)

  it('B20 counts per session and turn, over processes, and says when no other attempt follows', async () => {
    const state = new MemoryStateStore()
    const seen = []
    for (let at = 0; at < 4; at++) {
      const { decision, metadata } = await end(engineWith(attemptTracker, {}, state))
      seen.push([decision, metadata.attemptCount, metadata.shouldRetry])
    }
    expect(seen).toEqual([
      ['pass', 1, true],
      ['pass', 2, true],
      ['pass', 3, false],
      ['flag', 4, false],
    ])
    const other = await end(engineWith(attemptTracker, {}, state), { session: 's', turn: 'u' })
    expect(other.metadata).toMatchObject({ attemptCount: 1, sessionAttempts: 5, shouldRetry: true })
  })

  it('B20 blocks the message for one attempt too many, and no other turn', async () => {
    const engine = engineWith(attemptTracker, { maxAttempts: 2 })
    const ask = (context: object) => engine.dispatch('pre:message', { prompt: 'again' }, context)
    await end(engine)
    expect((await ask(TURN)).blocked).toBe(false)
    await end(engine)
    expect(await ask(TURN)).toMatchObject({ blocked: true, reason: 'this turn had 2 attempts; the limit is 2' })
    expect((await ask({ session: 's', turn: 'u' })).blocked).toBe(false)
  })

  it('Q1 B20 never blocks the message of a person, whatever the host calls a turn', async () => {
    const engine = engineWith(attemptTracker, { maxAttempts: 1 })
    const ask = (context: object) => engine.dispatch('pre:message', { prompt: 'again' }, { ...TURN, ...context })
    for (let at = 0; at < 3; at++) await end(engine)
    expect((await ask({ host: 'cline' })).blocked).toBe(false)
    expect((await ask({ host: 'cline', source: 'agent' })).blocked).toBe(true)
  })

  it('B20 counts one attempt once if a host sends both the answer and the end', async () => {
    const engine = engineWith(attemptTracker, {})
    await engine.dispatch('post:message', { output: 'x' }, TURN)
    expect((await end(engine)).metadata).toMatchObject({ attemptCount: 1 })
  })

  it('B20 never blocks the end of a turn, which would continue it', async () => {
    const engine = engineWith(attemptTracker, { maxAttempts: 1 })
    for (let at = 0; at < 5; at++) expect((await end(engine)).blocked).toBe(false)
  })

  it('B20 limits nothing where turns or sessions are not known', async () => {
    const engine = engineWith(attemptTracker, { maxAttempts: 1 })
    for (const context of [{}, { session: 's' }]) {
      for (let at = 0; at < 3; at++) await end(engine, context)
      expect((await engine.dispatch('pre:message', { prompt: 'x' }, context)).blocked).toBe(false)
    }
  })

  it('B20 keeps sessions and turns apart whatever their names are', async () => {
    const engine = engineWith(attemptTracker, {})
    await end(engine, { session: 'a:b', turn: 'c' })
    expect((await end(engine, { session: 'a', turn: 'b:c' })).metadata.attemptCount).toBe(1)
    expect((await end(engine, { session: 'a","b', turn: '\ud800' })).metadata.attemptCount).toBe(1)
  })
})

describe('the audit score', () => {
  const score = async (output: string, state = new MemoryStateStore()) => {
    const outcome = await engineWith(auditScore, {}, state, 'advise').dispatch('pre:turn:end', { output }, TURN)
    const audit = outcome.metadata.audit as Record<string, unknown>
    return { decision: outcome.decision, reason: outcome.reason, ...audit } as Record<string, unknown>
  }

  it.each([
    ['', 'uncertain', 0, 'escalate', 'flag'],
    ['   ', 'uncertain', 0, 'escalate', 'flag'],
    ['I looked around.', 'uncertain', 0.5, 'continue', 'pass'],
    ['Done.', 'complete', 0.7, 'complete', 'pass'],
    ['Done, but one thing is open.', 'partial', 0.6, 'continue', 'pass'],
    ['It failed.', 'failed', 0.4, 'retry', 'pass'],
    ['It failed with an error.', 'failed', 0.3, 'retry', 'flag'],
    ['It failed with an error: unable to go on.', 'failed', 0.2, 'escalate', 'flag'],
    ['failed error exception unable cannot but however', 'failed', 0, 'escalate', 'flag'],
    ['All tests pass', 'complete', 0.7, 'complete', 'pass'],
    // Words, not parts of words.
    ['The undone butter is errorless.', 'uncertain', 0.5, 'continue', 'pass'],
  ])('B90 %j is %s with %d: %s, %s', async (output, status, confidence, recommendation, decision) => {
    expect(await score(output)).toMatchObject({ status, confidence, recommendation, decision })
  })

  it('B90 names its checks, and overreach among them', async () => {
    expect(await score('Done. I went ahead and renamed it.')).toMatchObject({
      checksPassed: ['has-content', 'completion-signals', 'no-failure-signals', 'no-contradictions'],
      checksFailed: ['no-overreach'],
      overreachDetected: true,
    })
  })

  it('B90 asks more of a turn that did something grave', async () => {
    const state = new MemoryStateStore()
    const step = { ...TURN, point: 'pre:tool' } as never
    storeTurnRisk(state, step, { tier: 4, effect: 'destructive', checklist: 'strict' })
    storeTurnRisk(state, step, { tier: 2, effect: 'file-modification', checklist: 'standard' })
    const missing = await score('Done.', state)
    expect(missing).toMatchObject({ decision: 'flag', missingSteps: ['verification-signals'] })
    expect(missing.reason).toContain('how the result was checked')
    expect(await score('Done, and tested.', state)).toMatchObject({ decision: 'pass', missingSteps: [] })
    expect(await score('Done.')).toMatchObject({ decision: 'pass' })
  })

  it.each([
    ['a host that names its turns', { session: 's', turn: 't' as string | undefined }],
    ['a host without turn ids', { session: 's', turn: undefined }],
  ])(
    'B90 in enforce the agent continues with the reasons, three times per turn and over processes: %s',
    async (_what, context) => {
      const state = new MemoryStateStore()
      const hooks = [[riskDetection], [auditScore]] as const
      const end = (continues: number) =>
        pipelineOf(hooks, { state }).engine.dispatch(
          'pre:turn:end',
          { output: 'It failed: unable.', continues },
          context,
        )
      const first = await end(0)
      expect(first).toMatchObject({ blocked: true, control: 'continue', hook: 'audit-score' })
      expect(first.reason).toContain('does not show that the work is done')
      expect([(await end(1)).blocked, (await end(1)).blocked]).toEqual([true, true])
      const released = await end(1)
      expect(released).toMatchObject({ blocked: false, decision: 'flag', metadata: { capped: true } })
      expect(released.reason).toMatch(/^released after 3 blocks in this turn; .*does not show/)
      const next = { ...context, ...(context.turn !== undefined && { turn: 'next' }) }
      await pipelineOf(hooks, { state }).engine.dispatch('pre:message', { prompt: 'and now?' }, next)
      expect(await pipelineOf(hooks, { state }).engine.dispatch('pre:turn:end', { output: '' }, next)).toMatchObject({
        blocked: true,
      })
    },
  )

  it.each([
    ['advise', {}],
    ['log', {}],
    ['enforce', { maxAttempts: 0 }],
  ] as const)('B90 nothing is retried in %s with %j', async (mode, options) => {
    const { engine } = pipelineOf([[auditScore, options]], { mode })
    const outcome = await engine.dispatch('pre:turn:end', { output: 'It failed: unable.', continues: 0 }, TURN)
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
  })

  it('B90 scores nothing where the host does not pass the answer on', async () => {
    const outcome = await engineWith(auditScore, {}).dispatch('pre:turn:end', {}, TURN)
    expect([outcome.decision, outcome.metadata.audit]).toEqual(['pass', undefined])
  })

  it('B90 reads a huge answer in no time to speak of', async () => {
    expect(await score('but '.repeat(5_000_000))).toMatchObject({ confidence: 0.4 })
  })
})
