// Prints a roundtable: progress while it runs, the turns and the synthesis. Control characters in the agents' texts are
// shown as escapes.

import type { TableEvent } from '../../../roundtable/driver/driver-options.ts'
import type { Roundtable } from '../../../roundtable/machine.ts'
import { roleAt } from '../../../roundtable/roles.ts'
import type { TableView } from '../../../roundtable/view.ts'
import colors from '../../colors.ts'
import { DECISION_STYLE, displayWidth, escapeControls, info, oneLine, terminalColumns, wrap } from '../../output.ts'
import { formatSeconds, ProgressLine, type ProgressOptions } from '../../progress-line.ts'

type ShownTurn = Pick<
  TableView['turns'][number],
  'agent' | 'role' | 'round' | 'outcome' | 'content' | 'reason' | 'durationMs' | 'traceId'
>
type Synthesis = NonNullable<TableView['synthesis']>

type ShownSeat = Pick<TableView['seats'][number], 'agent' | 'role'> & { readonly host?: string | null }

const INDENT = '  '

/** The head of a roundtable. */
export function headLines({
  topic,
  id,
  rounds,
  seats,
}: Pick<TableView, 'topic' | 'id' | 'rounds'> & { readonly seats: readonly ShownSeat[] }): string[] {
  const who = seats.map(({ agent, role, host }) => `${oneLine(agent)} (${role}${showHost(host)})`).join(', ')
  const length = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
  return [
    ...indented(topic, '').map((line) => colors.bold(line)),
    ...indented(`${id} · ${length} · ${who}`, '').map(colors.dim),
  ]
}

// A running session has taken the seat.
function showHost(host: string | null | undefined): string {
  return typeof host === 'string' ? `, in a session of ${oneLine(host)}` : ''
}

/** A turn: agent, role, duration, and the text or why there is none. */
export function turnLines(turn: ShownTurn, rounds: number): string[] {
  const { agent, role, round, outcome, content, reason, durationMs, traceId } = turn
  const facts = [role, `round ${round} of ${rounds}`, ...(durationMs === null ? [] : [showTime(durationMs)])]
  const head = `${colors.bold(oneLine(agent))}  ${colors.dim(facts.join(' · '))}`
  if (outcome === 'spoken') {
    const note = reason === null ? [] : indented(`(${reason})`).map(colors.dim)
    return ['', head, ...indented(content), ...note]
  }
  const { icon, paint } =
    outcome === 'held' ? DECISION_STYLE.ask : outcome === 'blocked' ? DECISION_STYLE.block : DECISION_STYLE.flag
  const why = indented(`${icon} skipped its turn: ${oneLine(reason ?? outcome, 600)}`).map(paint)
  return ['', head, ...why, ...(traceId === null ? [] : [colors.dim(`${INDENT}arc why ${traceId}`)])]
}

/** The synthesis. */
export function synthesisLines({
  agent,
  consensus,
  summary,
  keyPoints,
  isFallback,
  reason,
  durationMs,
}: Synthesis): string[] {
  const by = agent === null ? 'no agent' : oneLine(agent)
  const took = durationMs === null ? '' : ` · ${showTime(durationMs)}`
  const share = consensus === null ? 'unknown' : `${Math.round(consensus * 100)} %`
  const note = isFallback
    ? [`${DECISION_STYLE.flag.icon} no structured synthesis: ${oneLine(reason ?? 'the answer was plain text', 600)}`]
    : []
  return [
    '',
    `${colors.bold('Synthesis')}  ${colors.dim(`by ${by}${took}`)}`,
    ...note.flatMap((line) => indented(line).map(DECISION_STYLE.flag.paint)),
    `${INDENT}consensus: ${share}`,
    ...indented(summary),
    ...keyPoints.flatMap((point) => indented(`• ${point}`)),
  ]
}

// Wraps a text to the screen and escapes control characters.
function indented(text: string, indent = INDENT): string[] {
  const room = terminalColumns() - indent.length
  return text.split('\n').flatMap((line) => {
    const safe = escapeControls(line.replaceAll('\t', '  ')).trimEnd()
    return (displayWidth(safe) <= room ? [safe] : wrap(safe, room)).map((part) => `${indent}${part}`.trimEnd())
  })
}

/** Formats a duration: `0.8s`, `12s`, `3m 20s`. */
export function showTime(ms: number): string {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)}s` : formatSeconds(Math.round(ms / 1_000))
}

/** Shows a roundtable while it runs. */
export class TableScreen {
  readonly #print: (line: string) => void
  readonly #progress: ProgressLine
  #rounds = 0

  /** Turns are printed with the given function; progress goes to stderr. */
  constructor(print: (line: string) => void, options: ProgressOptions = {}) {
    this.#print = print
    this.#progress = new ProgressLine(options)
  }

  readonly onEvent = (event: TableEvent): void => {
    this.#progress.end()
    if (event.type === 'ask')
      this.#progress.wait(`${event.agent} (${event.role}) is speaking, round ${event.round} of ${this.#rounds}`)
    else if (event.type === 'sum-up') this.#progress.wait(`${event.agent} writes the synthesis`)
    else if (event.type === 'held') this.#reportHeld(event)
    else if (event.type === 'turn') {
      const { reason = null, traceId = null, ...course } = event.turn.course
      this.#printAll(turnLines({ ...event.turn, ...course, reason, traceId, role: event.role }, this.#rounds))
    } else if (event.type === 'open') this.#open(event.table)
  }

  /** Prints a note on stderr. */
  note(text: string): void {
    this.#progress.clear()
    info(colors.dim(`arc: ${oneLine(text, 600)}`))
  }

  #open({ id, topic, rounds, agents, turns }: Roundtable): void {
    this.#rounds = rounds
    const seats = agents.map((agent, place) => ({ agent, role: roleAt(place) }))
    this.#printAll(headLines({ id, topic, rounds, seats }))
    if (turns.length > 0) this.#print(colors.dim(`continuing after ${turns.length} turns`))
  }

  #printAll(lines: readonly string[]): void {
    for (const line of lines) this.#print(line)
  }

  #reportHeld({ agent, approval, reason }: Extract<TableEvent, { type: 'held' }>): void {
    info(
      DECISION_STYLE.ask.paint(`${DECISION_STYLE.ask.icon} ${oneLine(agent)} needs approval: ${oneLine(reason, 600)}`),
    )
    info(`  arc approve ${approval}`)
    this.#progress.wait(`${agent} waits for approval`)
  }

  /** Clears the progress line; safe to call twice. */
  close(): void {
    this.#progress.end()
  }
}
