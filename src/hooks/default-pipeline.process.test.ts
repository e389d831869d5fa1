// All built-in hooks together, with the real classifier.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeHome, PROFILE } from '../../test/supervised-home.ts'
import type { Mode } from '../engine/mode.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import { BUILT_INS } from './builtin/list.ts'
import { defaultPipeline } from './default-pipeline.ts'
import { runWithRetry } from './retry.ts'

const shell = (command: string) => ({ tool: 'shell', args: { command } })

// The profiles of the guide, unchanged.
const GUIDE = readFileSync(new URL('../../docs/guides/supervision.md', import.meta.url), 'utf8')
const PROFILES = [...GUIDE.matchAll(/^## (.*?)\n(?:(?!^## )[\s\S])*?```jsonc\n([\s\S]*?)```/gm)]

describe('the guide', () => {
  it.each(PROFILES.map(([, title, profile]) => [title, profile] as const))(
    '%s: its profile works',
    async (_, profile) => {
      const place = makeHome()
      place.write(PROFILE, profile)
      const supervisor = await createSupervisor({ home: place.home, report: () => undefined, notify: () => undefined })
      expect(supervisor.problems).toEqual([])
      expect(supervisor.hooks().filter(({ layer }) => layer === 'built-in')).toHaveLength(BUILT_INS.length)
      expect(await supervisor.dispatch('pre:tool', shell('rm -rf /'))).toMatchObject({ decision: 'block' })
      await supervisor.close()
      place.remove()
    },
  )

  it('shows a profile for each task', () => expect(PROFILES.length).toBeGreaterThan(6))
})

describe('the default pipeline', () => {
  it('holds the built-in hooks in their order', () => {
    expect(BUILT_INS.map(({ name, priority }) => [priority, name])).toEqual([
      [1, 'source-classify'],
      [2, 'interagent-routing'],
      [5, 'watchdog-pause'],
      [10, 'risk-detection'],
      [15, 'subagent-inject'],
      [20, 'attempt-tracker'],
      [50, 'roundtable'],
      [85, 'memory-sync'],
      [90, 'audit-score'],
      [92, 'supervision-gate'],
      [95, 'post-verify'],
    ])
  })

  it.each<[Mode, boolean, boolean]>([
    ['off', false, false],
    ['log', true, false],
    ['advise', true, false],
    ['enforce', true, true],
  ])('M3 in %s a catastrophe is blocked: %s, and without the floor: %s', async (enforcement, held, without) => {
    const call = shell('rm -rf /')
    expect((await defaultPipeline({ enforcement }).dispatch('pre:tool', call)).blocked).toBe(held)
    const bare = defaultPipeline({ enforcement, risk: { floor: false } })
    expect((await bare.dispatch('pre:tool', call)).blocked).toBe(without)
  })

  it('M3 talking about a catastrophe is not doing it', async () => {
    const pipeline = defaultPipeline({ enforcement: 'log' })
    expect((await pipeline.dispatch('pre:message', { prompt: 'Why is rm -rf / a bad idea?' })).blocked).toBe(false)
  })

  it('B10 rates a call and leaves the finding for others', async () => {
    const { metadata } = await defaultPipeline().dispatch('pre:tool', shell('ls'), { workspace: '/w' })
    expect(metadata).toMatchObject({ riskTier: 'read-only', risk: { tier: 1 }, requiresConfirmation: false })
  })

  it('registers on an engine that a program has, and takes itself off again', async () => {
    const engine = createEngine({ mode: 'enforce' })
    const undo = defaultPipeline({ hooks: { roundtable: { enabled: false } } }).registerOn(engine)
    expect(engine.list()).toHaveLength(BUILT_INS.length - 1)
    expect((await engine.dispatch('pre:tool', shell('git push --force origin main'))).blocked).toBe(true)
    undo()
    expect(engine.list()).toHaveLength(0)
  })

  it('M5 is what runWithRetry takes as it is', async () => {
    expect(await runWithRetry({ pipeline: defaultPipeline, maxAttempts: 3 })).toMatchObject({ attempts: 1 })
    const pipeline = defaultPipeline({ enforcement: 'enforce' })
    const answers = ['It failed with an error.', 'Done.']
    const result = await runWithRetry({ pipeline, execute: (_feedback, attempt) => answers[attempt - 1] })
    expect(result).toMatchObject({ attempts: 2, output: 'Done.' })
  })

  it('refuses a hook that does not exist, and options that a hook does not take', () => {
    expect(() => defaultPipeline({ hooks: { 'risk-detector': {} } })).toThrow('Did you mean "risk-detection"?')
    const bad = { 'risk-detection': { options: { onTier4: 'maybe' } } }
    expect(() => defaultPipeline({ hooks: bad })).toThrow('options.onTier4 of hook "risk-detection"')
  })
})
