// The rules that exceptions can name: those in force, without those that nothing may allow.

import { type Config, type Exception, hookSettings } from '../config/config.ts'
import { didYouMean, show } from '../engine/errors.ts'
import { linearRegex } from '../platform/engine-services.ts'
import { whyNeverAllowed } from '../risk/never-allowed.ts'
import type { Rule } from '../risk/rule.ts'
import { RULE_PACKS } from '../risk/rulebook.ts'
import { defineRulePack } from '../risk/user-pack.ts'

/** The rules in force, by id: the built-in ones and those of the user's packs. */
export function listRules(config: Config): ReadonlyMap<string, Rule> {
  const { packs } = hookSettings(config, 'risk-detection').options ?? {}
  const own = (Array.isArray(packs) ? packs : []).flatMap((given) => defineRulePack(given, PATTERNS).pack ?? [])
  return new Map([...RULE_PACKS, ...own].flatMap(({ rules }) => rules.map((rule) => [rule.id, rule])))
}

const PATTERNS = { regex: linearRegex }

/** Why an exception of the configuration may not be used; undefined when it may. */
export function whyRefused({ kind, rules }: Exception, config: Config): string | undefined {
  const known = rules.every(isBuiltInPack) ? BUILT_IN : listRules(config)
  for (const id of rules) {
    const rule = known.get(id)
    if (kind === 'rule' && rule === undefined) return `there is no rule ${show(id)}.${didYouMean(id, known.keys())}`
    const why = whyNeverAllowed({ rule: id, tier: rule?.tier ?? 1 })
    if (why !== undefined) return `findings of the rule ${id} can never be allowed, because ${why}.`
  }
  return undefined
}

const BUILT_IN: ReadonlyMap<string, Rule> = new Map(
  RULE_PACKS.flatMap(({ rules }) => rules.map((rule) => [rule.id, rule] as const)),
)
const isBuiltInPack = (id: string): boolean => BUILT_IN.has(id)
