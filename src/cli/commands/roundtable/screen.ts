// How a roundtable looks: who speaks and for how long while it goes on, and the turns and the synthesis as lines. What
// agents said reaches the terminal only with everything in it shown that the terminal would obey.

import type { TableEvent } from '../../../roundtable/driver/driver-options.ts'
import type { Roundtable } from '../../../roundtable/machine.ts'
import { roleAt } from '../../../roundtable/roles.ts'
import type { TableView } from '../../../roundtable/view.ts'
import colors from '../../colors.ts'
import { columnsOf, forTerminal, harmless, LOOK, oneLine, tell, widthOf, wrap } from '../../output.ts'

type ShownTurn = Pick<
  TableView['turns'][number],
  'agent' | 'role' | 'round' | 'outcome' | 'content' | 'reason' | 'durationMs' | 'traceId'
>
type Synthesis = NonNullable<TableView['synthesis']>

const INDENT = '  '

/** The head of a table. */
export function headLines({
  topic,
  id,
  rounds,
  seats,
}: Pick<TableView, 'topic' | 'id' | 'rounds' | 'seats'>): string[] {
  const who = seats.map(({ agent, role }) => `${oneLine(agent)} (${role})`).join(', ')
  const length = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
  return [
    ...indented(topic, '').map((line) => colors.bold(line)),
    ...indented(`${id} · ${length} · ${who}`, '').map(colors.dim),
  ]
}

/** A turn: who, as what, how long, and what was said or why nothing was. */
export function turnLines(turn: ShownTurn, rounds: number): string[] {
  const { agent, role, round, outcome, content, reason, durationMs, traceId } = turn
  const facts = [role, `round ${round} of ${rounds}`, ...(durationMs === null ? [] : [showTime(durationMs)])]
  const head = `${colors.bold(oneLine(agent))}  ${colors.dim(facts.join(' · '))}`
  if (outcome === 'spoken') {
    const note = reason === null ? [] : indented(`(${reason})`).map(colors.dim)
    return ['', head, ...indented(content), ...note]
  }
  const { icon, paint } = outcome === 'held' ? LOOK.ask : outcome === 'blocked' ? LOOK.block : LOOK.flag
  const why = indented(`${icon} gave up its turn: ${oneLine(reason ?? outcome, 600)}`).map(paint)
  return ['', head, ...why, ...(traceId === null ? [] : [colors.dim(`${INDENT}arc why ${traceId}`)])]
}

/** What the discussion came to. */
export function synthesisLines({
  agent,
  consensus,
  summary,
  keyPoints,
  isFallback,
  reason,
  durationMs,
}: Synthesis): string[] {
  const by = agent === null ? 'nobody' : oneLine(agent)
  const took = durationMs === null ? '' : ` · ${showTime(durationMs)}`
  const share = consensus === null ? 'nobody said' : `${Math.round(consensus * 100)} %`
  const note = isFallback
    ? [`${LOOK.flag.icon} not a synthesis as asked: ${oneLine(reason ?? 'only words were given', 600)}`]
    : []
  return [
    '',
    `${colors.bold('Synthesis')}  ${colors.dim(`by ${by}${took}`)}`,
    ...note.flatMap((line) => indented(line).map(LOOK.flag.paint)),
    `${INDENT}consensus: ${share}`,
    ...indented(summary),
    ...keyPoints.flatMap((point) => indented(`• ${point}`)),
  ]
}

// Lines of a text, none of which a terminal would obey, each within the screen.
function indented(text: string, indent = INDENT): string[] {
  const room = columnsOf() - indent.length
  return text.split('\n').flatMap((line) => {
    const safe = harmless(line.replaceAll('\t', '  ')).trimEnd()
    return (widthOf(safe) <= room ? [safe] : wrap(safe, room)).map((part) => `${indent}${part}`.trimEnd())
  })
}

/** A time as people say it: `0.8s`, `12s`, `3m 20s`. */
export function showTime(ms: number): string {
  return ms < 9_950 ? `${(ms / 1_000).toFixed(1)}s` : showSeconds(Math.round(ms / 1_000))
}

function showSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}

/** Shows a table while it goes on. */
export class TableScreen {
  readonly #print: (line: string) => void
  readonly #canTick = process.stderr.isTTY === true && process.env.TERM !== 'dumb'
  #rounds = 0
  #shown = 0
  #stopTicking: () => void = () => undefined

  /** Turns are printed with the function given; what goes on meanwhile is told on stderr. */
  constructor(print: (line: string) => void) {
    this.#print = print
  }

  readonly onEvent = (event: TableEvent): void => {
    this.#stopTicking()
    if (event.type === 'ask')
      this.#begin(`${event.agent} (${event.role}) speaks, round ${event.round} of ${this.#rounds}`)
    else if (event.type === 'sum-up') this.#begin(`${event.agent} sums up`)
    else if (event.type === 'held') this.#tellHeld(event)
    else if (event.type === 'turn') {
      const { reason = null, traceId = null, ...course } = event.turn.course
      this.#printAll(turnLines({ ...event.turn, ...course, reason, traceId, role: event.role }, this.#rounds))
    } else if (event.type === 'open') this.#open(event.table)
  }

  /** Says something beside the table. */
  note(text: string): void {
    this.#clear()
    tell(colors.dim(`arc: ${oneLine(text, 600)}`))
  }

  #open({ id, topic, rounds, agents, turns }: Roundtable): void {
    this.#rounds = rounds
    const seats = agents.map((agent, place) => ({ agent, role: roleAt(place) }))
    this.#printAll(headLines({ id, topic, rounds, seats }))
    if (turns.length > 0) this.#print(colors.dim(`going on after ${turns.length} turns`))
  }

  #printAll(lines: readonly string[]): void {
    for (const line of lines) this.#print(line)
  }

  #tellHeld({ agent, approval, reason }: Extract<TableEvent, { type: 'held' }>): void {
    tell(LOOK.ask.paint(`${LOOK.ask.icon} ${oneLine(agent)} is held for a person: ${oneLine(reason, 600)}`))
    tell(`  arc approvals approve ${approval}`)
    this.#begin(`${agent} waits for a person`)
  }

  // Where a line can be written over, it says how long it has been; elsewhere it is said once.
  #begin(what: string): void {
    const text = oneLine(what)
    if (!this.#canTick) {
      tell(colors.dim(`${text} …`))
      return
    }
    const since = performance.now()
    const show = (): void => {
      this.#clear()
      const seconds = Math.floor((performance.now() - since) / 1_000)
      const line = `${text} … ${showSeconds(seconds)}`.slice(0, columnsOf(process.stderr) - 1)
      this.#shown = widthOf(line)
      process.stderr.write(forTerminal(colors.dim(line)))
    }
    show()
    const timer = setInterval(show, 1_000)
    timer.unref()
    this.#stopTicking = () => {
      clearInterval(timer)
      this.#clear()
      this.#stopTicking = () => undefined
    }
  }

  #clear(): void {
    if (this.#shown > 0) process.stderr.write(`\r${' '.repeat(this.#shown)}\r`)
    this.#shown = 0
  }

  /** Takes the last line away; safe to call twice. */
  close(): void {
    this.#stopTicking()
  }
}
