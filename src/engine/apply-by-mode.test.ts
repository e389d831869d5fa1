// What a verdict does, by decision, mode and point.

import { describe, expect, it } from 'vitest'
import { applyByMode } from './apply-by-mode.ts'
import type { Mode } from './mode.ts'
import type { PointSpec } from './points.ts'
import type { Decision, Verdict } from './verdict.ts'

const at = (canAbort: boolean): PointSpec => ({ when: 'In tests', canAbort, modify: ['args'], aliases: [] })
const edit = { args: {} }
const answer = { result: 1, isError: false }

describe('a decision', () => {
  it.each<[Decision, Mode, boolean, Decision, boolean]>([
    // decision, mode, can abort → counts for, applied
    ['pass', 'enforce', true, 'pass', false],
    ['flag', 'log', true, 'flag', false],
    ['flag', 'enforce', true, 'flag', false],
    ['ask', 'log', true, 'flag', false],
    ['ask', 'advise', true, 'flag', false],
    ['ask', 'enforce', true, 'ask', true],
    ['ask', 'enforce', false, 'flag', false],
    ['block', 'log', true, 'flag', false],
    ['block', 'advise', true, 'flag', false],
    ['block', 'enforce', true, 'block', true],
    ['block', 'enforce', false, 'flag', false],
  ])(
    '%s in %s where aborting is possible: %s counts as %s, applied: %s',
    (decision, mode, canAbort, counts, applied) => {
      expect(applyByMode({ decision }, at(canAbort), mode)).toMatchObject({ counts, applied })
    },
  )

  it.each<[Decision, boolean, number]>([
    ['flag', false, 0],
    ['ask', false, 1],
    ['block', false, 1],
    ['block', true, 0],
  ])('%s where aborting is possible: %s leaves a note of what was dropped: %i', (decision, canAbort, notes) => {
    expect(applyByMode({ decision }, at(canAbort), 'enforce').dropped ?? []).toHaveLength(notes)
  })

  it('adds its note to those the verdict has already, changing nothing', () => {
    const dropped = Object.freeze([Object.freeze({ field: 'tool', why: 'cannot be modified at this point' })])
    const verdict: Verdict = Object.freeze({ decision: 'block', dropped })
    expect(applyByMode(verdict, at(false), 'enforce').dropped?.map(({ field }) => field)).toEqual(['tool', 'block'])
    expect(applyByMode(verdict, at(true), 'enforce').dropped).toBe(dropped)
  })
})

describe('an edit and an answer', () => {
  it.each<[Decision, Mode, boolean, boolean]>([
    ['pass', 'log', true, false],
    ['pass', 'advise', true, false],
    ['pass', 'enforce', true, true],
    ['pass', 'enforce', false, true],
    ['flag', 'enforce', true, true],
    ['ask', 'enforce', true, true],
    ['block', 'enforce', true, false],
    // The block is not applied there, so the action goes ahead: with the edit.
    ['block', 'enforce', false, true],
  ])('beside %s in %s where aborting is possible: %s, are used: %s', (decision, mode, canAbort, isUsed) => {
    const ruling = applyByMode({ decision, edit, answer }, at(canAbort), mode)
    expect([ruling.edit, ruling.answer]).toEqual(isUsed ? [edit, answer] : [undefined, undefined])
    expect(applyByMode({ decision: 'pass', edit }, at(canAbort), mode).applied).toBe(mode === 'enforce')
  })
})

describe('texts for the context', () => {
  it.each<[Mode, boolean]>([
    ['log', false],
    ['advise', true],
    ['enforce', true],
  ])('in %s are used: %s', (mode, isUsed) => {
    expect(applyByMode({ decision: 'pass', context: ['a'] }, at(true), mode).context).toEqual(
      isUsed ? ['a'] : undefined,
    )
  })
})
