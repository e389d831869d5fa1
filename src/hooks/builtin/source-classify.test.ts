import { describe, expect, it } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import { sourceClassify } from './source-classify.ts'

describe('where a message comes from', () => {
  it.each([
    ['human', { prompt: 'hi' }, { source: 'user' }],
    ['human', { prompt: 'hi' }, { host: 'claude' }],
    ['human', { prompt: 'hi', sender: 'claude' }, { source: 'human' }],
    ['human', { prompt: 'hi', sender: 'user:ann' }, {}],
    ['agent', { prompt: 'hi', sender: 'codex' }, { host: 'claude' }],
    ['agent', { prompt: 'hi', sender: 'Bot-7 ' }, { source: 'human' }],
    ['agent', { prompt: 'hi' }, { source: 'agent' }],
    ['system', { prompt: 'hi', sender: 'system' }, {}],
    ['system', { prompt: 'hi' }, { host: 'system' }],
    ['cron', { prompt: 'CRON_TRIGGER nightly' }, { host: 'claude' }],
    ['cron', { prompt: 'Heartbeat.' }, {}],
    ['cron', { prompt: 'hi', sender: 'cron:nightly' }, {}],
    ['unknown', { prompt: 'hi' }, {}],
    ['unknown', { prompt: 'hi', sender: 'ann' }, { host: 'gateway' }],
  ])('B1 is %s for %j in %j', async (source, data, context) => {
    const { send } = pipelineOf([[sourceClassify, { botAccountIds: ['bot-7'] }]])
    const { metadata, decision } = await send('pre:message', data, context)
    expect(metadata).toMatchObject({ source, messageSource: source })
    expect(decision).toBe('pass')
  })

  it.each(['autocomplete-1', 'agent-7', 'cron-3', 'system-1', 'scheduled'])(
    'B1 never reads the session id %s',
    async (session) => {
      const { send } = pipelineOf([[sourceClassify]])
      expect((await send('pre:message', { prompt: 'hi' }, { session })).metadata.source).toBe('unknown')
      expect((await send('pre:message', { prompt: 'hi' }, { session, host: 'codex' })).metadata.source).toBe('human')
    },
  )

  it.each(['fix heartbeat.ts', 'see src/heartbeat', 'the heartbeat-monitor', 'heartbeats', 'MY_CRON_TRIGGER'])(
    'B1 does not take %j for a timer',
    async (prompt) => {
      const { send } = pipelineOf([[sourceClassify]])
      expect((await send('pre:message', { prompt }, { host: 'claude' })).metadata.source).toBe('human')
    },
  )

  it.each([
    ['human', 'why does the heartbeat stop after ten seconds?', 'claude'],
    ['human', 'our jobs start with CRON_TRIGGER, document that', 'gemini'],
    ['cron', '[heartbeat] check the queue', 'claude'],
    ['cron', 'send a heartbeat now', undefined],
  ])('B1 Q1 %s: a person may write about timers: %j at %s', async (source, prompt, host) => {
    const { send } = pipelineOf([[sourceClassify]])
    expect((await send('pre:message', { prompt }, { host })).metadata.source).toBe(source)
  })

  it('B1 takes patterns as words, not as regular expressions', async () => {
    const { send } = pipelineOf([[sourceClassify, { cronPatterns: ['(a+)+$', '[x]'] }]])
    expect((await send('pre:message', { prompt: `${'a'.repeat(5_000)}!` })).metadata.source).toBe('unknown')
    expect((await send('pre:message', { prompt: 'do [x] now' })).metadata.source).toBe('cron')
  })

  it('B1 withstands data of any shape', async () => {
    const { send } = pipelineOf([[sourceClassify]])
    const outcome = await send('pre:message', { prompt: 7, sender: { a: 1 } })
    expect(outcome).toMatchObject({ decision: 'pass', metadata: { source: 'unknown' } })
  })
})
