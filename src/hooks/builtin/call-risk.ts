// The risk of what a step would do, rated once: several hooks ask for it, and to read a command is the dearest thing
// that a pipeline does. What was edited meanwhile is other data, and is rated anew.

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

/** Rates by the rules that ARC brings along. Paths that are written out in full are known by the real home. */
const classifyByRules: Classifier = (input) =>
  classifyRisk(input, { packs: RULE_PACKS, facts: { home: readHome(input) } })

/** Rates by these packs; the same classifier for all who have the same guard and no packs of their own. */
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

// By the frozen data that every hook of a step is shown.
const ratings = new WeakMap<object, Rated>()

/** What a step is rated by, and its rating. */
export function rateStep(step: Step, classify: Classifier): Pick<Rated, 'input' | 'risk'> {
  const { data, workspace } = step
  const kept = ratings.get(data)
  if (kept !== undefined && kept.classify === classify && kept.workspace === workspace) return kept
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
