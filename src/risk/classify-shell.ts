// Classifies a shell text: applies the rules to each command that it would run.

import { findAccesses } from './access.ts'
import type { Effect, Evidence, Span, Tier } from './assessment.ts'
import { type Call, findOption, readCall } from './call.ts'
import { findDefaultEffect, isUnknownProgram } from './default-effects.ts'
import { findLaunchedTexts } from './launched-text.ts'
import { findGrammar } from './option-grammars.ts'
import type { Facts, Hit, Rule, TestResult } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import { findShellTextsInCode } from './rules/interpreters.ts'
import { analyzeShell } from './shell/analyze.ts'
import type { Execution, ShellCommand, Snippet, Unknown } from './shell/execution.ts'
import { findProgram } from './shell/programs/table.ts'
import { isWindowsCommand, translateWindowsCode, translateWindowsCommand } from './windows/translate.ts'

/** Evidence collected so far. */
export interface Findings {
  readonly evidence: Evidence[]
  effect: Effect
  tier: Tier
  isUnknown: boolean
}

/** The working folder, facts and rules for a text. */
export interface ClassifyContext {
  readonly cwd: string
  readonly facts: Facts
  readonly rulebook: Rulebook
}

const MAX_MATCHED = 160
const MAX_NESTING = 3

/** Classifies the text, and shell texts inside code of other languages. */
export function classifyShell(
  text: string,
  around: ClassifyContext,
  findings: Findings,
  depth = 0,
  within?: Span,
): void {
  const execution = analyzeShell(text, { cwd: around.cwd, home: around.facts.home })
  const scene =
    execution.assigned.size === 0 ? around : { ...around, facts: { ...around.facts, assigned: execution.assigned } }
  const add: Add = (rule, result, whole) => {
    const hit = readResult(result, whole)
    if (hit === undefined) return false
    addEvidence(findings, rule, within === undefined ? hit : { ...hit, at: within }, text, within)
    return true
  }
  for (const command of execution.commands) {
    if (command.isDormant === true) continue
    if (command.name === undefined) classifyUnknownProgram(command, scene, findings, within)
    else classifyCommand(readCall(command), scene, findings, add)
    if (command.name === undefined || depth >= MAX_NESTING) continue
    if (isWindowsCommand(command.name)) classifyWindowsCommand(command.name, command, scene, findings, depth, within)
    if (mayLaunch(command.name)) classifyLaunched(command, scene, findings, depth, within)
  }
  classifySnippets(execution, scene, findings, add, depth, within)
  for (const { rule, when } of scene.rulebook.forWhole)
    add(rule, when.whole(execution, scene.facts), { start: 0, end: text.length })
  addUnknownParts(execution, findings, within)
}

// Programs of the table are interpreted with their own options.
function mayLaunch(name: string): boolean {
  return isUnknownProgram(name) && findProgram(name) === undefined
}

function classifyLaunched(
  command: ShellCommand,
  scene: ClassifyContext,
  findings: Findings,
  depth: number,
  within: Span | undefined,
): void {
  const isKnown = (name: string): boolean =>
    findProgram(name) !== undefined || scene.rulebook.forProgram(name).length > 0 || !isUnknownProgram(name)
  const inner = { ...scene, cwd: command.cwd ?? scene.cwd }
  for (const text of findLaunchedTexts(command, isKnown))
    classifyShell(text, inner, findings, depth + 1, within ?? command.span)
}

function classifyWindowsCommand(
  name: string,
  { args, span }: ShellCommand,
  scene: ClassifyContext,
  findings: Findings,
  depth: number,
  within: Span | undefined,
): void {
  const words = args.map(({ text }) => text)
  for (const text of translateWindowsCommand(name, words))
    classifyShell(text, scene, findings, depth + 1, within ?? span)
}

// The arguments `-rf /` and `reset --hard` fit rm and git, so an unknown program is classified as each of them.
function classifyUnknownProgram(
  command: ShellCommand,
  scene: ClassifyContext,
  findings: Findings,
  within: Span | undefined,
): void {
  for (const name of ['rm', 'git', 'dd']) {
    const trial: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false }
    const add: Add = (rule, result, whole) => {
      const hit = readResult(result, whole)
      if (hit !== undefined) addEvidence(trial, rule, hit, '')
      return hit !== undefined
    }
    classifyCommand(readCall({ ...command, name }), scene, trial, add)
    if (trial.tier < 4) continue
    const { tier, effect } = trial
    if (tier > findings.tier) findings.tier = tier
    findings.effect = effect
    findings.evidence.push({
      rule: 'shell/dynamic-command',
      effect,
      tier,
      span: within ?? command.span,
      reason: UNKNOWN_REASONS['dynamic-command'],
      owasp: 'ASI05',
      isUncertain: true,
    })
    return
  }
}

type Add = (rule: Rule, result: TestResult, whole: Span) => boolean

function classifyCommand(call: Call, scene: ClassifyContext, findings: Findings, add: Add): void {
  const { facts, rulebook } = scene
  const isHarmless = isHelpOrDryRun(call)
  raiseEffect(findings, isHarmless ? 'read-only' : findDefaultEffect(call))
  const rules = rulebook.forProgram(call.name)
  for (const { rule, check } of rules) {
    if (isHarmless && rule.isAlways !== true) continue
    add(rule, check(call, facts), call.command.span)
  }
  if (!isHarmless && rules.length === 0 && isUnknownProgram(call.name)) {
    for (const { rule, check } of rulebook.forUnknown) add(rule, check(call, facts), call.command.span)
  }
  for (const { rule, check } of rulebook.forEvery) {
    if (!isHarmless) add(rule, check(call, facts), call.command.span)
  }
  for (const access of findAccesses(call)) {
    for (const { rule, when } of rulebook.forAccess(access.kind)) add(rule, when.test(access, facts), access.file.span)
  }
}

// `--help`, `--version` and a dry run do nothing.
function isHelpOrDryRun(call: Call): boolean {
  if (call.options.length === 0) return call.operands[0]?.text === 'help'
  const grammar = findGrammar(call.name)
  for (const { name, word } of call.options) {
    if (name === '--help' || (name === '-h' && grammar.hasShortHelp === true && word.text === '-h')) return true
    if (name === '--version' && call.operands.length === 0) return true
  }
  if (call.operands[0]?.text === 'help') return true
  return grammar.dry.some((name) => findOption(call, [name]) !== undefined)
}

function classifySnippets(
  execution: Execution,
  scene: ClassifyContext,
  findings: Findings,
  add: Add,
  depth: number,
  within: Span | undefined,
): void {
  for (const snippet of execution.snippets) {
    raiseEffect(findings, 'file-modification')
    for (const { rule, when } of scene.rulebook.forLanguage(snippet.language))
      add(rule, when.test(snippet, scene.facts), snippet.span)
    if (depth >= MAX_NESTING) continue
    for (const text of findShellTexts(snippet))
      classifyShell(text, { ...scene, cwd: snippet.cwd ?? scene.cwd }, findings, depth + 1, within ?? snippet.span)
  }
}

function findShellTexts(snippet: Snippet): readonly string[] {
  if (snippet.code.length > 100_000) return []
  return snippet.language === 'other' ? translateWindowsCode(snippet.code) : findShellTextsInCode(snippet)
}

// Texts that make an unknown part suspicious.
const SUSPICIOUS_TEXTS = [
  ' -rf',
  ' -fr',
  ' -r ',
  ' --hard',
  ' --force',
  ' -f ',
  ' / ',
  ' ~',
  'delete',
  'destroy',
  'drop ',
  'rm ',
  'dd ',
  'mkfs',
  'curl',
  'wget',
  'eval',
  'base64',
  '/dev/',
  'sudo',
  'git push',
  'git reset',
  'shutdown',
  'chmod',
  'chown',
]

function addUnknownParts({ unknown }: Execution, findings: Findings, within: Span | undefined): void {
  for (const part of unknown) {
    raiseEffect(findings, 'file-modification')
    if (!isSuspicious(part)) continue
    findings.isUnknown = true
    findings.evidence.push({
      rule: `shell/${part.why}`,
      effect: 'file-modification',
      tier: 3,
      span: within ?? part.span,
      matched: clip(part.text),
      reason: UNKNOWN_REASONS[part.why],
      alternative: 'Write the full command in plain text.',
      owasp: 'ASI05',
      isUncertain: true,
    })
    if (findings.tier < 3) findings.tier = 3
  }
}

const UNKNOWN_REASONS: Readonly<Record<Unknown['why'], string>> = {
  syntax: 'This part cannot be parsed as shell and could do anything.',
  'too-deep': 'The command is nested too deeply to analyse.',
  'too-long': 'The command is too long to analyse.',
  'dynamic-command': 'The program is only known at run time.',
  'dynamic-script': 'The script is only known at run time.',
}

function isSuspicious({ why, text, from }: Unknown): boolean {
  if (why === 'too-deep' || why === 'too-long') return true
  // If a known command prints the script, the rules about downloads apply.
  if (why === 'dynamic-script') return from === undefined || from.length === 0
  const padded = ` ${text} `
  return SUSPICIOUS_TEXTS.some((sign) => padded.includes(sign))
}

/** Raises the effect, never lowers it. */
export function raiseEffect(findings: Findings, effect: Effect): void {
  if (EFFECT_RANK[effect] > EFFECT_RANK[findings.effect]) findings.effect = effect
  if (effect !== 'read-only' && findings.tier < 2) findings.tier = 2
}

/** From harmless to worst. */
export const EFFECT_RANK: Readonly<Record<Effect, number>> = {
  'read-only': 0,
  'file-modification': 1,
  'build-affecting': 2,
  'deploy-affecting': 3,
  destructive: 4,
}

/** Adds the hit of a rule as evidence. */
export function addEvidence(findings: Findings, rule: Rule, hit: Hit, text: string | undefined, within?: Span): void {
  const effect = hit.effect ?? rule.effect
  const tier = hit.tier ?? rule.tier
  if (EFFECT_RANK[effect] > EFFECT_RANK[findings.effect]) findings.effect = effect
  if (tier > findings.tier) findings.tier = tier
  const isKnown = findings.evidence.some(
    (known) => known.rule === rule.id && known.span?.start === hit.at.start && known.span.end === hit.at.end,
  )
  if (isKnown) return
  findings.evidence.push({
    rule: rule.id,
    effect,
    tier,
    ...(text === undefined
      ? {}
      : { span: hit.at, matched: clip(within === undefined ? text.slice(hit.at.start, hit.at.end) : text) }),
    reason: hit.reason ?? rule.reason,
    ...(rule.alternative === undefined ? {} : { alternative: rule.alternative }),
    owasp: rule.owasp,
    ...(hit.isUncertain === true ? { isUncertain: true } : {}),
  })
}

/** The hit that a test result means. */
export function readResult(result: TestResult, whole: Span): Hit | undefined {
  if (result === undefined || result === false) return undefined
  if (result === true) return { at: whole }
  return 'text' in result ? { at: result.span } : result
}

function clip(text: string): string {
  return text.length > MAX_MATCHED ? `${text.slice(0, MAX_MATCHED)}…` : text
}
