// Classifies commands, code and SQL in the arguments of a tool. Code and SQL are classified as input of their interpreter,
// so that the same rules apply to `python3 -c`, a notebook and a tool of an MCP server.

import type { ToolClass } from '../engine/tools.ts'
import type { Evidence, Span } from './assessment.ts'
import { classifyShell } from './classify-shell.ts'
import { withInput } from './command-text.ts'
import { type ClassifyContext, EFFECT_RANK, type Findings, raiseEffect } from './findings.ts'
import { resolveDots } from './path-class.ts'
import { type Reading, readArguments } from './read-arguments.ts'
import { findSqlLoss } from './sql.ts'
import type { Language, ToolTraits } from './tool-traits.ts'

/** The content of the arguments. */
export interface ClassifiedArguments {
  /** A command, code or SQL was found. */
  readonly hasRead: boolean
  /** Texts of GraphQL that change something. */
  readonly mutations: readonly string[]
}

/** Classifies all commands, code and SQL in the arguments. */
export function classifyArguments(
  traits: ToolTraits,
  kind: ToolClass | undefined,
  args: unknown,
  scene: ClassifyContext,
  findings: Findings,
): ClassifiedArguments {
  const { found, unreadable } = readArguments(traits, kind, args)
  const mutations: string[] = []
  for (const reading of found) {
    if (reading.as === 'graphql') mutations.push(reading.text)
    else classifyReading(reading, withWorkingFolder(reading, scene), findings)
  }
  for (const why of unreadable) addUnreadable(why, findings)
  return { hasRead: found.some(({ isGuess }) => !isGuess), mutations }
}

function withWorkingFolder({ cwd }: Reading, scene: ClassifyContext): ClassifyContext {
  return cwd === undefined ? scene : { ...scene, cwd: resolveFolderArgument(cwd, scene.cwd, scene.facts.home) }
}

/** Resolves a folder argument: absolute, in the home, or relative to the current folder. */
export function resolveFolderArgument(given: string, cwd: string, home: string): string {
  const path = given.startsWith('~/') || given === '~' ? home + given.slice(1) : given
  return resolveDots(path.startsWith('/') ? path : `${cwd}/${path}`)
}

function classifyReading(reading: Reading, scene: ClassifyContext, findings: Findings): void {
  const { as, text, isGuess } = reading
  if (as === 'shell' && !isGuess) classifyShell(text, scene, findings)
  else if (as === 'shell') classifyAs(reading, '', scene, findings)
  else if (as === 'sql') classifyAs(reading, 'psql', scene, findings)
  else {
    if (!isGuess) raiseEffect(findings, 'file-modification')
    const { language } = reading
    for (const program of language === undefined ? GUESSED : [PROGRAMS[language]])
      classifyAs({ ...reading, isGuess: isGuess || language === undefined }, program, scene, findings)
    for (const line of language === undefined || language === 'python' ? shellEscapes(text) : [])
      classifyAs({ ...reading, text: line, isGuess: true }, '', scene, findings)
    // Code of no known language may be shell text.
    if (language === undefined) classifyAs({ ...reading, isGuess: true }, '', scene, findings)
  }
}

const PROGRAMS: Readonly<Record<Language, string>> = {
  shell: '',
  python: 'python3',
  javascript: 'node',
  ruby: 'ruby',
  perl: 'perl',
  php: 'php',
  awk: 'awk',
  sql: 'psql',
  other: 'pwsh',
}
const GUESSED = ['python3', 'node', 'ruby']

// Notebooks run `!command` and cells that begin with `%%bash` in a shell.
function shellEscapes(code: string): string[] {
  const cell = /^\s*%%(?:bash|sh|script\s+\S+|shell)[^\n]*\n([\s\S]*)$/.exec(code)
  if (cell !== null) return [cell[1] ?? '']
  const lines = [...code.matchAll(/^\s*(?:!|%sx\s|%system\s)(.+)$/gm)].map(([, line = '']) => line)
  return lines.length === 0 ? [] : [lines.join('\n')]
}

// Classifies a text as input of a program, or as shell text. The evidence is added with positions in the
// text.
function classifyAs({ text, as, isGuess }: Reading, program: string, scene: ClassifyContext, findings: Findings): void {
  const whole = program === '' ? text : withInput(program, text)
  const shift = program === '' ? 0 : whole.indexOf('\n') + 1
  const trial: Findings = { evidence: [], effect: 'read-only', tier: 1, isUnknown: false }
  classifyShell(whole, scene, trial)
  const loss = as === 'sql' ? findSqlLoss(text) : undefined
  for (const item of trial.evidence) {
    if (isGuess && (item.tier < 4 || item.rule.startsWith('shell/'))) continue
    const span = loss !== undefined && item.rule.startsWith('databases/') ? loss : shiftSpan(text, item.span, shift)
    addForeignEvidence(
      findings,
      span === undefined
        ? item
        : {
            ...item,
            span: { start: span.start, end: span.end },
            matched: text.slice(span.start, Math.min(span.end, span.start + MAX_MATCHED)),
          },
    )
  }
  if (!isGuess && trial.isUnknown) findings.isUnknown = true
}

const MAX_MATCHED = 160

function shiftSpan(text: string, span: Span | undefined, shift: number): Span | undefined {
  if (span === undefined) return undefined
  const start = Math.max(0, span.start - shift)
  const end = Math.min(text.length, Math.max(0, span.end - shift))
  return end > start ? { start, end } : { start: 0, end: text.length }
}

function addForeignEvidence(findings: Findings, item: Evidence): void {
  if (EFFECT_RANK[item.effect] > EFFECT_RANK[findings.effect]) findings.effect = item.effect
  if (item.tier > findings.tier) findings.tier = item.tier
  const isKnown = findings.evidence.some(({ rule, matched }) => rule === item.rule && matched === item.matched)
  if (!isKnown) findings.evidence.push(item)
}

function addUnreadable(why: string, findings: Findings): void {
  findings.isUnknown = true
  raiseEffect(findings, 'file-modification')
  if (findings.tier < 3) findings.tier = 3
  findings.evidence.push({
    rule: 'tools/unreadable',
    effect: 'file-modification',
    tier: 3,
    reason: `Cannot read what the tool would run: ${why}.`,
    alternative: 'Pass the command as plain text.',
    owasp: 'ASI05',
    isUncertain: true,
  })
}
