// Rule packs in the users' configuration: declarative, validated, and tested on their examples.
// Problems are reported and not thrown. A pack with a problem is not used.

import * as z from 'zod'
import type { RegexCompiler } from '../engine/matcher.ts'
import { EFFECTS } from './assessment.ts'
import type { Call } from './call.ts'
import { classifyRisk } from './classify.ts'
import { type CommandWhen, OWASP, type OwaspTag, type Rule, type RulePack } from './rule.ts'

const NAME = /^[a-z][a-z0-9-]{0,40}$/
const TEXT = z.string().min(1).max(500)
const TEXTS = z.array(TEXT).max(100)

const RULE = z.strictObject({
  id: z.string().regex(NAME, 'must be lower-case words joined by "-"'),
  program: z.union([TEXT, TEXTS.min(1)]),
  subcommand: z.union([TEXT, TEXTS.min(1)]).optional(),
  flags: TEXTS.optional(),
  unless: TEXTS.optional(),
  pattern: TEXT.optional(),
  effect: z.enum(EFFECTS),
  tier: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]),
  reason: TEXT,
  alternative: TEXT.optional(),
  owasp: z.enum(Object.keys(OWASP) as [OwaspTag, ...OwaspTag[]]).optional(),
  examples: z.strictObject({ match: TEXTS.min(1), pass: TEXTS.min(1) }),
})

const PACK = z.strictObject({
  name: z.string().regex(NAME, 'must be lower-case words joined by "-"'),
  about: TEXT.optional(),
  rules: z.array(RULE).min(1).max(500),
})

/** A pack as users write it. */
export type RulePackDefinition = z.input<typeof PACK>

/** The pack, or its problems. */
export type DefinedPack =
  | { readonly pack: RulePack; readonly problems: readonly [] }
  | { readonly pack?: undefined; readonly problems: readonly string[] }

/**
 * Reads a pack of rules. Patterns are compiled by the given compiler, which must run in linear time.
 *
 *     const { pack, problems } = defineRulePack(definition, { regex })
 *     classifyRisk(input, { packs: [...RULE_PACKS, pack] })
 */
export function defineRulePack(definition: unknown, { regex }: { readonly regex: RegexCompiler }): DefinedPack {
  const read = PACK.safeParse(definition)
  if (!read.success)
    return {
      problems: read.error.issues.map(({ path, message }) => `${path.map(String).join('.') || 'the pack'}: ${message}`),
    }
  const problems: string[] = []
  const rules: Rule[] = []
  for (const [index, written] of read.data.rules.entries()) {
    const rule = readRule(read.data.name, written, regex, (problem) =>
      problems.push(`rules.${index} (${written.id}): ${problem}`),
    )
    if (rule !== undefined) rules.push(rule)
  }
  const pack: RulePack = { name: read.data.name, about: read.data.about ?? 'Custom rules.', rules }
  if (problems.length === 0) problems.push(...failingExamples(pack))
  return problems.length > 0 ? { problems } : { pack, problems: [] }
}

type WrittenRule = z.output<typeof RULE>

function readRule(
  pack: string,
  written: WrittenRule,
  regex: RegexCompiler,
  report: (problem: string) => void,
): Rule | undefined {
  const test = written.pattern === undefined ? undefined : compilePattern(written.pattern, regex, report)
  if (written.pattern !== undefined && test === undefined) return undefined
  for (const flag of [...(written.flags ?? []), ...(written.unless ?? [])]) {
    if (!flag.split('|').every((name) => name.startsWith('-') && name.length > 1))
      report(`a flag is written as "-f|--force", not ${JSON.stringify(flag)}`)
  }
  const when: CommandWhen = {
    program: typeof written.program === 'string' ? written.program.split(' ') : written.program,
    ...(written.subcommand === undefined ? {} : { sub: written.subcommand }),
    ...(written.flags === undefined ? {} : { flags: written.flags }),
    ...(written.unless === undefined ? {} : { unless: written.unless }),
    ...(test === undefined
      ? {}
      : { test: (call: Call) => (test(formatCommand(call)) ? { at: call.command.span } : undefined) }),
  }
  const { effect, tier, reason, alternative, owasp = 'ASI02', examples } = written
  return {
    id: `${pack}/${written.id}`,
    effect,
    tier,
    reason,
    alternative,
    owasp,
    when,
    match: examples.match,
    pass: examples.pass,
  }
}

function compilePattern(pattern: string, regex: RegexCompiler, report: (problem: string) => void) {
  try {
    return regex(pattern, '')
  } catch (error) {
    report(
      `the pattern ${JSON.stringify(pattern)} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
    return undefined
  }
}

// The text for patterns: the words of the command, joined by blanks.
function formatCommand(call: Call): string {
  return [call.name, ...call.command.args.map(({ text }) => text)].join(' ')
}

function failingExamples(pack: RulePack): string[] {
  const packs = [pack]
  const isFound = (rule: Rule, command: string) =>
    classifyRisk({ tool: 'shell', args: { command }, cwd: '/srv/app' }, { packs }).evidence.some(
      ({ rule: id }) => id === rule.id,
    )
  return pack.rules.flatMap((rule) => [
    ...rule.match
      .filter((example) => !isFound(rule, String(example)))
      .map((example) => `${rule.id}: does not find its own example ${JSON.stringify(example)}`),
    ...rule.pass
      .filter((example) => isFound(rule, String(example)))
      .map((example) => `${rule.id}: finds ${JSON.stringify(example)}, which it should leave`),
  ])
}
