// `arc why`: one decision, whole: the step, what each hook said, what was changed, and what became of it.

import colors from 'picocolors'
import { databaseFile } from '../../runtime/home.ts'
import { SqliteTraceStore } from '../../store/trace-store.ts'
import type { EvaluationRecord, StepRecord } from '../../trace/record.ts'
import type { Found } from '../../trace/store.ts'
import { LOOK, oneLine, print } from '../output.ts'

/** Shows one record by its id, the beginning of its id, or `last`. */
export async function why(id: string, options: { readonly json?: boolean }): Promise<number> {
  const store = new SqliteTraceStore(databaseFile())
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
  print(
    colors.dim(
      `  ${step.time}  session ${step.session ?? '–'}  host ${step.host ?? '–'}  profile ${step.profile ?? '–'}`,
    ),
  )
  print(`  data     ${oneLine(JSON.stringify(step.data), 200)}`)
  for (const evaluation of evaluations) printEvaluation(evaluation)
  const { reason, suggestion, hook, data } = step.outcome
  if (hook !== undefined) print(`  decided  by ${colors.bold(hook)}${reason === undefined ? '' : `: ${reason}`}`)
  if (suggestion !== undefined) print(`  instead  ${suggestion}`)
  if (data !== undefined) print(`  became   ${oneLine(JSON.stringify(data), 200)}`)
}

function printEvaluation(evaluation: EvaluationRecord): void {
  const { hook, priority, mode, decision, applied, cause, durationMs, reason, modify } = evaluation
  const { icon, paint } = LOOK[decision]
  const facts = [mode, applied ? 'applied' : 'not applied', cause, `${durationMs.toFixed(2)} ms`].join(', ')
  print(
    `  ${paint(icon)} ${String(priority).padStart(3)} ${hook.padEnd(22)} ${paint(decision.padEnd(5))} ${colors.dim(facts)}`,
  )
  if (reason !== undefined) print(`          ${oneLine(reason, 200)}`)
  if (modify !== undefined)
    print(`          ${applied ? 'changed' : 'would change'} ${oneLine(JSON.stringify(modify), 200)}`)
}
