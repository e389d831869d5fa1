import { describe, expect, it } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import { openRoundtable, type Roundtable, roundtableKey, speak } from '../../roundtable/machine.ts'
import { interagentRouting } from './interagent-routing.ts'
import { sourceClassify } from './source-classify.ts'

const hooks = [[sourceClassify], [interagentRouting]] as const
const AGENT = { prompt: 'go on', sender: 'codex' }

function tableAt(at: number): Roundtable {
  return openRoundtable({ id: 'rt-1', topic: 'x', agents: ['codex'], rounds: 1, at, idleMs: 60_000 })
}

describe('what agents say to each other', () => {
  it('B2 is blocked in enforce without a mention', async () => {
    const outcome = await pipelineOf(hooks).send('pre:message', AGENT)
    expect(outcome).toMatchObject({ blocked: true, hook: 'interagent-routing', metadata: { should_suppress: true } })
  })

  it.each(['log', 'advise'] as const)('B2 is flagged in %s', async (mode) => {
    const outcome = await pipelineOf(hooks, { mode }).send('pre:message', AGENT)
    expect(outcome).toMatchObject({ blocked: false, decision: 'flag', metadata: { should_suppress: true } })
  })

  it.each(['@ann look', 'look, @claude!', '(@ルイ)', '@a'])('B2 passes with the mention in %j', async (prompt) => {
    const { metadata, decision } = await pipelineOf(hooks).send('pre:message', { ...AGENT, prompt })
    expect({ decision, metadata }).toMatchObject({
      decision: 'pass',
      metadata: { should_suppress: false, hasMention: true },
    })
  })

  it.each(['mail me@example.org', 'add @types/node', 'use `@ann`', '```\n@Get()\n```', 'a @ b', '```@x'])(
    'B2 sees no mention in %j',
    async (prompt) => {
      expect((await pipelineOf(hooks).send('pre:message', { ...AGENT, prompt })).blocked).toBe(true)
    },
  )

  it('B2 leaves people alone', async () => {
    expect((await pipelineOf(hooks).send('pre:message', { prompt: 'go on' }, { source: 'human' })).decision).toBe(
      'pass',
    )
  })

  it('B2 heeds the declared source where nothing classifies', async () => {
    const { send } = pipelineOf([[interagentRouting]])
    expect((await send('pre:message', { prompt: 'x' }, { source: 'agent' })).blocked).toBe(true)
  })

  it('R6 lets turns and the synthesis through, and nothing once the table is over or deserted', async () => {
    const { send, state, clock } = pipelineOf(hooks)
    const at = clock.wall()
    const words = { agent: 'codex', content: 'x', via: 'message' as const, at, idleMs: 60_000 }
    const active = tableAt(at)
    const synthesizing = speak(active, words).table
    const complete = speak(synthesizing, { ...words, agent: 'b', content: 'all' }).table
    const blocked: boolean[] = []
    for (const table of [active, synthesizing, complete]) {
      state.set(roundtableKey('s1'), table, state.get(roundtableKey('s1'))?.version ?? 0)
      blocked.push((await send('pre:message', AGENT)).blocked)
    }
    state.set(roundtableKey('s1'), active, 3)
    clock.advance(60_000)
    blocked.push((await send('pre:message', AGENT)).blocked)
    expect([active, synthesizing, complete].map(({ status }) => status)).toEqual(['active', 'synthesizing', 'complete'])
    expect(blocked).toEqual([false, false, true, true])
  })

  it('R6 does not let another session through', async () => {
    const { send, state, clock } = pipelineOf(hooks)
    state.set(roundtableKey('s2'), tableAt(clock.wall()), 0)
    expect((await send('pre:message', AGENT)).blocked).toBe(true)
  })
})
