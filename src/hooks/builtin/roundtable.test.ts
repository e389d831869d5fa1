import { describe, expect, it } from 'vitest'
import { makeSharedState, pipelineOf } from '../../../test/built-in-fixture.ts'
import { readRoundtable, roundtableKey } from '../../roundtable/machine.ts'
import type { StateStore } from '../../storage/ports.ts'
import { interagentRouting } from './interagent-routing.ts'
import { roundtable } from './roundtable.ts'
import { sourceClassify } from './source-classify.ts'

const hooks = [[sourceClassify], [interagentRouting], [roundtable]] as const
const START = { prompt: 'roundtable: tabs? agents: claude, codex rounds: 1', sender: 'user' }
const by = (sender: string, prompt = `${sender} says`) => ({ prompt, sender })

function tableIn(state: StateStore) {
  return readRoundtable(state.get(roundtableKey('s1'))?.value)
}

describe('a roundtable in the pipeline', () => {
  it('B50 R5 gives the five facts from the start, and moves them on', async () => {
    const { send } = pipelineOf(hooks)
    const first = await send('pre:message', START)
    expect(first.metadata).toMatchObject({
      roundtable: true,
      currentAgent: 'claude',
      currentRound: 1,
      mode: 'advocate',
    })
    expect(first.metadata.roundtableId).toMatch(/^rt-/)
    const second = await send('pre:message', by('claude'))
    expect(second.metadata).toMatchObject({ roundtable: true, currentAgent: 'codex', currentRound: 1, mode: 'critic' })
    expect(second.metadata.roundtableId).toBe(first.metadata.roundtableId)
  })

  it('R5 gives the facts to bystanders as well', async () => {
    const { send } = pipelineOf(hooks)
    await send('pre:message', START)
    expect((await send('pre:message', { prompt: 'hm', sender: 'user' })).metadata.currentAgent).toBe('claude')
  })

  it('R3 runs to its end in enforce, the synthesis passing the routing', async () => {
    const { send, state, events } = pipelineOf(hooks)
    await send('pre:message', START)
    for (const agent of ['claude', 'codex', 'gemini']) {
      expect((await send('pre:message', by(agent))).blocked).toBe(false)
    }
    expect(tableIn(state)).toMatchObject({ status: 'complete', synthesis: { agent: 'gemini' } })
    expect((await send('pre:message', by('claude', 'more'))).hook).toBe('interagent-routing')
    expect(events.map(({ action }) => action)).toContain('roundtable:complete')
  })

  it('R3 counts the answers of prompted agents as turns, and what is sent on only once', async () => {
    const { send, state } = pipelineOf(hooks)
    await send('pre:message', START)
    await send('post:message', { output: 'yes' }, { agent: 'claude' })
    expect((await send('pre:message', by('claude', 'yes'))).blocked).toBe(false)
    expect(tableIn(state)?.turns.map(({ agent }) => agent)).toEqual(['claude'])
  })

  it('R4 blocks who is out of turn in enforce, leaving no aside', async () => {
    const { send, state } = pipelineOf(hooks)
    await send('pre:message', START)
    const outcome = await send('pre:message', by('codex'))
    expect(outcome).toMatchObject({ blocked: true, hook: 'roundtable' })
    expect(outcome.metadata).toMatchObject({ outOfTurn: true, expectedAgent: 'claude', actualAgent: 'codex' })
    expect(tableIn(state)).toMatchObject({ turns: [], asides: [] })
  })

  it.each(['log', 'advise'] as const)('R4 records who is out of turn apart in %s', async (mode) => {
    const { send, state } = pipelineOf(hooks, { mode })
    await send('pre:message', START)
    const outcome = await send('pre:message', by('codex'))
    expect(outcome).toMatchObject({ blocked: false, decision: 'flag' })
    expect(tableIn(state)).toMatchObject({ turns: [], asides: [{ agent: 'codex' }] })
    expect(outcome.metadata.currentAgent).toBe('claude')
  })

  it('R1 takes the current adapter and two rounds by default', async () => {
    const { send, state } = pipelineOf(hooks)
    await send('pre:message', { prompt: "let's discuss tabs" }, { host: 'gemini' })
    expect(tableIn(state)).toMatchObject({ agents: ['gemini'], rounds: 2, topic: 'tabs' })
  })

  it('R1 opens no second roundtable while one is active', async () => {
    const { send, state } = pipelineOf(hooks)
    await send('pre:message', START)
    const id = tableIn(state)?.id
    const outcome = await send('pre:message', { prompt: '@roundtable spaces?', sender: 'user' })
    expect(outcome).toMatchObject({ decision: 'flag', metadata: { triggerIgnored: true } })
    expect(tableIn(state)?.id).toBe(id)
  })

  it('B50 lives in the database: each message may come to another process', async () => {
    const [one, two, three] = makeSharedState(3)
    if (one === undefined || two === undefined || three === undefined) throw new Error('no state')
    await pipelineOf(hooks, { state: one }).send('pre:message', START)
    await pipelineOf(hooks, { state: two }).send('pre:message', by('claude'))
    expect((await pipelineOf(hooks, { state: three }).send('pre:message', by('claude', 'again'))).blocked).toBe(true)
    expect(tableIn(one)?.turns).toHaveLength(1)
  })

  it('B50 begins anew over a state that cannot be read', async () => {
    const { send, state } = pipelineOf(hooks)
    state.set(roundtableKey('s1'), { status: 'active', agents: 7 }, 0)
    expect((await send('pre:message', START)).metadata.roundtable).toBe(true)
  })
})
