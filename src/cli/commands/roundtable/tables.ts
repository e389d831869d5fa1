// `arc roundtable list` and `show`: roundtables in a terminal and as JSON.

import { ArcError, show } from '../../../engine/errors.ts'
import { databaseFile } from '../../../platform/home.ts'
import { findRoundtable, listRoundtables } from '../../../roundtable/driver/roundtable-store.ts'
import type { TableView } from '../../../roundtable/view.ts'
import { SqliteStateStore } from '../../../storage/sqlite/state-store.ts'
import colors from '../../colors.ts'
import { ago, alignColumns, info, oneLine, print, printJson, terminalColumns } from '../../output.ts'
import { headLines, showTime, synthesisLines, turnLines } from './roundtable-screen.ts'

interface JsonOption {
  readonly json?: boolean
}

/** The options of `arc roundtable list`. */
export interface RoundtableListOptions extends JsonOption {
  readonly limit: string
}

/** Lists roundtables, newest last. */
export function listTables({ limit, json }: RoundtableListOptions): number {
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    info(`arc: --limit must be a whole number above 0, not ${JSON.stringify(limit)}`)
    return 2
  }
  const views = readTables().slice(-Number(limit))
  if (json === true) printJson(views.map(tableJson))
  else if (views.length === 0) info('No roundtables. To run one: arc roundtable TOPIC --agents a,b,c')
  else {
    for (const line of alignColumns(views.map(tableRow), { head: HEAD })) print(line)
    for (const { awaited } of views) if (awaited !== null) info(awaitedLine(awaited))
  }
  return 0
}

/** Shows a roundtable with all its turns. */
export function showTable(id: string, { json }: JsonOption): number {
  const view = requireTable(id)
  if (json === true) printJson(tableJson(view))
  else printView(view)
  return 0
}

function readTables(): readonly TableView[] {
  const state = new SqliteStateStore(databaseFile())
  try {
    return listRoundtables(state)
  } finally {
    state.close()
  }
}

/** The roundtable with this id, unique prefix or `last`; throws if there is none. */
export function requireTable(id: string): TableView {
  const view = findRoundtable(readTables(), id)
  if (view !== undefined) return view
  throw new ArcError('ARC_ROUNDTABLE_UNKNOWN', `There is no roundtable ${show(id)}, or the prefix is not unique.`)
}

/** A roundtable as JSON. The fields of the synthesis are repeated at the top level. */
export function tableJson(view: TableView): object {
  const { startedAt, endedAt, expiresAt, turns, speaking, synthesis } = view
  const { consensus = null, summary = null, keyPoints = [] } = synthesis ?? {}
  const times = {
    startedAt: formatTime(startedAt),
    endedAt: formatOptionalTime(endedAt),
    expiresAt: formatTime(expiresAt),
  }
  return {
    ...{ ...view, ...times },
    turns: turns.map((turn) => ({ ...turn, startedAt: formatOptionalTime(turn.startedAt) })),
    speaking: speaking && { ...speaking, since: formatOptionalTime(speaking.since) },
    ...{ synthesis: synthesis ?? null, consensus, summary, keyPoints },
  }
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString()
}

function formatOptionalTime(ms: number | null): string | null {
  return ms === null ? null : formatTime(ms)
}

const HEAD = ['id', 'status', 'turns', 'age', 'topic']
// The width of the columns before the topic.
const TOPIC_COLUMN = 58

function tableRow({ id, status, turns, rounds, agents, startedAt, topic }: TableView): readonly string[] {
  const count = `${turns.length}/${agents.length * rounds}`
  const room = Math.max(20, terminalColumns() - TOPIC_COLUMN)
  return [oneLine(id, 40), PAINT[status](status), count, ago(formatTime(startedAt)), oneLine(topic, room)]
}

const PAINT: Readonly<Record<TableView['status'], (text: string) => string>> = {
  active: colors.blue,
  synthesizing: colors.cyan,
  complete: colors.green,
  interrupted: colors.yellow,
  deserted: colors.dim,
}

/** Prints a roundtable with all its turns. */
export function printView(view: TableView): void {
  const { status, turns, rounds, speaking, awaited, synthesis, asideCount, durationMs, asides } = view
  const took = durationMs === null ? '' : ` · ${showTime(durationMs)}`
  for (const line of headLines(view)) print(line)
  print(`${PAINT[status](status)}${colors.dim(`${took} · ${ago(formatTime(view.startedAt))} ago`)}`)
  for (const line of turns.flatMap((turn) => turnLines(turn, rounds))) print(line)
  if (speaking !== null && (awaited === null || speaking.since !== null))
    print(`\n${colors.dim(`${oneLine(speaking.agent)} (${speaking.role}) is speaking, round ${speaking.round}`)}`)
  if (synthesis !== undefined) for (const line of synthesisLines(synthesis)) print(line)
  if (asideCount > 0)
    print(colors.dim(`\n${asideCount} messages out of turn; the last by ${oneLine(asides.at(-1)?.agent ?? '?')}`))
  if (awaited !== null) print(`\n${awaitedLine(awaited)}`)
  if (status === 'deserted')
    print(colors.dim(`\nNo turn for too long. To continue: arc roundtable --resume ${view.id}`))
  if (status === 'interrupted' && view.isDriven) print(colors.dim(`\nTo continue: arc roundtable --resume ${view.id}`))
}

// What the roundtable waits for, with the commands that continue it.
function awaitedLine({ note }: NonNullable<TableView['awaited']>): string {
  return colors.yellow(oneLine(note, 600))
}
