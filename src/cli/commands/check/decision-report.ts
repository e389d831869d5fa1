// How `arc check` shows an answer to a person: each fact once, the matched part underlined.

import { homedir } from 'node:os'
import type { Evaluation } from '../../../engine/outcome.ts'
import type { Assessment, Evidence } from '../../../risk/assessment.ts'
import { explain, TIERS } from '../../../risk/explain.ts'
import type { DryRunResult } from '../../../supervisor/dry-run.ts'
import colors from '../../colors.ts'
import { alignColumns, columnsOf, LOOK, oneLine, paintDecision, print, widthOf, wrap } from '../../output.ts'
import { type MarkedLine, markPart } from './underline.ts'

/** The part of an answer that comes from risk detection. */
export interface FoundRisk {
  readonly risk?: Assessment
  readonly gravest?: Evidence
}

/** What risk detection found. */
export function riskOf({ outcome }: DryRunResult): FoundRisk {
  const { risk } = outcome.metadata as { readonly risk?: Assessment }
  const [gravest] = risk?.evidence ?? []
  return { ...(risk && { risk }), ...(gravest && { gravest }) }
}

/** Prints an answer; with the surroundings of the command, also how risk detection read it. */
export function printAnswer(text: string, foreseen: DryRunResult, explained?: { readonly cwd: string }): void {
  const { outcome } = foreseen
  const { risk, gravest } = riskOf(foreseen)
  const colour = LOOK[outcome.decision].paint
  printText(text, outcome.decision, gravest)
  if (outcome.reason !== undefined) fact('why', reasonOf(outcome.reason, gravest))
  const instead = gravest?.alternative ?? outcome.suggestion
  if (instead !== undefined) fact('instead', instead, colors.bold)
  if (risk !== undefined) {
    const rule = gravest === undefined ? '' : `, rule ${gravest.rule}`
    fact('risk', `${risk.effect}, tier ${risk.tier} (${TIERS[risk.tier]})${rule}`)
  }
  for (const [at, other] of othersOf(risk).entries()) fact(at === 0 ? 'also' : '', other)
  printHooks(foreseen)
  if (explained !== undefined && risk !== undefined) {
    print('')
    const lines = explain(risk, text, { cwd: explained.cwd, home: homedir() }).trimEnd().split('\n')
    for (const line of lines) print(/^ +\^~*$/.test(line) ? colour(line) : line)
  }
}

// The command as it was given, marked in place where that fits on a line; else the marked line below it.
function printText(text: string, decision: DryRunResult['outcome']['decision'], gravest: Evidence | undefined): void {
  const head = `${LOOK[decision].icon} ${decision}  `
  const room = columnsOf() - widthOf(head)
  const isWhole = !text.includes('\n') && widthOf(text) <= room
  const marked = markOf(text, gravest, isWhole ? room : columnsOf() - LABEL_WIDTH - 2)
  const shown = isWhole && marked !== undefined ? marked.line : oneLine(text.trim().replace(/\n+/g, ' ⏎ '), room)
  print(`${paintDecision(decision)}  ${shown}`)
  if (marked === undefined) {
    if (gravest?.matched !== undefined) fact('matched', gravest.matched)
    return
  }
  const paint = LOOK[decision].paint
  if (isWhole) {
    print(`${' '.repeat(widthOf(head))}${paint(marked.marks)}`)
    return
  }
  row(text.includes('\n') ? `line ${marked.number}` : 'matched', marked.line)
  row('', paint(marked.marks))
}

// Other tools than shells are judged by one of their arguments: a place in that is none in what was typed.
function markOf(text: string, gravest: Evidence | undefined, columns: number): MarkedLine | undefined {
  if (gravest?.span === undefined) return undefined
  const { span, matched = '' } = gravest
  const isHere = text.slice(span.start, span.end).startsWith(matched.replace(/…$/, ''))
  return isHere ? markPart(text, span, columns) : undefined
}

// Hooks put rule and alternative into their reason, for those who see nothing else; here these have their own lines.
function reasonOf(reason: string, gravest: Evidence | undefined): string {
  return gravest !== undefined && reason.includes(gravest.reason) ? gravest.reason : reason
}

const MAX_OTHERS = 3

function othersOf(risk: Assessment | undefined): readonly string[] {
  const [gravest, ...others] = risk?.evidence ?? []
  const own = new Map(others.filter(({ rule }) => rule !== gravest?.rule).map((one) => [one.rule, one]))
  const all = [...own.values()].map(({ rule, tier, reason }) => `${rule}, tier ${tier}: ${reason}`)
  const more = all.length - MAX_OTHERS
  return more > 0 ? [...all.slice(0, MAX_OTHERS), `and ${more} more: arc check --explain`] : all
}

function printHooks(foreseen: DryRunResult): void {
  const { evaluations, skipped: leftOut } = foreseen
  const found = riskOf(foreseen)
  const ran = evaluations.filter(({ hook }) => !leftOut.includes(hook))
  const rows = ran.map((evaluation) => hookRow(evaluation, found))
  for (const [at, line] of alignColumns(rows, { right: [0] }).entries()) row(at === 0 ? 'hooks' : '', line)
  if (ran.length === 0 && leftOut.length === 0) fact('hooks', 'none stands here; "arc hooks list" shows the pipeline')
  if (leftOut.length > 0) fact('left out', `${leftOut.join(', ')} (would leave the process, so not run here)`)
}

function hookRow({ hook, priority, decision, skipped, reason }: Evaluation, found: FoundRisk): string[] {
  const what = skipped === undefined ? paintDecision(decision) : colors.dim(`– ${skipped}`)
  const own = reason === undefined ? '' : ownPart(reason, found)
  return [String(priority), hook, what, colors.dim(oneLine(own, Math.max(20, columnsOf() - REASON_COLUMN)))]
}

const REASON_COLUMN = 48

// What a hook says beyond the rating and the evidence, which are shown already.
function ownPart(reason: string, { risk, gravest }: FoundRisk): string {
  if (risk === undefined || gravest === undefined || !reason.includes(gravest.reason)) return reason
  const before = reason.slice(0, reason.indexOf(gravest.reason)).replace(/[\s:(]+$/, '')
  return before.replace(`${risk.effect}, tier ${risk.tier}, `, '')
}

const LABEL_WIDTH = 9

function fact(name: string, value: string, paint = (text: string): string => text): void {
  for (const [at, line] of wrap(oneLine(value, 600), columnsOf() - LABEL_WIDTH - 2).entries()) {
    row(at === 0 ? name : '', paint(line))
  }
}

function row(name: string, value: string): void {
  print(`  ${colors.dim(name.padEnd(LABEL_WIDTH))}${value}`)
}
