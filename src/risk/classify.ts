// The risk of a tool call or a message: effect, tier and the evidence for both. Synchronous and deterministic. Never
// throws: input that cannot be classified is unknown, not harmless.

import { isRecord } from '../engine/plain-data.ts'
import { toolClass } from '../engine/tools.ts'
import type { Assessment, Checklist, Effect, Evidence, RiskInput, Tier } from './assessment.ts'
import { resolveFolderArgument } from './classify-arguments.ts'
import { classifyShell } from './classify-shell.ts'
import { classifyTool } from './classify-tool.ts'
import type { FileEffect } from './file-effects.ts'
import { addEvidence, type ClassifyContext, EFFECT_RANK, type Findings, readResult } from './findings.ts'
import { findMentions } from './message-intents.ts'
import { resolveDots } from './path-class.ts'
import type { Facts, RulePack } from './rule.ts'
import { compilePacks, RULE_PACKS } from './rulebook.ts'
import { listArguments } from './sandbox-arguments.ts'

/** Options of the classification. */
export interface RiskOptions {
  /** Rule packs instead of the built-in ones. Reuse the array: it is compiled once. */
  readonly packs?: readonly RulePack[] | undefined
  readonly facts?: Partial<Facts> | undefined
}

/**
 * The risk of one action.
 *
 *     classifyRisk({ tool: 'shell', args: { command: 'git push --force' } }).tier   // 4
 */
export function classifyRisk(input: RiskInput, options: RiskOptions = {}): Assessment {
  return assess(findAll(input, options, undefined))
}

/** The risk of one action, and the files that it touches, in order. */
export function analyzeRisk(
  input: RiskInput,
  options: RiskOptions = {},
): { readonly risk: Assessment; readonly effects: readonly FileEffect[] } {
  const effects: FileEffect[] = []
  return { risk: assess(findAll(input, options, effects)), effects }
}

function findAll(input: RiskInput, options: RiskOptions, effects: FileEffect[] | undefined): Findings {
  const findings: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false, effects }
  try {
    if ('message' in input && !('tool' in input)) classifyMessage(input.message, findings)
    else classifyCall(input as ToolInput, options, findings)
  } catch (error) {
    noteFailure(error, findings)
  }
  return findings
}

type Args = Readonly<Record<string, unknown>>
type ToolInput = Exclude<RiskInput, { readonly message: string }>

const DEFAULT_HOME = '/home/user'

function classifyCall(input: ToolInput, options: RiskOptions, findings: Findings): void {
  const tool = String(input.tool)
  const args = isRecord(input.args) ? input.args : {}
  const home = options.facts?.home ?? DEFAULT_HOME
  const base = absolute(input.workspace ?? input.cwd ?? '/workspace')
  const cwd = readWorkingFolder(args, base, home) ?? absolute(input.cwd ?? base)
  const workspace = absolute(input.workspace ?? input.cwd ?? cwd)
  const facts: Facts = {
    workspace,
    home,
    ...(options.facts?.isTracked ? { isTracked: options.facts.isTracked } : {}),
    ...(options.facts?.guard ? { guard: options.facts.guard } : {}),
    ...(options.facts?.files ? { files: options.facts.files } : {}),
  }
  const scene: ClassifyContext = {
    cwd,
    facts: { ...facts, workspace: options.facts?.workspace ?? workspace },
    rulebook: compilePacks(options.packs ?? RULE_PACKS),
    ...(facts.files ? { baselines: new Map() } : {}),
  }
  const kind = toolClass(tool)
  const command = kind === 'shell' && !MAY_BE_WINDOWS.test(tool) ? plainCommand(args) : undefined
  if (command !== undefined) classifyShell(command, scene, findings)
  else classifyTool(tool, kind, args, scene, findings)
  checkArguments(args, scene, findings)
}

// A rule about an argument applies to every tool.
function checkArguments(args: Args, { rulebook }: ClassifyContext, findings: Findings): void {
  for (const argument of listArguments(args)) {
    for (const { rule, when } of rulebook.forArguments) {
      const hit = readResult(when.argument(argument), { start: 0, end: argument.text.length })
      if (hit !== undefined) addEvidence(findings, rule, hit, argument.text)
    }
  }
}

// A Windows shell: its commands are parsed in two ways.
const MAY_BE_WINDOWS = /power|pwsh|cmd/i

const FOLDERS = ['workdir', 'cwd', 'working_directory', 'directory', 'working_dir', 'workingDirectory']

function readWorkingFolder(args: Args, base: string, home: string): string | undefined {
  for (const key of FOLDERS) {
    const folder = args[key]
    if (typeof folder === 'string' && folder !== '') return resolveFolderArgument(folder, base, home)
  }
  return undefined
}

function absolute(path: string): string {
  return resolveDots(path.startsWith('/') ? path : `/${path}`)
}

const BESIDE_COMMAND = new Set(['command', 'description', 'explanation', ...FOLDERS])

// The usual shell call: one command, and no other argument that could be a command.
function plainCommand(args: Args): string | undefined {
  for (const key of Object.keys(args)) {
    const value = args[key]
    if ((typeof value === 'string' || typeof value === 'object') && value !== null && !BESIDE_COMMAND.has(key))
      return undefined
  }
  return typeof args.command === 'string' ? args.command : undefined
}

function classifyMessage(message: string, findings: Findings): void {
  for (const { effect, tier, span } of findMentions(String(message)).slice(0, 50)) {
    if (EFFECT_RANK[effect] > EFFECT_RANK[findings.effect]) findings.effect = effect
    if (tier > findings.tier) findings.tier = tier
    findings.evidence.push({
      rule: `message/${effect}`,
      effect,
      tier,
      span,
      matched: message.slice(span.start, span.end),
      reason: MESSAGE_REASONS[effect],
      owasp: 'ASI01',
    })
  }
}

const MESSAGE_REASONS: Readonly<Record<Effect, string>> = {
  'read-only': 'The message asks to read something.',
  'file-modification': 'The message asks to change files.',
  'build-affecting': 'The message asks to change dependencies or the build.',
  'deploy-affecting': 'The message asks to deploy or publish.',
  destructive: 'The message asks for a change that cannot be undone.',
}

function noteFailure(error: unknown, findings: Findings): void {
  findings.isUnknown = true
  findings.effect = 'destructive'
  findings.tier = 4
  const why = error instanceof Error ? error.message : String(error)
  findings.evidence.push({
    rule: 'risk/failed',
    effect: 'destructive',
    tier: 4,
    reason: `The risk could not be classified: ${why}`,
    isUncertain: true,
  })
}

function assess({ evidence, effect, tier, isUnknown }: Findings): Assessment {
  const sorted = evidence.length < 2 ? evidence : [...evidence].sort(byGravity)
  const requiresConfirmation = EFFECT_RANK[effect] >= EFFECT_RANK['deploy-affecting'] || tier >= 4
  return { effect, tier, requiresConfirmation, checklist: findChecklist(effect, tier), evidence: sorted, isUnknown }
}

// Most severe first; certain evidence before uncertain evidence of the same tier.
function byGravity(a: Evidence, b: Evidence): number {
  return (
    b.tier - a.tier ||
    Number(a.isUncertain ?? false) - Number(b.isUncertain ?? false) ||
    EFFECT_RANK[b.effect] - EFFECT_RANK[a.effect]
  )
}

function findChecklist(effect: Effect, tier: Tier): Checklist {
  if (tier >= 4 || EFFECT_RANK[effect] >= EFFECT_RANK['deploy-affecting']) return 'strict'
  return effect === 'read-only' && tier === 1 ? 'light' : 'standard'
}
