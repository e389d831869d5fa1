// What `arc watch` reads: the records of a real home, and only what is new.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { callClaude } from '../../../../test/claude-call.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../../test/supervised-home.ts'
import { LiveSource } from './live-source.ts'

let place: SupervisedHome
let before: string | undefined

beforeEach(() => {
  place = makeHome()
  place.write(PROFILE, { enforcement: 'enforce' })
  before = process.env.ARC_HOME
  process.env.ARC_HOME = place.home
})
afterEach(() => {
  if (before === undefined) delete process.env.ARC_HOME
  else process.env.ARC_HOME = before
  place.remove()
})

const run = (command: string): Promise<string> => callClaude({ home: place.home, cwd: place.project, command })

it('Q6 reads each action once, the held steps and the mode, and explains both', async () => {
  expect(await run('echo one')).toBe('none')
  const source = new LiveSource()
  try {
    const first = await source.read()
    expect(first).toMatchObject({ mode: 'enforce', held: [], isReset: true })
    expect(first.items.map(({ row }) => row.command)).toEqual(['echo one'])
    expect(await source.read()).toMatchObject({ items: [], isReset: false })
    expect(await run('git branch -D two')).toBe('ask')
    const { items, held } = await source.read()
    expect(items).toMatchObject([{ row: { command: 'git branch -D two', decision: 'ask', project: 'project' } }])
    expect(held).toMatchObject([{ command: 'git branch -D two', project: 'project', agent: 'claude' }])
    const shown = (id = '') => source.explain(id)?.join('\n')
    expect(shown(items[0]?.id)).toMatch(/risk-detection[\s\S]*it waits for your answer: arc approve/)
    expect(shown(held[0]?.id)).toContain('git branch -D two')
    expect(shown('01NONE')).toBeUndefined()
  } finally {
    source.close()
  }
})
