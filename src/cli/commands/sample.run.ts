// `arc sample`: plays the sample session and prints what the hooks decide on each step.

import { homedir } from 'node:os'
import { isAbsolute, relative, resolve } from 'node:path'
import { findDaemon } from '../../daemon/process/lifecycle.ts'
import { describe } from '../../engine/errors.ts'
import { readMode } from '../../engine/mode.ts'
import { quoteForShell } from '../../engine/shell-quote.ts'
import type { Decision } from '../../engine/verdict.ts'
import { arcHome } from '../../platform/home.ts'
import { nameDecision, paintAs } from '../action-rows.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { DECISION_STYLE, displayWidth, info, oneLine, print, terminalColumns, wrap } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'
import { playSession } from './sample/play.ts'
import type { SampleEvent, SampleHold, SampleStep } from './sample/sample-events.ts'
import { hasRealRecords, sampleHome } from './sample/sample-home.ts'

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

/** Plays the session in a home of the sample. Exit code 0 also after a block, which is part of the demonstration. */
export function sample(options: SampleOptions): Promise<number> {
  return play(options, sampleHome())
}

async function play(options: SampleOptions, home: string): Promise<number> {
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
  const progress = new ProgressLine({ isJson })
  const show = (event: SampleEvent): void => {
    progress.end()
    if (event.kind === 'step') counts[event.outcome.decision]++
    const isBlock = event.kind === 'step' && event.point === 'pre:tool' && event.outcome.decision === 'block'
    // The first: a later one may have been held and not answered.
    if (isBlock && blocked === 'last') blocked = event.id
    if (isJson) context().stdout.write(`${JSON.stringify(event)}\n`)
    else if (event.kind === 'step') printStep(event)
    else printHold(event, home, progress)
  }
  if (!isJson) printHead(mode)
  try {
    await playSession({ home, mode, waitMs, onEvent: show, signal })
  } finally {
    progress.end()
  }
  if (signal.aborted) return INTERRUPTED
  if (!isJson) await printTail(counts, blocked, home)
  return 0
}

/**
 * Plays the session into the home of a daemon that has just started, and prints its address again. A home with records of
 * real agents gets no sample.
 */
export async function playBesideDaemon(loginUrl: string | null, isJson: boolean): Promise<void> {
  if (hasRealRecords()) {
    info('The sample session is not played here: this home is used for your own agents. To see it: arc sample')
    return
  }
  if (!isJson) print('')
  try {
    const code = await play({ mode: 'enforce', wait: WAIT_SECONDS, json: isJson }, arcHome())
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
  const { icon } = DECISION_STYLE[outcome.wouldBe ?? outcome.decision]
  const label = paintAs(outcome, `${icon} ${nameDecision(outcome).padEnd(LABEL_WIDTH)}`)
  const head = `${label} ${colors.dim(point.padEnd(POINT_WIDTH))}`
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

function printHold({ approval, waitMs }: SampleHold, home: string, progress: ProgressLine): void {
  if (waitMs === 0) return
  const seconds = Math.round(waitMs / 1_000)
  const where = isSeparate(home) ? 'in another terminal' : 'on the dashboard or in another terminal'
  const lines = [
    `Waiting ${seconds} s for your answer, ${where}:`,
    `  ${arc(home)} approve ${approval}`,
    `  ${arc(home)} deny ${approval}`,
  ]
  // A command must be copied whole, so it may be wider than the indented text.
  for (const line of lines)
    print((displayWidth(INDENT + line) > terminalColumns() ? '' : INDENT) + colors.magenta(line))
  progress.wait(`waiting for your answer, at most ${seconds}s`)
}

async function printTail(counts: Record<Decision, number>, worthALook: string, home: string): Promise<void> {
  const parts = Object.entries(counts).map(([decision, count]) =>
    DECISION_STYLE[decision as Decision].paint(`${count} ${decision}`),
  )
  print(`\n${parts.join(', ')}.`)
  print(`All decisions are recorded${isSeparate(home) ? ', apart from those of your agents' : ''}.\n`)
  const presence = isSeparate(home) ? undefined : await findDaemon(home)
  if (presence?.is === 'running') print(`${colors.green('✓')} ARC is running: ${presence.record?.url ?? ''}`)
  print(`Explain one decision:${isSeparate(home) ? '\n  ' : '       '}${arc(home)} why ${worthALook}`)
  print(`Supervise your own agents:  ${arc()} install`)
}

function isSeparate(home: string): boolean {
  return resolve(home) !== resolve(arcHome())
}

// The command as it can be typed here: in a checkout or as a dependency, arc is not in the PATH.
function arc(home = arcHome()): string {
  const path = relative(context().cwd, context().program)
  const own =
    path.startsWith('..') || isAbsolute(path) ? 'arc' : path.includes('node_modules') ? 'npx arc' : `./${path}`
  return isSeparate(home) ? `ARC_HOME=${shellPath(home)} ${own}` : own
}

// Shells expand a tilde after the equals sign.
function shellPath(path: string): string {
  const rest = relative(homedir(), path)
  const isBelow = !rest.startsWith('..') && !isAbsolute(rest)
  const text = isBelow ? rest : path
  const quoted = /^[\w@%+:,./-]+$/.test(text) ? text : quoteForShell(text)
  return isBelow ? `~/${quoted}` : quoted
}

const LABEL_WIDTH = 'would block'.length
const POINT_WIDTH = 15
const INDENT = ' '.repeat(2 + LABEL_WIDTH + 1 + POINT_WIDTH + 1)

function room(): number {
  return terminalColumns() - INDENT.length
}

function detail(text: string): void {
  for (const line of wrap(oneLine(text, 400), room())) print(INDENT + colors.dim(line))
}
