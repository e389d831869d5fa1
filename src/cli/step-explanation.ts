// Explains one decision as lines: the step, the verdict of each hook, the edits, the outcome, and the next command.

import type { Approval } from '../approvals/approvals.ts'
import { isStrong } from '../engine/decision.ts'
import { isRecord } from '../engine/plain-data.ts'
import { canBeAllowed } from '../exceptions/allow-note.ts'
import type { Evidence } from '../risk/assessment.ts'
import type { EvaluationRecord, StepRecord } from '../trace/record.ts'
import { findWouldBe } from '../trace/would-be.ts'
import { nameDecision, paintAs } from './action-rows.ts'
import colors from './colors.ts'
import { DECISION_STYLE, oneLine, terminalColumns, wrap } from './output.ts'
import { argumentLines, factLine } from './step-text.ts'

/** A step with the verdicts of its hooks. */
export interface ExplainedStep {
  readonly record: StepRecord
  readonly evaluations: readonly EvaluationRecord[]
  /** The approval that the step waits for. */
  readonly pending?: Approval | undefined
}

/** The lines that explain the decision about a step. */
export function explainStep({ record: step, evaluations, pending }: ExplainedStep): readonly string[] {
  const would = findWouldBe(step, evaluations)
  const { reason, suggestion, hook } = would ?? step.outcome
  const { workspace, session, agent, host, profile } = step
  const facts = Object.entries({ workspace, session, agent, host, profile })
  const next = suggestNext({ record: step, evaluations, pending }, would)
  return [
    headLine(step, would),
    colors.dim(`  ${step.time}`),
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [factLine(name, value)])),
    ...argumentLines(shownData(step), { evidence: collectEvidence(evaluations) }),
    ...evaluations.flatMap((evaluation) => evaluationLines(evaluation, would ?? step.outcome, step)),
    ...(hook === undefined ? [] : labelled('decided', `by ${hook}${reason === undefined ? '' : `: ${reason}`}`)),
    ...(suggestion === undefined ? [] : labelled('instead', suggestion)),
    ...changeLines(step.outcome),
    ...(next === undefined ? [] : labelled('next', next)),
  ]
}

function headLine(step: StepRecord, would: EvaluationRecord | undefined): string {
  const shown = { decision: step.decision, wouldBe: would?.decision }
  const { icon } = DECISION_STYLE[would?.decision ?? step.decision]
  const label = `${icon} ${nameDecision(shown)}${would === undefined ? '' : ` (${describeMode(would)})`}`
  const tool = oneLine(step.tool ?? '', 300)
  return `${paintAs(shown, label)}  ${colors.bold(step.point)} ${tool}  ${colors.dim(step.id)}`
}

// The change of a stopped action was not made: the agent got it as a correction.
function changeLines({ data, blocked }: StepRecord['outcome']): readonly string[] {
  if (data === undefined) return []
  return [
    ...labelled(blocked ? 'corrected' : 'changed', ''),
    ...argumentLines(isRecord(data) && isRecord(data.args) ? data.args : data),
  ]
}

// Why a verdict was not applied.
function describeMode({ mode, loweredBy }: EvaluationRecord): string {
  return loweredBy === undefined ? `${mode} mode` : 'breaker open'
}

// The command for a person who wants the step to run.
function suggestNext(
  { record, evaluations, pending }: ExplainedStep,
  would: EvaluationRecord | undefined,
): string | undefined {
  const decision = would?.decision ?? record.decision
  if (!isStrong(decision)) return undefined
  if (decision === 'ask' && pending !== undefined)
    return `it waits for your answer: arc approve ${pending.id}, or arc deny ${pending.id}`
  if (!canBeAllowed(evaluations)) return undefined
  return `${would === undefined ? 'to allow it' : 'to allow it also in enforce'}: arc allow ${record.id}`
}

// The arguments of a tool call; of any other step all its data.
function shownData({ data, tool }: StepRecord): unknown {
  return tool !== undefined && isRecord(data) && 'args' in data ? data.args : data
}

function collectEvidence(evaluations: readonly EvaluationRecord[]): readonly Evidence[] {
  return evaluations.flatMap(({ metadata }) => {
    const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : {}
    return Array.isArray(risk.evidence) ? (risk.evidence.filter(isRecord) as unknown as Evidence[]) : []
  })
}

function evaluationLines(evaluation: EvaluationRecord, decider: Decider, step: StepRecord): readonly string[] {
  const { hook, priority, mode, decision, applied, cause, durationMs, reason, modify, at, dropped } = evaluation
  const { icon, paint } = DECISION_STYLE[decision]
  const isIdle = decision === 'pass' && modify === undefined
  const facts = [
    ...(at === undefined ? [] : [`at ${oneLine(at)}`]),
    mode,
    ...(isIdle ? [] : [applied ? 'applied' : 'not applied']),
    ...(cause === 'policy' ? [] : [cause]),
    `${durationMs.toFixed(2)} ms`,
  ]
  const head = `${String(priority).padStart(3)} ${oneLine(hook).padEnd(20)} ${paint(decision.padEnd(5))}`
  const lines = [`  ${paint(icon)} ${head} ${colors.dim(facts.join(', '))}`]
  // The deciding hook is printed below with its reason.
  const isShownBelow = hook === decider.hook && reason === decider.reason
  if (reason !== undefined && !isShownBelow)
    lines.push(...wrap(oneLine(reason, 600), room()).map((line) => INDENT + line))
  // What the agent or the point cannot do is never told as done.
  for (const { field, why } of applied ? [] : (dropped ?? [])) {
    lines.push(...wrap(oneLine(`${field}: ${why}`, 300), room()).map((line) => INDENT + line))
  }
  if (modify === undefined) return lines
  const changes = differences(step.data, modify)
  // Redacted values look the same before and after the change.
  const hidden = changes.length === 0 ? ` ${Object.keys(modify ?? {}).join(', ')} (redacted)` : ''
  lines.push(`${INDENT}${applied ? 'changed' : 'would change'}${hidden}`)
  for (const { key, before, after } of changes) {
    if (before !== undefined) lines.push(`${INDENT}${colors.red(`- ${oneLine(key)}: ${oneLine(before, room())}`)}`)
    lines.push(`${INDENT}${colors.green(`+ ${oneLine(key)}: ${oneLine(after, room())}`)}`)
  }
  return lines
}

type Decider = Pick<StepRecord['outcome'], 'hook' | 'reason'>

const LABEL_WIDTH = 9
const INDENT = ' '.repeat(LABEL_WIDTH + 2)

function room(): number {
  return terminalColumns() - INDENT.length
}

function labelled(name: string, value: string): readonly string[] {
  return wrap(oneLine(value, 1_000), room()).map((line, at) => `  ${(at === 0 ? name : '').padEnd(LABEL_WIDTH)}${line}`)
}

interface Difference {
  readonly key: string
  /** Undefined for a new field. */
  readonly before: string | undefined
  readonly after: string
}

// The fields that a hook changed, by their path.
function differences(before: unknown, after: unknown, path: readonly string[] = []): readonly Difference[] {
  if (isRecord(after) && (isRecord(before) || path.length === 0)) {
    const old = isRecord(before) ? before : {}
    return Object.entries(after).flatMap(([key, value]) => {
      return differences(Object.hasOwn(old, key) ? old[key] : undefined, value, [...path, key])
    })
  }
  const [old, now] = [before, after].map((value) => (value === undefined ? undefined : JSON.stringify(value)))
  return old === now ? [] : [{ key: path.join('.'), before: old, after: now ?? 'nothing' }]
}
