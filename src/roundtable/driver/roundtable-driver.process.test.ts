// A table driven in this process, with a real home: what the pipeline, the state and the trace make of it.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import { openRoundtable, roundtableKey, speak } from '../machine.ts'
import type { DriverOptions, Reply, Speaker, TableEvent } from './driver-options.ts'
import { RoundtableDriver } from './roundtable-driver.ts'
import { findRoundtable, listRoundtables } from './roundtable-store.ts'

let at: SupervisedHome
let supervisor: Supervisor
let events: TableEvent[]

beforeEach(() => {
  at = makeHome()
  events = []
})
afterEach(async () => {
  await supervisor.close()
  at.remove()
})

const SUM = JSON.stringify({ consensus: 0.6, summary: 'so it is', keyPoints: ['p'] })
const says = (text: string): Reply => ({ kind: 'said', text })

/** An agent that answers from a list, turn by turn, and sums up when asked to. */
function agent(name: string, ...answers: (Reply | string | (() => Promise<Reply>))[]): Speaker & { prompts: string[] } {
  const prompts: string[] = []
  let next = 0
  return {
    name,
    prompts,
    async ask(prompt) {
      prompts.push(prompt)
      if (prompt.includes('"keyPoints"')) return says(SUM)
      const answer = answers[Math.min(next++, answers.length - 1)] ?? `${name} speaks`
      if (typeof answer === 'function') return answer()
      return typeof answer === 'string' ? says(answer) : answer
    },
  }
}

async function drive(profile: object, speakers: readonly Speaker[], options: Partial<DriverOptions> = {}) {
  at.write(PROFILE, profile)
  supervisor = await createSupervisor({ home: at.home, report: () => undefined, notify: () => undefined })
  return new RoundtableDriver({
    supervisor,
    speakers,
    ...{ turnMs: 60_000, holdMs: 0, workspace: at.project, signal: new AbortController().signal },
    onEvent: (event) => events.push(event),
    ...options,
  })
}

const views = () => listRoundtables(supervisor.state)
const only = () => findRoundtable(views(), 'last')
const actions = () => [...supervisor.trace.query({ component: 'roundtable' })].map(({ action }) => action)

describe.each(['off', 'log', 'advise', 'enforce'])('R7 a driven table in %s', (enforcement) => {
  it('R7 goes through its rounds and ends with what it came to', async () => {
    const speakers = [agent('ann'), agent('bob'), agent('cy')]
    const driver = await drive({ enforcement }, speakers)
    expect(await driver.open({ topic: 'Tabs or spaces?', rounds: 2 })).toMatchObject({ kind: 'over' })
    expect(only()).toMatchObject({
      ...{ topic: 'Tabs or spaces?', status: 'complete', asideCount: 0, isDriven: true, profile: 'default' },
      turns: ['ann', 'bob', 'cy', 'ann', 'bob', 'cy'].map((name, place) => ({
        ...{ agent: name, round: Math.floor(place / 3) + 1, outcome: 'spoken', content: `${name} speaks` },
        role: ['advocate', 'critic', 'neutral'][place % 3],
      })),
      synthesis: { agent: 'cy', consensus: 0.6, summary: 'so it is', keyPoints: ['p'], isFallback: false },
    })
    expect(speakers[1]?.prompts[0]).toContain('ann speaks')
    const types = events.map(({ type }) => type)
    expect(types).toEqual(['open', ...Array(6).fill(['ask', 'turn']).flat(), 'sum-up', 'synthesis', 'end'])
  })
})

describe('the pipeline of a driven table', () => {
  it('R7 has the topic, every prompt and every answer in the trace, and the turns in its log', async () => {
    const driver = await drive({ enforcement: 'enforce' }, [agent('ann'), agent('bob')])
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    const steps = [...supervisor.trace.query({ component: 'hooks' })].filter(({ hook }) => hook === 'risk-detection')
    expect(steps.map(({ point }) => point)).toEqual([
      ...['pre:message', 'pre:agent:spawn', 'pre:message', 'pre:agent:spawn', 'pre:message'],
      ...['pre:agent:spawn', 'pre:message'],
    ])
    expect(actions()).toEqual([
      'roundtable:begin',
      ...['roundtable:turn-start', 'roundtable:turn-end', 'roundtable:turn-start', 'roundtable:turn-end'],
      ...['roundtable:synthesis-start', 'roundtable:synthesis-end', 'roundtable:end'],
    ])
    const rows = [...supervisor.trace.query({ component: 'roundtable' })]
    expect(new Set(rows.map(({ session }) => session))).toEqual(new Set([only()?.id]))
  })

  it('R7 does not begin on a topic that is blocked, and keeps nothing of it', async () => {
    const speakers = [agent('ann'), agent('bob')]
    const hooks = { 'risk-detection': { messages: 'hold' } }
    const driver = await drive({ enforcement: 'enforce', hooks }, speakers)
    const end = await driver.open({ topic: 'Please wipe the disk now', rounds: 1 })
    expect(end).toMatchObject({ kind: 'refused', outcome: { decision: 'block', hook: 'risk-detection' } })
    expect(views()).toEqual([])
    expect(speakers[0]?.prompts).toEqual([])
  })

  it('Q1 R7 a topic is what a person types: it is discussed, and what agents say is checked', async () => {
    const driver = await drive({ enforcement: 'enforce' }, [agent('ann'), agent('bob')])
    await driver.open({ topic: 'Please wipe the disk now', rounds: 1 })
    expect(only()?.turns).toMatchObject([{ outcome: 'spoken' }, { outcome: 'spoken' }])
  })

  it('R7 gives up a turn whose words are blocked, by hook and reason, and the others never read them', async () => {
    const bob = agent('bob')
    const driver = await drive({ enforcement: 'enforce' }, [agent('ann', 'Just wipe the disk of production.'), bob])
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    const [first, second] = only()?.turns ?? []
    expect(first).toMatchObject({ agent: 'ann', outcome: 'blocked', content: '' })
    expect(first?.reason).toMatch(/what it said was blocked by risk-detection: /)
    expect(supervisor.trace.get(first?.traceId ?? '')).toMatchObject({ found: 'step' })
    expect(second).toMatchObject({ outcome: 'spoken' })
    expect(bob.prompts.join()).not.toContain('wipe')
  })

  it('R7 in log blocks nothing and records what would have been', async () => {
    const driver = await drive({ enforcement: 'log' }, [agent('ann', 'Just wipe the disk.'), agent('bob')])
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    expect(only()?.turns[0]).toMatchObject({ outcome: 'spoken', content: 'Just wipe the disk.' })
    const rows = [...supervisor.trace.query({ component: 'hooks', decision: 'block' })]
    // The answer, once: the prompts that repeat it are only rated.
    expect(rows).toMatchObject([{ point: 'pre:message', applied: false }])
  })

  it('R7 takes over what hooks change, in prompts and in answers', async () => {
    const rules = { 'subagent-inject': { options: { rules: ['Never swear.'] } } }
    const edit = `echo '{"modify":{"prompt":"[redacted]"}}'`
    const commands = [{ name: 'redact', event: 'pre:message', command: `grep -q '"sender":"ann"' && ${edit} || true` }]
    const ann = agent('ann', 'my key is 123')
    const driver = await drive({ enforcement: 'enforce', hooks: rules, commands }, [ann, agent('bob')])
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    expect(ann.prompts[0]).toContain('Never swear.')
    expect(only()?.turns[0]).toMatchObject({ outcome: 'spoken', content: '[redacted]' })
    expect(only()?.asideCount).toBe(0)
  })

  it('R7 waits for a person where one may be there, and otherwise gives the turn up as held', async () => {
    const ask = `echo '{"decision":"ask","reason":"look first"}'`
    const commands = [{ name: 'careful', event: 'pre:message', command: `grep -q '"sender":"ann"' && ${ask} || true` }]
    const profile = { enforcement: 'enforce', commands }
    const answer = (word: 'approve' | 'deny') => (event: TableEvent) => {
      events.push(event)
      if (event.type === 'held') supervisor.approvals.answer(event.approval, word)
    }
    const approving = { holdMs: 60_000, onEvent: answer('approve') }
    const driver = await drive(profile, [agent('ann', 'let me'), agent('bob')], approving)
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'held', agent: 'ann', reason: 'careful: look first' }),
    )
    expect(only()?.turns[0]).toMatchObject({ outcome: 'spoken', content: 'let me' })
    await supervisor.close()
    const denied = await drive(profile, [agent('ann', 'no way'), agent('bob')], {
      ...approving,
      onEvent: answer('deny'),
    })
    await denied.open({ topic: 'Tabs?', rounds: 1 })
    expect(only()?.turns[0]).toMatchObject({ outcome: 'held', content: '' })
    await supervisor.close()
    await (await drive(profile, [agent('ann', 'alone'), agent('bob')])).open({ topic: 'Tabs?', rounds: 1 })
    expect(only()?.turns[0]).toMatchObject({ outcome: 'held', reason: expect.stringContaining('careful: look first') })
  })
})

describe('agents that fail', () => {
  it('R7 lose their turn and not the table', async () => {
    const broken = agent('broken', async () => {
      throw new Error('boom')
    })
    const silent = agent('silent', ' \n\u001b[2J\u0007 ')
    const late = agent('late', { kind: 'timeout', why: 'no answer within 5m' })
    const driver = await drive({ enforcement: 'enforce' }, [broken, agent('ann'), silent, late])
    expect(await driver.open({ topic: 'Tabs?', rounds: 1 })).toMatchObject({ kind: 'over' })
    expect(only()).toMatchObject({
      turns: [
        { agent: 'broken', outcome: 'failed', reason: 'Error: boom' },
        { agent: 'ann', outcome: 'spoken' },
        { agent: 'silent', outcome: 'silent', reason: 'it said nothing' },
        { agent: 'late', outcome: 'timeout', reason: 'no answer within 5m' },
      ],
      synthesis: { agent: 'ann', consensus: 0.6 },
    })
  })

  it('R7 all of them leave a table without a synthesis that says so', async () => {
    const fails = (name: string) => agent(name, { kind: 'failed', why: 'no' })
    const driver = await drive({}, [fails('a'), fails('b')])
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    const { synthesis } = only() ?? {}
    expect(synthesis).toMatchObject({ agent: null, consensus: null, keyPoints: [], isFallback: true })
    expect(synthesis?.summary).toBe('There is no synthesis: no agent spoke.')
  })

  it('R7 lose what only a terminal would read, and what is too long', async () => {
    const long = agent('long', `\u001b[31mred\u001b[0m\r\nline\u0000\u202e\u0007 ${'x'.repeat(20_000)}`)
    await (await drive({}, [long, agent('b')])).open({ topic: 'Tabs?', rounds: 1 })
    const { content = '', reason } = only()?.turns[0] ?? {}
    expect(content.startsWith('red\nline\u202e xx')).toBe(true)
    expect(content.length).toBe(8_000)
    expect(reason).toMatch(/^clipped: 8000 of \d+ characters are kept$/)
  })
})

describe('a table that is broken off', () => {
  it('R7 keeps its turns, and continues from there', async () => {
    const controller = new AbortController()
    const stop = async (): Promise<Reply> => {
      controller.abort()
      return { kind: 'aborted' }
    }
    const first = await drive({}, [agent('ann', 'first'), agent('bob', stop)], { signal: controller.signal })
    const end = await first.open({ topic: 'Tabs?', rounds: 1 })
    expect(end).toMatchObject({ kind: 'interrupted' })
    expect(only()).toMatchObject({ status: 'interrupted', turns: [{ content: 'first' }] })
    expect(only()?.synthesis).toBeUndefined()
    const { id = '' } = only() ?? {}
    await supervisor.close()
    const bob = agent('bob', 'second')
    const again = await drive({}, [agent('ann', 'not asked'), bob])
    await again.resume(id)
    expect(only()).toMatchObject({ id, status: 'complete', turns: [{ content: 'first' }, { content: 'second' }] })
    expect(bob.prompts[0]).toContain('first')
    await expect(again.resume(id)).rejects.toThrow(/ARC_ROUNDTABLE_TAKEN/)
  })

  it('R7 is not taken over while it has a driver, nor once it is over', async () => {
    let rival: Promise<unknown> = Promise.resolve()
    const takeOver = async (): Promise<Reply> => {
      rival = other.resume(only()?.id ?? '').catch((error: unknown) => String(error))
      await rival
      return says('mine')
    }
    const driver = await drive({}, [agent('ann', takeOver), agent('bob')])
    const other = new RoundtableDriver({
      supervisor,
      speakers: [],
      ...{
        turnMs: 1,
        holdMs: 0,
        workspace: at.project,
        signal: new AbortController().signal,
        onEvent: () => undefined,
      },
    })
    await driver.open({ topic: 'Tabs?', rounds: 1 })
    expect(await rival).toContain('ARC_ROUNDTABLE_TAKEN')
    expect(only()?.turns).toMatchObject([{ content: 'mine' }, {}])
    const heard = openRoundtable({ id: 'rt-x', topic: 'x', agents: ['a'], rounds: 1, at: Date.now(), idleMs: 9_999 })
    const said = { agent: 'a', content: 'yes', via: 'message', at: Date.now(), idleMs: 9_999 } as const
    const over = speak(speak(heard, said).table, { ...said, content: 'all' }).table
    supervisor.state.set(roundtableKey('s'), over, 0)
    await expect(other.resume('s')).rejects.toThrow(/ARC_ROUNDTABLE_TAKEN/)
  })

  it('R7 stops when its table is gone', async () => {
    const vanish = async (): Promise<Reply> => {
      for (const { key, version } of supervisor.state.list('roundtable/')) supervisor.state.remove(key, version)
      return says('into the void')
    }
    const driver = await drive({}, [agent('ann', vanish), agent('bob')])
    await expect(driver.open({ topic: 'Tabs?', rounds: 1 })).rejects.toThrow(/in other hands now, or gone/)
  })
})
