// The envelope: the step as programs, servers and models get it.

import { describe, expect, it } from 'vitest'
import { definePoint } from '../../engine/point-names.ts'
import { POINTS } from '../../engine/points.ts'
import type { Step } from '../../engine/step.ts'
import { createEngine } from '../../platform/hook-engine.ts'
import { buildHookInput, eventName } from './envelope.ts'

describe('the envelope', () => {
  it('H2 has the step and the names under which older hooks look for things', () => {
    const engine = createEngine()
    let envelope: unknown
    engine.register('pre:tool', (step) => {
      envelope = JSON.parse(JSON.stringify(buildHookInput(step as unknown as Step)))
    })
    const context = { id: 'i', session: 's', turn: 't', agent: 'a', source: 'human', workspace: '/w', host: 'claude' }
    void engine.dispatch('pre:tool', { tool: 'bash', args: { command: 'ls' } }, { ...context, metadata: { fact: 1 } })
    expect(envelope).toEqual({
      ...context,
      point: 'pre:tool',
      data: { tool: 'bash', args: { command: 'ls' } },
      metadata: { fact: 1 },
      session_id: 's',
      cwd: '/w',
      hook_event: 'pre_tool_use',
      tool_name: 'bash',
      tool_input: { command: 'ls' },
    })
  })

  it('H2 says nothing of a tool where there is none', () => {
    const engine = createEngine()
    let envelope: object = {}
    engine.register('pre:message', (step) => {
      envelope = JSON.parse(JSON.stringify(buildHookInput(step as unknown as Step)))
    })
    void engine.dispatch('pre:message', { prompt: 'hi' })
    expect(envelope).toMatchObject({ hook_event: 'user_prompt_submit', data: { prompt: 'hi' } })
    expect(Object.keys(envelope)).not.toContain('tool_name')
    expect(Object.keys(envelope)).not.toContain('session_id')
  })
})

describe('the name of an event', () => {
  it.each([
    ['session:start', 'session_start'],
    ['session:end', 'session_end'],
    ['pre:tool', 'pre_tool_use'],
    ['post:tool', 'post_tool_use'],
    ['post:tool:failure', 'post_tool_use_failure'],
    ['run:start', 'run_start'],
    ['run:end', 'run_end'],
    ['pre:compact', 'pre_compact'],
    ['post:compact', 'post_compact'],
    ['pre:message', 'user_prompt_submit'],
    ['config:change', 'config_change'],
    ['pre:git:write', 'pre_git_write'],
  ])('H3 at %s is %s', (point, name) => {
    expect(eventName(point)).toBe(name)
  })

  it('H3 is lower-case words joined by underscores, at every point and at declared ones', () => {
    const own = definePoint({ name: 'pre:deploy:site' })
    for (const point of [...Object.keys(POINTS), own.name]) expect(eventName(point)).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })
})
