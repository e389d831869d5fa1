// The hook in an engine: its points, its state of a turn, and that a failing store changes no decision.

import { describe, expect, it } from 'vitest'
import { pipelineOf } from '../../../test/built-in-fixture.ts'
import { MemoryStateStore } from '../../storage/memory/state-store.ts'
import { riskDetection } from './risk-detection.ts'
import { watchdogPause } from './watchdog-pause.ts'

const CONTEXT = { workspace: '/w', turn: 't' }
const shell = (command: string) => ({ tool: 'Bash', args: { command } })

describe('before something is written to a repository', () => {
  it.each([
    ['src/a.ts', 'pass'],
    ['/w/src/a.ts', 'pass'],
    ['.git/hooks/pre-commit', 'flag'],
    ['/etc/passwd', 'block'],
  ])('B10 %s: %s', async (path, least) => {
    const outcome = await pipelineOf([[riskDetection]]).send('pre:git:write', { path, content: 'x' }, CONTEXT)
    const ranks = ['pass', 'flag', 'ask', 'block']
    expect(ranks.indexOf(outcome.decision)).toBeGreaterThanOrEqual(ranks.indexOf(least))
    if (least === 'pass') expect(outcome.decision).toBe('pass')
    expect(outcome.metadata).toMatchObject({ riskOf: 'action', risk: { tier: expect.any(Number) } })
  })

  it('B10 what a file would hold is not taken for a command', async () => {
    const { send } = pipelineOf([[riskDetection, { customKeywords: { destructive: ['wipe'] } }]])
    expect((await send('pre:git:write', { path: 'README.md', content: 'rm -rf / and wipe' }, CONTEXT)).decision).toBe(
      'pass',
    )
    expect((await send('pre:git:write', { path: 'wipe.md', content: '' }, CONTEXT)).decision).toBe('block')
  })
})

it('B10 keeps the gravest of a turn, each turn apart', async () => {
  const { send, state } = pipelineOf([[riskDetection]])
  for (const command of ['ls', 'git push --force origin main', 'touch x'])
    await send('pre:tool', shell(command), CONTEXT)
  await send('pre:tool', shell('ls'), { ...CONTEXT, turn: 'u' })
  expect(state.list('risk:').map(({ value }) => value)).toMatchObject([{ tier: 4, checklist: 'strict' }])
})

it('B10 M3 a store that cannot be written to takes no verdict away', async () => {
  const state = new MemoryStateStore()
  state.set = () => {
    throw new Error('the disk is full')
  }
  const { send } = pipelineOf([[riskDetection]], { state, mode: 'log' })
  const outcome = await send('pre:tool', shell('rm -rf /'), CONTEXT)
  expect(outcome).toMatchObject({
    decision: 'block',
    metadata: { risk: { tier: 5 }, riskNotStored: expect.stringContaining('the disk is full') },
  })
})

it('B10 what a hook before it changed is rated as it would run', async () => {
  const { send, engine } = pipelineOf([[watchdogPause], [riskDetection]])
  const edit = (command: string) => () => ({ modify: { args: { command } } })
  const undo = engine.register('pre:tool', edit('git push --force origin main'), { name: 'editor', priority: 7 })
  expect((await send('pre:tool', shell('ls'), CONTEXT)).hook).toBe('risk-detection')
  undo()
  engine.register('pre:tool', edit('ls'), { name: 'editor', priority: 1 })
  expect((await send('pre:tool', shell('git push --force origin main'), CONTEXT)).decision).toBe('pass')
})
