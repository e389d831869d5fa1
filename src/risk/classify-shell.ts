// Classifies a shell text: applies the rules to each command that it would run.

import { findAccesses } from './access.ts'
import type { Span } from './assessment.ts'
import { type Call, findOption, readCall } from './call.ts'
import { classifyCode } from './classify-code.ts'
import { findDefaultEffect, isUnknownProgram } from './default-effects.ts'
import { type EvidenceLocation, findLocation, type LocatedText, lowerTier, showPath } from './evidence-location.ts'
import { addCopies, addFileEffect } from './file-effects.ts'
import { addEvidence, type ClassifyContext, clipMatched, type Findings, raiseEffect, readResult } from './findings.ts'
import { findLaunchedTexts } from './launched-text.ts'
import { findGrammar } from './option-grammars.ts'
import { baselineKey, findPlainCall, isCodeFile } from './project-baseline.ts'
import type { Hit, Rule, TestResult } from './rule.ts'
import { analyzeShell } from './shell/analyze.ts'
import type { Execution, ShellCommand, Unknown } from './shell/execution.ts'
import { findProgram } from './shell/programs/table.ts'
import type { SourceFile, SourceFiles } from './shell/source-files.ts'
import { isWindowsCommand, translateWindowsCommand } from './windows/translate.ts'

const MAX_NESTING = 3
/** Pieces of code that are parsed in one text; more come from loops, and are searched by pattern. */
const MAX_PARSED = 10

/** Classifies the text, and shell texts inside code of other languages. `within`: where the text itself is. */
export function classifyShell(
  text: string,
  around: ClassifyContext,
  findings: Findings,
  depth = 0,
  within?: EvidenceLocation,
): void {
  const { home, files } = around.facts
  const execution = analyzeShell(text, { cwd: around.cwd, home, files, positional: around.positional })
  const { commands, sources } = execution
  const scene = execution.assigned.size === 0 && files === undefined ? around : withExecution(around, execution)
  const located: LocatedText = { text, sources, within }
  const add: Add = (rule, result, whole) => {
    const hit = readResult(result, whole)
    if (hit === undefined) return false
    addLocated(findings, rule, hit, findLocation(located, hit.at), execution, scene)
    return true
  }
  for (const command of commands) {
    if (command.isDormant === true) continue
    if (command.name === undefined) classifyUnknownProgram(command, scene, findings, located)
    else classifyCommand(readCall(command), scene, findings, add)
    if (command.name === undefined || depth >= MAX_NESTING) continue
    if (isWindowsCommand(command.name)) classifyWindowsCommand(command.name, command, scene, findings, depth, located)
    if (mayLaunch(command.name)) classifyLaunched(command, scene, findings, depth, located)
  }
  classifySnippets(execution, scene, findings, add, depth, located)
  for (const { rule, when } of scene.rulebook.forWhole)
    add(rule, when.whole(execution, scene.facts), { start: 0, end: text.length })
  addUnknownParts(execution, findings, located)
  if (sources !== undefined) addUnread(sources, findings)
}

function withExecution(around: ClassifyContext, { assigned, commands }: Execution): ClassifyContext {
  return { ...around, facts: { ...around.facts, assigned, commands } }
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
  located: LocatedText,
): void {
  const isKnown = (name: string): boolean =>
    findProgram(name) !== undefined || scene.rulebook.forProgram(name).length > 0 || !isUnknownProgram(name)
  const inner = { ...scene, cwd: command.cwd ?? scene.cwd }
  for (const text of findLaunchedTexts(command, isKnown))
    classifyShell(text, inner, findings, depth + 1, findLocation(located, command.span))
}

function classifyWindowsCommand(
  name: string,
  { args, span }: ShellCommand,
  scene: ClassifyContext,
  findings: Findings,
  depth: number,
  located: LocatedText,
): void {
  const words = args.map(({ text }) => text)
  for (const text of translateWindowsCommand(name, words))
    classifyShell(text, scene, findings, depth + 1, findLocation(located, span))
}

// The arguments `-rf /` and `reset --hard` fit rm and git, so an unknown program is classified as each of them.
function classifyUnknownProgram(
  command: ShellCommand,
  scene: ClassifyContext,
  findings: Findings,
  located: LocatedText,
): void {
  const { span, source } = findLocation(located, command.span)
  if (source?.file.isProjects) return
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
      span,
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
  if (findings.effects !== undefined) addCopies(findings.effects, call, facts)
  for (const access of findAccesses(call)) {
    if (findings.effects !== undefined) addFileEffect(findings.effects, access, facts)
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
  located: LocatedText,
): void {
  for (const [index, snippet] of execution.snippets.entries()) {
    raiseEffect(findings, 'file-modification')
    const { hits, shellTexts } = classifyCode(snippet, scene, index < MAX_PARSED)
    for (const { rule, hit } of hits) add(rule, hit, snippet.span)
    if (depth >= MAX_NESTING) continue
    for (const { text, at } of shellTexts) {
      const inner = { ...scene, cwd: snippet.cwd ?? scene.cwd }
      const location = { ...findLocation(located, at), isCode: true }
      classifyShell(text, inner, findings, depth + 1, location)
    }
  }
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

function addUnknownParts({ unknown }: Execution, findings: Findings, located: LocatedText): void {
  for (const part of unknown) {
    raiseEffect(findings, 'file-modification')
    if (!isSuspicious(part)) continue
    const { span, source } = findLocation(located, part.span)
    if (source?.file.isProjects) continue
    findings.isUnknown = true
    findings.evidence.push({
      rule: `shell/${part.why}`,
      effect: 'file-modification',
      tier: 3,
      span,
      matched: clipMatched(part.text),
      ...(source && { file: source.file.path, line: source.line }),
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

// A hit in a file names the file and the line. In a file of the project it counts less, unless the arguments of the call
// cause it.
function addLocated(
  findings: Findings,
  rule: Rule,
  hit: Hit,
  location: EvidenceLocation,
  execution: Execution,
  scene: ClassifyContext,
): void {
  const { source } = location
  if (source === undefined) {
    addEvidence(findings, rule, hit, location)
    return
  }
  const { workspace, home } = scene.facts
  const where = `${showPath(source.file.path, workspace, home)}:${source.line}`
  const isLowered =
    source.file.isProjects && (location.isCode === true || isInBaseline(rule, hit, source.file, execution, scene))
  const lowered = isLowered ? lowerTier(hit.tier ?? rule.tier) : undefined
  addEvidence(findings, rule, { ...hit, ...lowered, reason: `${hit.reason ?? rule.reason} In ${where}.` }, location)
}

function isInBaseline(rule: Rule, hit: Hit, file: SourceFile, execution: Execution, scene: ClassifyContext): boolean {
  const { baselines } = scene
  if (baselines === undefined) return false
  if ((hit.tier ?? rule.tier) < 4 || isCodeFile(file, execution)) return true
  const baseline = baselines.get(file.path) ?? findBaseline(file, execution, scene)
  baselines.set(file.path, baseline)
  return baseline.has(baselineKey(rule.id, hit.tier ?? rule.tier, hit.isUncertain === true))
}

// What the file does without arguments, and with arguments that are unknown.
function findBaseline(file: SourceFile, execution: Execution, scene: ClassifyContext): ReadonlySet<string> {
  const plain: ClassifyContext = {
    ...scene,
    cwd: scene.facts.workspace ?? scene.cwd,
    facts: { ...scene.facts, assigned: undefined },
    baselines: undefined,
  }
  const found: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false }
  const text = findPlainCall(file, execution)
  classifyShell(text, plain, found)
  classifyShell(text, { ...plain, positional: [] }, found)
  return new Set(found.evidence.map(({ rule, tier, isUncertain }) => baselineKey(rule, tier, isUncertain === true)))
}

function addUnread({ unread }: SourceFiles, findings: Findings): void {
  for (const { path, reason } of unread.values())
    findings.evidence.push({
      rule: 'shell/unread-file',
      effect: 'file-modification',
      tier: 2,
      file: path,
      reason: `Runs ${path}, which ${reason}. Its content is not classified.`,
      owasp: 'ASI05',
    })
}
