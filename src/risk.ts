// `arc-supervisor/risk`: classification of actions, and custom rules. Exports only.

export type { Assessment, Checklist, Effect, Evidence, RiskInput, Span, Tier } from './risk/assessment.ts'
export { classifyRisk, type RiskOptions } from './risk/classify.ts'
export { type DecideOptions, decide } from './risk/decide.ts'
export { explain, TIERS } from './risk/explain.ts'
export { type Facts, OWASP, type Rule, type RulePack } from './risk/rule.ts'
export { RULE_PACKS } from './risk/rulebook.ts'
export { type DefinedPack, defineRulePack, type RulePackDefinition } from './risk/user-pack.ts'
