// Rules that a user writes into a profile, through the real pipeline.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import { defaultPipeline } from './default-pipeline.ts'

const PACK = {
  name: 'acme',
  rules: [
    {
      id: 'deploy-prod',
      program: 'acme',
      subcommand: 'deploy',
      flags: ['-p|--prod'],
      pattern: 'eu-[0-9]+',
      effect: 'destructive',
      tier: 4,
      reason: 'It replaces production.',
      alternative: 'acme deploy --preview',
      examples: { match: ['acme deploy -p eu-1'], pass: ['acme deploy eu-1', 'acme deploy -p'] },
    },
  ],
}

let place: SupervisedHome
beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const profile = (packs: readonly unknown[]) => ({
  enforcement: 'enforce',
  hooks: { 'risk-detection': { options: { packs } } },
})

describe('packs in a profile', () => {
  it('B10 apply together with the built-in packs, to the commands that would run', async () => {
    place.write(PROFILE, profile([PACK]))
    const supervisor = await createSupervisor({ home: place.home, notify: () => undefined })
    const decide = async (command: string) => supervisor.dispatch('pre:tool', { tool: 'shell', args: { command } })
    expect(await decide('cd app && sudo acme deploy --prod eu-2')).toMatchObject({
      decision: 'block',
      hook: 'risk-detection',
      suggestion: 'acme deploy --preview',
    })
    expect(await decide('echo "acme deploy --prod eu-2"')).toMatchObject({ decision: 'pass' })
    expect(await decide('git push --force')).toMatchObject({ decision: 'block' })
    await supervisor.close()
  })

  it('C1 whose examples do not hold are refused at their place in the file, and the built-in rules stay in force', async () => {
    const wrong = { ...PACK, rules: [{ ...PACK.rules[0], examples: { match: ['acme status'], pass: ['acme'] } }] }
    place.write(PROFILE, profile([wrong]))
    const told: string[] = []
    const report = (message: string): void => void told.push(message)
    const supervisor = await createSupervisor({
      home: place.home,
      enforcement: 'enforce',
      report,
      notify: () => undefined,
    })
    expect(told.join('\n')).toMatch(/default\.json:\d+:\d+: .*does not find its own example "acme status"/)
    const call = { tool: 'shell', args: { command: 'rm -rf /' } }
    expect(await supervisor.dispatch('pre:tool', call)).toMatchObject({ decision: 'block' })
    await supervisor.close()
  })

  it('B10 with a pattern that cannot be read in linear time are refused', () => {
    const pack = { ...PACK, rules: [{ ...PACK.rules[0], pattern: '(a)\\1' }] }
    const hooks = { 'risk-detection': { options: { packs: [pack] } } }
    expect(() => defaultPipeline({ hooks })).toThrow(/packs\[0\].*cannot be read/)
  })
})
