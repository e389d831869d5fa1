// `arc sample`: plays the sample session and shows, step by step, what the hooks decided.

import colors from 'picocolors'
import { readMode } from '../../core/mode.ts'
import type { Evaluation } from '../../core/outcome.ts'
import type { Decision } from '../../core/verdict.ts'
import type { HookEngine } from '../../runtime/engine.ts'
import { databaseFile } from '../../runtime/home.ts'
import { TracedEngine } from '../../runtime/traced-engine.ts'
import { SqliteTraceStore } from '../../store/trace-store.ts'
import { LOOK, oneLine, print } from '../output.ts'
import { registerSampleHooks } from '../sample/hooks.ts'
import { playSession, type SampleStep } from '../sample/session.ts'

/** Plays the session; the exit code is 0 whatever the hooks decide, since a block is what it is there to show. */
export async function sample(options: { readonly mode: string; readonly json?: boolean }): Promise<number> {
  const mode = readMode(options.mode, '--mode')
  const evaluations: Evaluation[] = []
  const store = new SqliteTraceStore(databaseFile())
  const engine = new TracedEngine(store, { mode, sink: (evaluation) => void evaluations.push(evaluation) })
  registerSampleHooks(engine)
  const counts: Record<Decision, number> = { pass: 0, flag: 0, ask: 0, block: 0 }
  if (options.json !== true) printHead(engine)
  await playSession(engine, (step) => {
    counts[step.outcome.decision]++
    const own = evaluations.splice(0)
    if (options.json === true) process.stdout.write(`${JSON.stringify({ ...step, evaluations: own })}\n`)
    else printStep(step, own)
  })
  store.close()
  if (options.json !== true) printTail(counts, mode)
  return 0
}

function printHead(engine: HookEngine): void {
  print(`${colors.bold('A sample session')}, supervised in mode ${colors.bold(engine.mode)} by:`)
  for (const { name, priority, points } of engine.list()) {
    print(`  ${String(priority).padStart(3)}  ${name.padEnd(22)} ${colors.dim(points.join(', '))}`)
  }
  print('')
}

function printStep({ point, what, outcome, result }: SampleStep, evaluations: readonly Evaluation[]): void {
  const { icon, paint } = LOOK[outcome.decision]
  print(`${paint(`${icon} ${outcome.decision.padEnd(5)}`)} ${colors.dim(point.padEnd(12))} ${oneLine(what)}`)
  for (const evaluation of evaluations) {
    const note = noteOf(evaluation)
    if (note !== undefined) detail(`${evaluation.hook}: ${note}`)
  }
  if (outcome.suggestion !== undefined) detail(`instead: ${outcome.suggestion}`)
  if (result !== undefined) detail(`→ ${oneLine(result)}`)
}

// What is worth a line about one evaluation.
function noteOf({ reason, modify, applied, decision }: Evaluation): string | undefined {
  const isHeld = decision === 'ask' || decision === 'block'
  const unapplied = isHeld && !applied ? ` (would ${decision}; recorded only)` : ''
  if (reason !== undefined) return reason + unapplied
  if (modify === undefined) return undefined
  return `${applied ? 'changed' : 'would change'} ${Object.keys(modify).join(', ')}`
}

function printTail(counts: Record<Decision, number>, mode: string): void {
  const parts = Object.entries(counts).map(([decision, count]) =>
    LOOK[decision as Decision].paint(`${count} ${decision}`),
  )
  print(`\n${parts.join(', ')}.`)
  print(colors.dim('All of it is on record: arc logs, arc why last, arc trace verify.'))
  const other = mode === 'enforce' ? 'log' : 'enforce'
  print(
    colors.dim(`The same session in another mode: arc sample --mode ${other} (from a checkout: ./bin/arc sample …)`),
  )
}

function detail(text: string): void {
  print(`        ${' '.repeat(12)} ${colors.dim(text)}`)
}
