// `arc why`: one decision, whole: the step, what each hook said, what was changed, and what became of it.

import colors from 'picocolors'
import { isRecord } from '../../core/plain-data.ts'
import type { EvaluationRecord, StepRecord } from '../../trace/record.ts'
import type { Found } from '../../trace/store.ts'
import { openTrace } from '../kept.ts'
import { columnsOf, LOOK, oneLine, print, wrap } from '../output.ts'

/** Shows one record by its id, the beginning of its id, or `last`. */
export async function why(id: string, options: { readonly json?: boolean }): Promise<number> {
  const store = openTrace()
  try {
    const found = store.get(id)
    if (found.found === 'nothing' || found.found === 'several') {
      process.stderr.write(`arc: ${notFound(id, found)}\n`)
      return 1
    }
    if (options.json === true) print(JSON.stringify(found))
    else if (found.found === 'step') printStep(found.record, found.evaluations)
    else print(JSON.stringify(found.record, null, 2))
    return 0
  } finally {
    store.close()
  }
}

function notFound(id: string, found: Found): string {
  if (found.found === 'several') return `several records begin with ${id}: ${found.ids.join(', ')}; give more of the id`
  return id === 'last' ? 'nothing is recorded yet; "arc sample" leaves records' : `there is no record ${id}`
}

function printStep(step: StepRecord, evaluations: readonly EvaluationRecord[]): void {
  const { icon, paint } = LOOK[step.decision]
  print(`${paint(`${icon} ${step.decision}`)}  ${colors.bold(step.point)} ${step.tool ?? ''}  ${colors.dim(step.id)}`)
  const { session, host, profile } = step
  const named = Object.entries({ session, host, profile }).filter(([, value]) => value !== undefined)
  print(colors.dim(`  ${[step.time, ...named.map(([name, value]) => `${name} ${value}`)].join('  ')}`))
  fact('data', JSON.stringify(step.data))
  const { reason, suggestion, hook, data } = step.outcome
  for (const evaluation of evaluations) printEvaluation(evaluation, step)
  if (hook !== undefined) fact('decided', `by ${hook}${reason === undefined ? '' : `: ${reason}`}`)
  if (suggestion !== undefined) fact('instead', suggestion)
  if (data !== undefined) fact('became', JSON.stringify(data))
}

function printEvaluation(evaluation: EvaluationRecord, step: StepRecord): void {
  const { hook, priority, mode, decision, applied, cause, durationMs, reason, modify } = evaluation
  const { icon, paint } = LOOK[decision]
  const isIdle = decision === 'pass' && modify === undefined
  const facts = [
    mode,
    ...(isIdle ? [] : [applied ? 'applied' : 'not applied']),
    ...(cause === 'policy' ? [] : [cause]),
    `${durationMs.toFixed(2)} ms`,
  ]
  const head = `${String(priority).padStart(3)} ${hook.padEnd(20)} ${paint(decision.padEnd(5))}`
  print(`  ${paint(icon)} ${head} ${colors.dim(facts.join(', '))}`)
  // What decided is said below, with its reason.
  const isSaidBelow = hook === step.outcome.hook && reason === step.outcome.reason
  if (reason !== undefined && !isSaidBelow) for (const line of wrap(oneLine(reason, 600), room())) print(INDENT + line)
  if (modify === undefined) return
  const changes = differences(step.data, modify)
  // Both sides of a secret look alike once it is redacted.
  const hidden = changes.length === 0 ? ` ${Object.keys(modify ?? {}).join(', ')}, in what the record hides` : ''
  print(`${INDENT}${applied ? 'changed' : 'would change'}${hidden}`)
  for (const { key, before, after } of changes) {
    if (before !== undefined) print(`${INDENT}${colors.red(`- ${key}: ${oneLine(before, room())}`)}`)
    print(`${INDENT}${colors.green(`+ ${key}: ${oneLine(after, room())}`)}`)
  }
}

const LABEL_WIDTH = 9
const INDENT = ' '.repeat(LABEL_WIDTH + 2)

function room(): number {
  return columnsOf() - INDENT.length
}

function fact(name: string, value: string): void {
  for (const [at, line] of wrap(oneLine(value, 1_000), room()).entries()) {
    print(`  ${(at === 0 ? name : '').padEnd(LABEL_WIDTH)}${line}`)
  }
}

interface Difference {
  readonly key: string
  /** Absent where there was nothing. */
  readonly before: string | undefined
  readonly after: string
}

// The fields that a hook returned with another value, by their path.
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
