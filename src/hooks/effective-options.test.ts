import { describe, expect, it } from 'vitest'
import { defaultPipeline } from './default-pipeline.ts'
import { effectiveOptions, type OptionSettings } from './effective-options.ts'

const find = (hooks: Readonly<Record<string, OptionSettings>>) => (name: string) => hooks[name] ?? {}
const PUSH = { tool: 'shell', args: { command: 'git push --force origin main' } }

describe('the options of a hook', () => {
  it.each([
    [{ ask: false }, {}, { askTier: null }],
    [{ askTier: 3 }, {}, { askTier: 3 }],
    [{ askTier: 3, ask: true, effects: ['deploy-affecting'] }, {}, { askTier: 3, askEffects: ['deploy-affecting'] }],
    [{ askTier: 3 }, { askTier: 5 }, { askTier: 5 }],
    [{}, { blockTier: 3 }, { blockTier: 3 }],
  ])('B5 of watchdog-pause %j still ask through risk-detection with %j', (moved, own, expected) => {
    const hooks = { 'watchdog-pause': { options: moved }, 'risk-detection': { options: own } }
    expect(effectiveOptions('risk-detection', find(hooks))).toEqual(expected)
    expect(effectiveOptions('watchdog-pause', find(hooks))).toBe(moved)
  })

  it('B5 of a watchdog-pause that is disabled ask nothing', () => {
    const hooks = { 'watchdog-pause': { enabled: false, options: { askTier: 1 } } }
    expect(effectiveOptions('risk-detection', find(hooks))).toEqual({})
  })

  it('Q1 messages is a key of the hook itself', () => {
    const hooks = { 'risk-detection': { messages: 'hold', options: { messages: 'rate' } } } as const
    expect(effectiveOptions('risk-detection', find(hooks))).toEqual({ messages: 'hold' })
  })

  it('B5 the old keys take effect in a pipeline', async () => {
    const decide = async (options: object) => {
      const risk = { options: { blockTier: 5 } }
      const hooks = { 'risk-detection': risk, 'watchdog-pause': { options: { ...options } } }
      return (await defaultPipeline({ enforcement: 'enforce', hooks }).dispatch('pre:tool', PUSH)).decision
    }
    expect([await decide({}), await decide({ ask: false }), await decide({ askTier: 5 })]).toEqual([
      'ask',
      'flag',
      'flag',
    ])
  })

  it('Q1 the key messages of a pipeline takes effect', async () => {
    const decide = async (messages: 'rate' | 'hold') => {
      const pipeline = defaultPipeline({ enforcement: 'enforce', hooks: { 'risk-detection': { messages } } })
      return (await pipeline.dispatch('pre:message', { prompt: 'run git reset --hard' }, { source: 'human' })).decision
    }
    expect([await decide('rate'), await decide('hold')]).toEqual(['pass', 'block'])
  })
})
