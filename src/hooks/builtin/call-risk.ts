// The risk of a step, rated once: several hooks need it, and analysing a command is the most expensive part of a
// pipeline. A step with edited data is rated again.

import { homedir } from 'node:os'
import { isRecord } from '../../engine/plain-data.ts'
import type { Step } from '../../engine/step.ts'
import type { Assessment, RiskInput } from '../../risk/assessment.ts'
import { analyzeRisk } from '../../risk/classify.ts'
import type { FileEffect } from '../../risk/file-effects.ts'
import type { RulePack } from '../../risk/rule.ts'
import { RULE_PACKS } from '../../risk/rulebook.ts'
import type { FactService, SupervisionServices } from './services.ts'

/** The risk of an action or a message, and the files that it touches. */
interface Rating {
  readonly risk: Assessment
  readonly effects: readonly FileEffect[]
}

/** Rates an action or a message; the session is that of the call. */
export type Classifier = (input: RiskInput, session?: string) => Rating

/** A classifier with these packs; shared by callers with the same services and only the built-in packs. */
export function createClassifier(packs: readonly RulePack[], services: ClassifierServices = {}): Classifier {
  if (packs !== RULE_PACKS) return makeClassifier(packs, services)
  const shared = services.guard ?? NO_GUARD
  const known = classifiers.get(shared)
  if (known !== undefined && known.facts === services.facts) return known.classify
  const classify = makeClassifier(packs, services)
  classifiers.set(shared, { facts: services.facts, classify })
  return classify
}

/** What a classifier uses of the services. */
export type ClassifierServices = Pick<SupervisionServices, 'guard' | 'facts'>

const NO_GUARD = {}
const classifiers = new WeakMap<object, { readonly facts: FactService | undefined; readonly classify: Classifier }>()

// The real home folder recognises absolute paths.
function makeClassifier(packs: readonly RulePack[], { guard, facts }: ClassifierServices): Classifier {
  return (input, session) => {
    const home = readHome(input)
    const files = 'tool' in input ? facts?.open({ workspace: input.workspace, home, session }) : undefined
    return analyzeRisk(input, { packs, facts: { home, guard, files } })
  }
}

// A managed daemon runs as another account than the agent.
/** The home folder of the caller. */
export function readHome(input: RiskInput): string {
  return ('home' in input ? input.home : undefined) ?? homedir()
}

interface Rated extends Rating {
  readonly classify: Classifier
  readonly workspace: string | undefined
  readonly input: RiskInput
}

// Keyed by the frozen data that all hooks of a step get.
const ratings = new WeakMap<object, Rated>()

/** The rated input of a step, and its risk. */
export function rateStep(step: Step, classify: Classifier): Pick<Rated, 'input' | 'risk' | 'effects'> {
  const { data, workspace } = step
  const cached = ratings.get(data)
  if (cached !== undefined && cached.classify === classify && cached.workspace === workspace) return cached
  const input = buildInput(step)
  const rated = { ...classify(input, step.session), classify, workspace, input }
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
