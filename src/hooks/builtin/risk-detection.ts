// Rates the risk of tool calls and messages and decides by the tier. The rating itself is in src/risk. Messages of people
// are only rated: the tool call that follows is decided on.

import * as z from 'zod'
import { ArcError, describe } from '../../engine/errors.ts'
import type { RegexCompiler } from '../../engine/matcher.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { type Assessment, EFFECTS, type RiskInput } from '../../risk/assessment.ts'
import type { FileEffect } from '../../risk/file-effects.ts'
import type { RulePack } from '../../risk/rule.ts'
import { RULE_PACKS } from '../../risk/rulebook.ts'
import { defineRulePack } from '../../risk/user-pack.ts'
import type { StateStore } from '../../storage/ports.ts'
import { builtIn } from './built-in.ts'
import { createClassifier, rateStep, readHome } from './call-risk.ts'
import { applyExceptions, isStopping } from './exceptions.ts'
import {
  decideRisk,
  isCatastrophe,
  type RiskOf,
  type RiskPolicy,
  rateOnly,
  splitFindings,
  withKeywords,
} from './risk-verdict.ts'
import type { SupervisionServices } from './services.ts'
import { readSource } from './source-classify.ts'
import { storeTurnRisk } from './turn-risk.ts'

const keywords = z.array(z.string().trim().min(1).max(200)).max(1_000)

const options = z.strictObject({
  blockTier: z.int().min(2).max(5).default(4).describe('The lowest tier that blocks; 5 always does.'),
  onTier4: z.enum(['block', 'ask']).default('block').describe('Block tier 4, or ask for approval.'),
  askTier: z
    .int()
    .min(1)
    .max(5)
    .nullable()
    .default(4)
    .describe('The lowest tier of an action that asks for approval where it does not block; null: none.'),
  askEffects: z
    .array(z.enum(EFFECTS))
    .min(1)
    .default(['destructive'])
    .describe('The effects to which askTier applies.'),
  messages: z
    .enum(['rate', 'hold'])
    .default('rate')
    .describe('Messages of people: "rate" or "hold". In a profile also directly: hooks.risk-detection.messages.'),
  customKeywords: z
    .partialRecord(z.enum(EFFECTS), keywords)
    .default({})
    .describe('Your own keywords, by class of effect.'),
  packs: z.array(z.unknown()).max(50).default([]).describe('Your own rule packs: docs/guides/risk.md.'),
})

type Options = z.output<typeof options>

export const riskDetection = builtIn<Options>({
  name: 'risk-detection',
  priority: 10,
  points: ['pre:tool', 'pre:message', 'pre:agent:spawn', 'pre:git:write'],
  summary: 'Rates the risk of tool calls, file writes and messages; blocks, holds or flags by the tier.',
  critical: true,
  options,
  create({ customKeywords, packs: definitions, messages, ...policy }, services) {
    const { state, regex } = services
    const classify = createClassifier(readPacks(definitions, regex), services)
    const isOnlyRated = (step: Step): boolean => messages === 'rate' && isOfPerson(step)
    return {
      alwaysBlocks: isCatastrophe,
      rechecksEdits: true,
      check(step) {
        const { input, risk: rated, effects } = rateStep(step, classify)
        const risk = withKeywords(rated, () => readText(input), customKeywords)
        // A message is not an action: only actions can be blocked in every mode.
        const riskOf = 'message' in input ? 'message' : 'action'
        const decided = isOnlyRated(step) ? rateOnly(risk, riskOf) : decideRisk(risk, riskOf, policy)
        const verdict = isStopping(decided) ? allowFindings(decided, step, { risk, riskOf, policy }, services) : decided
        const riskNotStored = storeRisk(state, step, risk) ?? noteFiles(services, step, { input, effects, verdict })
        return riskNotStored === undefined ? verdict : { ...verdict, metadata: { ...verdict.metadata, riskNotStored } }
      },
    }
  },
})

function allowFindings(
  verdict: VerdictObject,
  step: Step,
  rated: { readonly risk: Assessment; readonly riskOf: RiskOf; readonly policy: RiskPolicy },
  services: SupervisionServices,
): VerdictObject {
  const { findings, rest } = splitFindings(rated.risk, rated.riskOf, rated.policy)
  return applyExceptions(verdict, { step, hook: 'risk-detection', findings }, services, rest)
}

// A message of a person, or a prompt of ARC's own roundtable: the topic of a person, and answers that were checked.
function isOfPerson(step: Step): boolean {
  if (step.point === 'pre:message') return readSource(step) === 'human'
  return step.point === 'pre:agent:spawn' && step.source === 'system'
}

// One array for all calls, so that rules are compiled once.
function readPacks(definitions: readonly unknown[], regex: RegexCompiler | undefined): readonly RulePack[] {
  if (definitions.length === 0) return RULE_PACKS
  const own = definitions.map((definition, index) => {
    const { pack, problems } = defineRulePack(definition, { regex: regex ?? refusePattern })
    if (pack !== undefined) return pack
    throw new ArcError('ARC_OPTION_INVALID', `packs[${index}] of risk-detection cannot be used: ${problems.join('; ')}`)
  })
  return [...RULE_PACKS, ...own]
}

function refusePattern(): never {
  throw new Error('no compiler for patterns is available')
}

// A failed write must not replace the verdict: in log mode a failed hook blocks nothing, not even `rm -rf /`. Returns the
// reason of the failure.
function storeRisk(state: StateStore, step: Step, risk: Assessment): string | undefined {
  try {
    storeTurnRisk(state, step, risk)
    return undefined
  } catch (error) {
    return describe(error)
  }
}

// What the session writes, copies and stashes decides later what a discarded change would lose.
function noteFiles(
  { facts }: SupervisionServices,
  step: Step,
  done: { readonly input: RiskInput; readonly effects: readonly FileEffect[]; readonly verdict: VerdictObject },
): string | undefined {
  const { input, effects, verdict } = done
  if (facts === undefined || !('tool' in input) || isStopping(verdict)) return undefined
  const { command } = input.args
  const call = { workspace: step.workspace, home: readHome(input), session: step.session }
  try {
    facts.note(call, { effects, command: typeof command === 'string' ? command : undefined })
    return undefined
  } catch (error) {
    return describe(error)
  }
}

// The text that keywords are searched in: a message, or the arguments of a call without file contents.
function readText(input: RiskInput): string {
  if ('message' in input) return input.message
  const { content: _content, ...args } = input.args
  return [input.tool, ...Object.values(args).filter((value) => typeof value === 'string')].join('\n')
}
