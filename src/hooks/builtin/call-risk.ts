// The risk of a step, rated once: several hooks need it, and analysing a command is the most expensive part of a
// pipeline. A step with edited data is rated again.

import { homedir } from 'node:os'
import type { Guard } from '../../engine/guarded-paths.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import type { Assessment, RiskInput } from '../../risk/assessment.ts'
import { classifyRisk } from '../../risk/classify.ts'
import type { RulePack } from '../../risk/rule.ts'
import { RULE_PACKS } from '../../risk/rulebook.ts'

/** Rates an action or a message. */
export type Classifier = (input: RiskInput) => Assessment

/** Rates by the built-in rules. The real home folder recognises absolute paths. */
const classifyByRules: Classifier = (input) =>
  classifyRisk(input, { packs: RULE_PACKS, facts: { home: readHome(input) } })

/** A classifier with these packs; shared by callers with the same guard and only the built-in packs. */
export function createClassifier(packs: readonly RulePack[], guard?: Guard): Classifier {
  if (packs !== RULE_PACKS) return (input) => classifyRisk(input, { packs, facts: { home: readHome(input), guard } })
  if (guard === undefined) return classifyByRules
  const known = guarded.get(guard)
  if (known !== undefined) return known
  const classify: Classifier = (input) => classifyRisk(input, { packs, facts: { home: readHome(input), guard } })
  guarded.set(guard, classify)
  return classify
}

// A managed daemon runs as another account than the agent.
function readHome(input: RiskInput): string {
  return ('home' in input ? input.home : undefined) ?? homedir()
}

const guarded = new WeakMap<Guard, Classifier>()

interface Rated {
  readonly classify: Classifier
  readonly workspace: string | undefined
  readonly input: RiskInput
  readonly risk: Assessment
}

// Keyed by the frozen data that all hooks of a step get.
const ratings = new WeakMap<object, Rated>()

/** The rated input of a step, and its risk. */
export function rateStep(step: Step, classify: Classifier): Pick<Rated, 'input' | 'risk'> {
  const { data, workspace } = step
  const cached = ratings.get(data)
  if (cached !== undefined && cached.classify === classify && cached.workspace === workspace) return cached
  const input = buildInput(step)
  const rated = { classify, workspace, input, risk: classify(input) }
  ratings.set(data, rated)
  return rated
}

function buildInput({ point, data, workspace, metadata }: Step): RiskInput {
  const { tool, args, prompt, path, content, config } = data as Readonly<Record<string, unknown>>
  const home = typeof metadata.callerHome === 'string' ? metadata.callerHome : undefined
  const around = { workspace, ...(home !== undefined && { home }) }
  if (point === 'pre:git:write') return { tool: 'write', args: { file_path: path, content }, cwd: workspace, ...around }
  // What an agent is started or handed work with is a message to it.
  if (point === 'pre:agent:spawn') return readMessage(isRecord(config) ? config.prompt : undefined)
  if (point !== 'pre:tool') return readMessage(prompt)
  const { cwd = workspace } = isRecord(args) ? args : {}
  const place = { cwd: typeof cwd === 'string' ? cwd : workspace, ...around }
  return { tool: typeof tool === 'string' ? tool : String(tool), args: isRecord(args) ? args : { args }, ...place }
}

function readMessage(text: unknown): RiskInput {
  return { message: typeof text === 'string' ? text : '' }
}
