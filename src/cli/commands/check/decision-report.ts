// Prints the decision of `arc check`: each fact once, the matched part underlined.

import { homedir } from 'node:os'
import type { Evaluation } from '../../../engine/outcome.ts'
import type { Assessment, Evidence } from '../../../risk/assessment.ts'
import { explain, TIERS } from '../../../risk/explain.ts'
import type { DryRunResult } from '../../../supervisor/dry-run.ts'
import colors from '../../colors.ts'
import {
  alignColumns,
  DECISION_STYLE,
  displayWidth,
  oneLine,
  paintDecision,
  print,
  terminalColumns,
  wrap,
} from '../../output.ts'
import { type UnderlinedLine, underline } from './underline.ts'

/** The result of risk detection. */
export interface FoundRisk {
  readonly risk?: Assessment
  readonly gravest?: Evidence
}

/** Extracts the result of risk detection. */
export function findRisk({ outcome }: DryRunResult): FoundRisk {
  const { risk } = outcome.metadata as { readonly risk?: Assessment }
  const [gravest] = risk?.evidence ?? []
  return { ...(risk && { risk }), ...(gravest && { gravest }) }
}

/** The reason of a hook that would have stopped the call without an exception of the user. */
export function findAllowed({ evaluations }: DryRunResult): string | undefined {
  return evaluations.findLast(({ metadata }) => Array.isArray(metadata?.exceptions))?.reason
}

/** Prints a decision; with `explained`, also how risk detection parsed the command. */
export function printDecision(text: string, foreseen: DryRunResult, explained?: { readonly cwd: string }): void {
  const { outcome } = foreseen
  const { risk, gravest } = findRisk(foreseen)
  const colour = DECISION_STYLE[outcome.decision].paint
  printText(text, outcome.decision, gravest)
  const allowed = findAllowed(foreseen)
  if (outcome.reason !== undefined) fact('why', shortenReason(outcome.reason, gravest))
  if (allowed !== undefined) fact('allowed', allowed.replace(/^allowed /, ''))
  // An allowed command needs no alternative.
  const instead = allowed === undefined ? (gravest?.alternative ?? outcome.suggestion) : undefined
  if (instead !== undefined) fact('instead', instead, colors.bold)
  if (risk !== undefined) {
    const rule = gravest === undefined ? '' : `, rule ${gravest.rule}`
    fact('risk', `${risk.effect}, tier ${risk.tier} (${TIERS[risk.tier]})${rule}`)
  }
  for (const [at, other] of listOtherEvidence(risk).entries()) fact(at === 0 ? 'also' : '', other)
  printHooks(foreseen)
  if (explained !== undefined && risk !== undefined) {
    print('')
    const lines = explain(risk, text, { cwd: explained.cwd, home: homedir() }).trimEnd().split('\n')
    for (const line of lines) print(/^ +\^~*$/.test(line) ? colour(line) : line)
  }
}

// The command on one line with the match underlined, if it fits; else the matched line below it.
function printText(text: string, decision: DryRunResult['outcome']['decision'], gravest: Evidence | undefined): void {
  const head = `${DECISION_STYLE[decision].icon} ${decision}  `
  const room = terminalColumns() - displayWidth(head)
  const isWhole = !text.includes('\n') && displayWidth(text) <= room
  const marked = underlineMatch(text, gravest, isWhole ? room : terminalColumns() - LABEL_WIDTH - 2)
  const shown = isWhole && marked !== undefined ? marked.line : oneLine(text.trim().replace(/\n+/g, ' ⏎ '), room)
  print(`${paintDecision(decision)}  ${shown}`)
  if (marked === undefined) {
    if (gravest?.matched !== undefined) fact('matched', gravest.matched)
    return
  }
  const paint = DECISION_STYLE[decision].paint
  if (isWhole) {
    print(`${' '.repeat(displayWidth(head))}${paint(marked.marks)}`)
    return
  }
  row(text.includes('\n') ? `line ${marked.number}` : 'matched', marked.line)
  row('', paint(marked.marks))
}

// Tools other than shells are rated by one argument, so the span need not lie in the typed text.
function underlineMatch(text: string, gravest: Evidence | undefined, columns: number): UnderlinedLine | undefined {
  if (gravest?.span === undefined) return undefined
  const { span, matched = '' } = gravest
  const isHere = text.slice(span.start, span.end).startsWith(matched.replace(/…$/, ''))
  return isHere ? underline(text, span, columns) : undefined
}

// Hooks repeat rule and alternative in their reason; here both have their own lines.
function shortenReason(reason: string, gravest: Evidence | undefined): string {
  return gravest !== undefined && reason.includes(gravest.reason) ? gravest.reason : reason
}

const MAX_OTHERS = 3

function listOtherEvidence(risk: Assessment | undefined): readonly string[] {
  const [gravest, ...others] = risk?.evidence ?? []
  const own = new Map(others.filter(({ rule }) => rule !== gravest?.rule).map((one) => [one.rule, one]))
  const all = [...own.values()].map(({ rule, tier, reason }) => `${rule}, tier ${tier}: ${reason}`)
  const more = all.length - MAX_OTHERS
  return more > 0 ? [...all.slice(0, MAX_OTHERS), `and ${more} more: arc check --explain`] : all
}

function printHooks(foreseen: DryRunResult): void {
  const { evaluations, skipped: leftOut } = foreseen
  const found = findRisk(foreseen)
  const ran = evaluations.filter(({ hook }) => !leftOut.includes(hook))
  const rows = ran.map((evaluation) => hookRow(evaluation, found))
  for (const [at, line] of alignColumns(rows, { right: [0] }).entries()) row(at === 0 ? 'hooks' : '', line)
  if (ran.length === 0 && leftOut.length === 0) fact('hooks', 'no hook applies; see arc hooks list')
  if (leftOut.length > 0) fact('skipped', `${leftOut.join(', ')} (runs outside of this process)`)
}

function hookRow({ hook, priority, decision, skipped, reason }: Evaluation, found: FoundRisk): string[] {
  const what = skipped === undefined ? paintDecision(decision) : colors.dim(`– ${skipped}`)
  const own = reason === undefined ? '' : trimReason(reason, found)
  return [String(priority), hook, what, colors.dim(oneLine(own, Math.max(20, terminalColumns() - REASON_COLUMN)))]
}

const REASON_COLUMN = 48

// Cuts the rating and the evidence, which are printed above, from the reason of a hook.
function trimReason(reason: string, { risk, gravest }: FoundRisk): string {
  if (risk === undefined || gravest === undefined || !reason.includes(gravest.reason)) return reason
  const before = reason.slice(0, reason.indexOf(gravest.reason)).replace(/[\s:(]+$/, '')
  return before.replace(`${risk.effect}, tier ${risk.tier}, `, '')
}

const LABEL_WIDTH = 9

function fact(name: string, value: string, paint = (text: string): string => text): void {
  for (const [at, line] of wrap(oneLine(value, 600), terminalColumns() - LABEL_WIDTH - 2).entries()) {
    row(at === 0 ? name : '', paint(line))
  }
}

function row(name: string, value: string): void {
  print(`  ${colors.dim(name.padEnd(LABEL_WIDTH))}${value}`)
}
