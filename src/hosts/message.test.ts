// The texts of replies for any step and outcome: their number of lines, their characters, and the ids they name.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../engine/outcome.ts'
import { CLAUDE_EVENTS } from './claude/events.ts'
import type { HostEvent, HostStep, ReplyFacts } from './host.ts'
import { adviceMessage, blockMessage, noticeMessage } from './message.ts'

function makeStep(data: Readonly<Record<string, unknown>>): HostStep {
  const spec = CLAUDE_EVENTS.PreToolUse as HostEvent
  const base = { host: 'claude', event: 'PreToolUse', spec, point: 'pre:tool', context: {} } as const
  return { ...base, data, isUnknown: false, canPrompt: true }
}

function makeBlock(fields: Partial<Outcome> = {}): Outcome {
  return { decision: 'block', blocked: true, control: 'stop', data: {}, metadata: {}, ...fields }
}

const SHELL = makeStep({ tool: 'Bash', args: { command: 'git reset --hard' } })
const FACTS: ReplyFacts = { traceId: 'T1' }
const RISK = { hook: 'risk-detection', reason: 'Discards changes. (git/reset-hard: destructive, tier 4)' }

describe('the text of a denial', () => {
  it('Q5 says what, why, what instead, not in another form, and how the user can allow it', () => {
    expect(blockMessage(SHELL, makeBlock({ ...RISK, suggestion: 'git stash' }), FACTS).split('\n')).toEqual([
      'Blocked by ARC: git reset --hard (arc why T1)',
      'Why: Discards changes. (git/reset-hard: destructive, tier 4) [hook risk-detection]',
      'Instead: git stash',
      'Do not try it in another form.',
      'The user can allow it: arc allow T1',
    ])
  })

  it.each<[string, Partial<Outcome>, ReplyFacts, string | undefined]>([
    [
      'a held step',
      {},
      { ...FACTS, approvalId: 'A1' },
      'The user can allow it: arc approve A1 (then repeat it; arc why T1)',
    ],
    [
      'a catastrophe',
      { metadata: { neverAllowed: 'catastrophe' } },
      FACTS,
      'It cannot be allowed: only the user can run it',
    ],
    [
      'secrets',
      { metadata: { neverAllowed: 'secrets' } },
      FACTS,
      'It cannot be allowed: ask the user for what you need',
    ],
    ['the guard', { metadata: { neverAllowed: 'guard' } }, FACTS, 'It cannot be allowed: only the user can change ARC'],
    [
      'a denied step',
      { metadata: { approval: { status: 'denied' } } },
      { ...FACTS, approvalId: 'A1' },
      'The user denied it',
    ],
    [
      'a hook of the user',
      { hook: 'lint' },
      FACTS,
      'The user can disable the hook for a while: arc hooks disable lint',
    ],
    ['a step that is not on record', {}, {}, 'It cannot be allowed now, because it is not on record'],
    ['a failure of ARC', { hook: 'arc' }, FACTS, undefined],
  ])('Q5 the last line for %s', (_what, fields, facts, expected) => {
    const lines = blockMessage(SHELL, makeBlock({ ...RISK, ...fields }), facts).split('\n')
    if (expected === undefined) expect(lines.at(-1)).toBe('Do not try it in another form.')
    else expect(lines.at(-1)).toContain(expected)
  })

  it('Q5 a suggestion that only names the approval is not said twice', () => {
    const outcome = makeBlock({ ...RISK, suggestion: 'Ask the user to run "arc approvals approve A1"' })
    expect(blockMessage(SHELL, outcome, { ...FACTS, approvalId: 'A1' })).not.toContain('Instead')
  })

  it.each([
    [{ tool: 'Write', args: { file_path: '/etc/passwd' } }, 'Write /etc/passwd'],
    [{ tool: 'mcp__db__drop', args: {} }, 'mcp__db__drop'],
    [{ prompt: 'do it' }, 'do it'],
    [{}, 'PreToolUse'],
    [{ tool: 'Bash', args: { command: 'printf \u001B[2J\u202Ex\necho' } }, 'printf \\u{1b}[2J\\u{202e}x echo'],
  ])('Q5 names the step of %j as %s', (data, expected) => {
    expect(blockMessage(makeStep(data), makeBlock(RISK), FACTS).split('\n')[0]).toBe(
      `Blocked by ARC: ${expected} (arc why T1)`,
    )
  })

  it('Q5 has five lines at most and no hidden character, whatever hooks and agents write', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400 })
    const optional = fc.option(text, { nil: undefined })
    fc.assert(
      fc.property(text, optional, optional, optional, text, (command, reason, suggestion, approvalId, tool) => {
        const step = makeStep({ tool, args: { command } })
        const facts = { traceId: 'T1', approvalId: approvalId && 'A1' }
        const message = blockMessage(step, makeBlock({ hook: 'risk-detection', reason, suggestion }), facts)
        expect(message.split('\n').length).toBeLessThanOrEqual(5)
        expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it('Q5 Z1 names no id that is not on record', () => {
    expect(blockMessage(SHELL, makeBlock(RISK), { notes: ['a note'] })).not.toMatch(/arc (allow|approve|why) /)
  })
})

describe('the notice of a step that is not stopped', () => {
  const advice = (...suggestions: object[]): Outcome =>
    makeBlock({ decision: 'flag', blocked: false, control: 'proceed', metadata: { suggestions } })
  const flag = { hook: 'a', decision: 'flag', reason: 'odd' }
  const block = { hook: 'b', decision: 'block', reason: 'bad', suggestion: 'git stash' }

  it('Q5 is one, the strictest', () => {
    expect(noticeMessage(SHELL, advice(flag, block, { ...block, hook: 'c' }), FACTS)).toBe(
      'ARC would block this: git reset --hard\nWhy: bad [hook b]\nInstead: git stash\nDetails: arc why T1',
    )
    expect(adviceMessage(SHELL, advice(flag))).toBe('ARC flags this: git reset --hard\nWhy: odd [hook a]')
    expect(noticeMessage(SHELL, advice(), FACTS)).toBeUndefined()
  })

  it('Q5 survives advice of any shape', () => {
    for (const odd of [{}, { decision: 7, reason: {} }, { decision: '__proto__' }, { hook: null }]) {
      expect(adviceMessage(SHELL, advice(odd))).toMatch(/^ARC advises: git reset --hard\nWhy: no reason was given/)
    }
  })
})
