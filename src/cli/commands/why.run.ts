// `arc why`: explains one decision: the step, the verdict of each hook, the edits and the outcome.

import { type Approval, Approvals } from '../../approvals/approvals.ts'
import { findLastDecision } from '../../daemon/live/action-search.ts'
import { isStrong } from '../../engine/decision.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { canBeAllowed } from '../../exceptions/allow-note.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import type { Evidence } from '../../risk/assessment.ts'
import type { Found, TraceStore } from '../../storage/ports.ts'
import { canonicalize } from '../../trace/canonical.ts'
import type { EvaluationRecord, StepRecord } from '../../trace/record.ts'
import { findWouldBe } from '../../trace/would-be.ts'
import { nameDecision, paintAs } from '../action-rows.ts'
import { heldStepLines } from '../approval-text.ts'
import colors from '../colors.ts'
import { openState, openTrace } from '../home-stores.ts'
import { DECISION_STYLE, oneLine, print, printJson, report, terminalColumns, wrap } from '../output.ts'
import { argumentLines, factLine } from '../step-text.ts'

/** The options of `arc why`. */
export interface WhyOptions {
  readonly any?: boolean
  readonly json?: boolean
}

/** Shows a record, given its id, a unique prefix, or `last`. */
export async function why(id: string, options: WhyOptions): Promise<number> {
  const store = openTrace()
  try {
    const found = find(store, id, options)
    if (found.found === 'nothing' || found.found === 'several') {
      const held = found.found === 'nothing' ? findHeldStep(id) : undefined
      if (held === undefined) report(notFound(store, id, found))
      else if (options.json === true) printJson({ found: 'approval', record: held })
      else for (const line of heldStepLines(held, { isWhole: true })) print(line)
      return held === undefined ? 1 : 0
    }
    if (options.json === true) printJson(found)
    else if (found.found === 'step') printStep(found.record, found.evaluations)
    else print(JSON.stringify(found.record, null, 2))
    return 0
  } finally {
    store.close()
  }
}

function find(store: TraceStore, id: string, { any }: WhyOptions): Found {
  if (id !== 'last' || any === true) return store.get(id)
  const last = findLastDecision(store)
  return last === undefined ? { found: 'nothing' } : { found: 'step', ...last }
}

// Finds the step of an approval.
function findHeldStep(id: string): Approval | undefined {
  const found = listApprovals().filter((approval) => approval.id.startsWith(id))
  return id.length >= MIN_PREFIX && found.length === 1 ? found[0] : undefined
}

function findPending(stepId: string): Approval | undefined {
  return listApprovals().find((approval) => approval.stepId === stepId && approval.status === 'pending')
}

function listApprovals(): readonly Approval[] {
  const { state, close } = openState()
  try {
    return new Approvals({ state, clock: systemClock, newId, canonicalize }).list()
  } finally {
    close()
  }
}

const MIN_PREFIX = 4

function notFound(store: TraceStore, id: string, found: Found): string {
  if (found.found === 'several') return `${id} is not a unique prefix: ${found.ids.join(', ')}`
  if (id !== 'last') return `there is no record ${id}`
  if (store.get('last').found === 'nothing') return 'there are no records yet; to create some: arc sample'
  return 'every decision so far was a pass; to show the last: arc why --any'
}

function printStep(step: StepRecord, evaluations: readonly EvaluationRecord[]): void {
  const would = findWouldBe(step, evaluations)
  const shown = { decision: step.decision, wouldBe: would?.decision }
  const { icon } = DECISION_STYLE[would?.decision ?? step.decision]
  const label = `${icon} ${nameDecision(shown)}${would === undefined ? '' : ` (${describeMode(would)})`}`
  print(`${paintAs(shown, label)}  ${colors.bold(step.point)} ${oneLine(step.tool ?? '', 300)}  ${colors.dim(step.id)}`)
  print(colors.dim(`  ${step.time}`))
  const { workspace, session, agent, host, profile } = step
  for (const [name, value] of Object.entries({ workspace, session, agent, host, profile })) {
    if (value !== undefined) print(factLine(name, value))
  }
  const evidence = collectEvidence(evaluations)
  for (const line of argumentLines(shownData(step), { evidence })) print(line)
  const { reason, suggestion, hook } = would ?? step.outcome
  for (const evaluation of evaluations) printEvaluation(evaluation, would ?? step.outcome, step)
  if (hook !== undefined) fact('decided', `by ${hook}${reason === undefined ? '' : `: ${reason}`}`)
  if (suggestion !== undefined) fact('instead', suggestion)
  printChanges(step.outcome.data)
  const next = suggestNext(step, would, evaluations)
  if (next !== undefined) fact('next', next)
}

function printChanges(data: unknown): void {
  if (data === undefined) return
  fact('changed', '')
  for (const line of argumentLines(isRecord(data) && isRecord(data.args) ? data.args : data)) print(line)
}

// Why a verdict was not applied.
function describeMode({ mode, loweredBy }: EvaluationRecord): string {
  return loweredBy === undefined ? `${mode} mode` : 'breaker open'
}

// The command for a person who wants the step to run.
function suggestNext(
  step: StepRecord,
  would: EvaluationRecord | undefined,
  evaluations: readonly EvaluationRecord[],
): string | undefined {
  const decision = would?.decision ?? step.decision
  if (!isStrong(decision)) return undefined
  const pending = decision === 'ask' ? findPending(step.id) : undefined
  if (pending !== undefined) return `it waits for your answer: arc approve ${pending.id}, or arc deny ${pending.id}`
  if (!canBeAllowed(evaluations)) return undefined
  return `${would === undefined ? 'to allow it' : 'to allow it also in enforce'}: arc allow ${step.id}`
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

function printEvaluation(evaluation: EvaluationRecord, decider: Decider, step: StepRecord): void {
  const { hook, priority, mode, decision, applied, cause, durationMs, reason, modify } = evaluation
  const { icon, paint } = DECISION_STYLE[decision]
  const isIdle = decision === 'pass' && modify === undefined
  const facts = [
    mode,
    ...(isIdle ? [] : [applied ? 'applied' : 'not applied']),
    ...(cause === 'policy' ? [] : [cause]),
    `${durationMs.toFixed(2)} ms`,
  ]
  const head = `${String(priority).padStart(3)} ${oneLine(hook).padEnd(20)} ${paint(decision.padEnd(5))}`
  print(`  ${paint(icon)} ${head} ${colors.dim(facts.join(', '))}`)
  // The deciding hook is printed below with its reason.
  const isShownBelow = hook === decider.hook && reason === decider.reason
  if (reason !== undefined && !isShownBelow) for (const line of wrap(oneLine(reason, 600), room())) print(INDENT + line)
  if (modify === undefined) return
  const changes = differences(step.data, modify)
  // Redacted values look the same before and after the change.
  const hidden = changes.length === 0 ? ` ${Object.keys(modify ?? {}).join(', ')} (redacted)` : ''
  print(`${INDENT}${applied ? 'changed' : 'would change'}${hidden}`)
  for (const { key, before, after } of changes) {
    if (before !== undefined) print(`${INDENT}${colors.red(`- ${oneLine(key)}: ${oneLine(before, room())}`)}`)
    print(`${INDENT}${colors.green(`+ ${oneLine(key)}: ${oneLine(after, room())}`)}`)
  }
}

type Decider = Pick<StepRecord['outcome'], 'hook' | 'reason'>

const LABEL_WIDTH = 9
const INDENT = ' '.repeat(LABEL_WIDTH + 2)

function room(): number {
  return terminalColumns() - INDENT.length
}

function fact(name: string, value: string): void {
  for (const [at, line] of wrap(oneLine(value, 1_000), room()).entries()) {
    print(`  ${(at === 0 ? name : '').padEnd(LABEL_WIDTH)}${line}`)
  }
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
