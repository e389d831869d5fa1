// Every rule brings its own examples; this runs them all, for every pack there is.

import { describe, expect, it } from 'vitest'
import { classifyRisk } from '../classify.ts'
import type { Example } from '../rule.ts'
import { RULE_PACKS } from '../rulebook.ts'

const PLACE = { cwd: '/srv/app', workspace: '/srv/app' }

function rulesFor(example: Example): string[] {
  const call = typeof example === 'string' ? { tool: 'shell', args: { command: example } } : example
  return classifyRisk({ ...call, ...PLACE }).evidence.map(({ rule }) => rule)
}

describe.each(RULE_PACKS)('B10 the pack $name', ({ name, rules }) => {
  it.each(rules.flatMap((rule) => rule.match.map((example) => [rule.id, example] as const)))(
    '%s finds %j',
    (id, example) => {
      expect(rulesFor(example)).toContain(id)
    },
  )

  it.each(rules.flatMap((rule) => rule.pass.map((example) => [rule.id, example] as const)))(
    '%s leaves %j',
    (id, example) => {
      expect(rulesFor(example)).not.toContain(id)
    },
  )

  it('has rules that name their pack, say why, and bring examples of both kinds', () => {
    for (const rule of rules) {
      expect(rule.id.startsWith(`${name}/`)).toBe(true)
      expect(rule.reason).toMatch(/^[A-Z].*\.$/)
      expect(rule.match.length).toBeGreaterThan(0)
      expect(rule.pass.length).toBeGreaterThan(0)
    }
  })
})

it('B10 rule ids are unique', () => {
  const ids = RULE_PACKS.flatMap(({ rules }) => rules.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})
