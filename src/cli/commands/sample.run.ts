// `arc sample`: plays the sample session and prints what the hooks decide on each step.

import { isAbsolute, relative } from 'node:path'
import { findDaemon } from '../../daemon/process/lifecycle.ts'
import { describe } from '../../engine/errors.ts'
import { readMode } from '../../engine/mode.ts'
import type { Decision } from '../../engine/verdict.ts'
import { arcHome } from '../../platform/home.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { alignColumns, DECISION_STYLE, info, oneLine, print, terminalColumns, wrap } from '../output.ts'
import { playSession } from './sample/play.ts'
import type { SampleEvent, SampleHold, SampleStep } from './sample/sample-events.ts'

/** The options of `arc sample`. */
export interface SampleOptions {
  readonly mode: string
  /** How long the held step waits for approval, in seconds. */
  readonly wait: string
  readonly json?: boolean
}

const USAGE = 2
const INTERRUPTED = 130
// Long enough to open the dashboard.
const WAIT_SECONDS = '20'

/** Plays the session. Exit code 0 also after a block, which is part of the demonstration. */
export async function sample(options: SampleOptions): Promise<number> {
  const mode = readMode(options.mode, '--mode')
  const waitMs = Number(options.wait) * 1_000
  if (!(waitMs >= 0 && waitMs <= 600_000)) {
    info(`arc: --wait must be 0 to 600 seconds, not ${JSON.stringify(options.wait)}`)
    return USAGE
  }
  const signal = listenForInterrupt()
  const isJson = options.json === true
  const counts: Record<Decision, number> = { pass: 0, flag: 0, ask: 0, block: 0 }
  let blocked = 'last'
  const show = (event: SampleEvent): void => {
    if (event.kind === 'step') counts[event.outcome.decision]++
    const isBlock = event.kind === 'step' && event.point === 'pre:tool' && event.outcome.decision === 'block'
    // The first: a later one may have been held and not answered.
    if (isBlock && blocked === 'last') blocked = event.id
    if (isJson) context().stdout.write(`${JSON.stringify(event)}\n`)
    else if (event.kind === 'step') printStep(event)
    else printHold(event)
  }
  if (!isJson) printHead(mode)
  await playSession({ mode, waitMs, onEvent: show, signal })
  if (signal.aborted) return INTERRUPTED
  if (!isJson) await printTail(counts, blocked)
  return 0
}

/** Plays the session next to a daemon that has just started, and prints its address again. */
export async function playBesideDaemon(loginUrl: string | null, isJson: boolean): Promise<void> {
  if (!isJson) print('')
  try {
    const code = await sample({ mode: 'enforce', wait: WAIT_SECONDS, json: isJson })
    if (code === INTERRUPTED) return
  } catch (error) {
    // The daemon runs even if the sample fails.
    info(`arc: ${describe(error)}`)
  }
  if (!isJson && loginUrl !== null) print(`\n  dashboard, signed in: ${loginUrl}`)
}

/** The agent that `arc sample` starts. */
export async function sampleAgent(options: { configHome: string; mode: string; wait: string }): Promise<number> {
  const { runSampleAgent } = await import('./sample/sample-agent.ts')
  const { configHome, mode, wait } = options
  return runSampleAgent({ configHome, mode: readMode(mode, '--mode'), waitMs: Number(wait) * 1_000 })
}

// The temporary folder is removed also after an interrupt.
function listenForInterrupt(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

function printHead(mode: string): void {
  print(`${colors.bold('A sample session')}, supervised in mode ${colors.bold(mode)}: a small agent fixes a test in a`)
  print('temporary repository. Your profile and your agents are not touched.\n')
}

function printStep({ point, what, outcome, evaluations, result }: SampleStep): void {
  const { icon, paint } = DECISION_STYLE[outcome.decision]
  const head = `${paint(`${icon} ${outcome.decision.padEnd(5)}`)} ${colors.dim(point.padEnd(POINT_WIDTH))}`
  print(`${head} ${oneLine(what, room())}`)
  // Only the deciding hook and the hooks that changed data; the others are in the trace.
  for (const evaluation of evaluations) {
    const note =
      evaluation.hook === outcome.hook || evaluation.modify !== undefined ? describeEvaluation(evaluation) : undefined
    if (note !== undefined) detail(`${evaluation.hook}: ${note}`)
  }
  if (outcome.suggestion !== undefined) detail(`instead: ${outcome.suggestion}`)
  if (result !== undefined) detail(`→ ${oneLine(result, room() - 2)}`)
}

function describeEvaluation({
  reason,
  modify,
  applied,
  decision,
}: SampleStep['evaluations'][number]): string | undefined {
  const isHeld = decision === 'ask' || decision === 'block'
  const unapplied = isHeld && !applied ? ` (would ${decision}; only recorded)` : ''
  if (reason !== undefined) return reason + unapplied
  if (modify === undefined) return undefined
  return `${applied ? 'changed' : 'would change'} ${Object.keys(modify as object).join(', ')}`
}

function printHold({ approval, waitMs }: SampleHold): void {
  if (waitMs === 0) return
  const lines = [
    `Waiting ${Math.round(waitMs / 1_000)} s for your answer, on the dashboard or in another terminal:`,
    `  ${arc()} approvals approve ${approval}`,
    `  ${arc()} approvals deny ${approval}`,
  ]
  for (const line of lines) print(INDENT + colors.magenta(line))
}

async function printTail(counts: Record<Decision, number>, worthALook: string): Promise<void> {
  const parts = Object.entries(counts).map(([decision, count]) =>
    DECISION_STYLE[decision as Decision].paint(`${count} ${decision}`),
  )
  print(`\n${parts.join(', ')}. All decisions are recorded.\n`)
  const presence = await findDaemon(arcHome())
  const rows =
    presence.is === 'running'
      ? [[colors.green('✓ ARC is running'), presence.record?.url ?? '']]
      : [[`${arc()} serve`, colors.dim('run the daemon and its dashboard')]]
  const next = [
    [`${arc()} why ${worthALook}`, colors.dim('explain one decision')],
    [`${arc()} install claude`, colors.dim('supervise your own agent')],
  ]
  for (const line of alignColumns([...rows, ...next])) print(`  ${line}`)
}

// The command as it can be typed here: in a checkout or as a dependency, arc is not in the PATH.
function arc(): string {
  const path = relative(context().cwd, context().program)
  if (path.startsWith('..') || isAbsolute(path)) return 'arc'
  return path.includes('node_modules') ? 'npx arc' : `./${path}`
}

const POINT_WIDTH = 15
const INDENT = ' '.repeat(8 + POINT_WIDTH + 1)

function room(): number {
  return terminalColumns() - INDENT.length
}

function detail(text: string): void {
  for (const line of wrap(oneLine(text, 400), room())) print(INDENT + colors.dim(line))
}
