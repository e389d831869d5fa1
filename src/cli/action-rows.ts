// Actions as lines of a terminal, one line each: time, decision, agent, project, command, rule, id. The lines are never wider
// than the terminal: columns become narrower, then disappear, the least important first.

import { basename } from 'node:path'
import { toolClass } from '../engine/tools.ts'
import type { Action } from '../protocol/feed-views.ts'
import type { TraceStore } from '../storage/ports.ts'
import colors from './colors.ts'
import { context } from './context.ts'
import { DECISION_STYLE, displayWidth, fitColumns, formatTime, oneLine } from './output.ts'

/** The parts of a line. */
export interface ActionRow {
  readonly time: string
  readonly decision: Action['decision']
  readonly wouldBe?: Action['wouldBe']
  readonly agent: string
  readonly project: string
  readonly command: string
  /** The rule, or the hook that decided without a rule. */
  readonly rule: string
  /** A unique prefix of the id. */
  readonly id: string
}

/** The row of an action. */
export function buildActionRow(action: Action, trace: TraceStore): ActionRow {
  const { time, decision, wouldBe, agent, host, workspace, preview, tool, point, rule, hook } = action
  return {
    ...{ time, decision, wouldBe },
    agent: agent ?? host ?? '',
    project: workspace === undefined ? '' : basename(workspace),
    command: describeStep({ tool, point, preview }),
    rule: decision === 'pass' ? '' : (rule ?? hook ?? ''),
    id: shortenId(trace, action.id),
  }
}

/** A step in words. A command needs no name before it; a path, a message or the end of a turn does. */
export function describeStep({ tool, point, preview }: Pick<Action, 'tool' | 'point' | 'preview'>): string {
  const name = tool ?? point.replace(/^(?:pre|post):/, '')
  if (preview === '') return name
  return tool !== undefined && toolClass(tool) === 'shell' ? preview : `${name}: ${preview}`
}

// Ten characters of an id are its time in ms; the following ones are needed only for actions of the same ms.
const MIN_PREFIX = 10

/** The shortest unique prefix of an id. */
export function shortenId(trace: TraceStore, id: string): string {
  for (let length = MIN_PREFIX; length < id.length; length++) {
    if (trace.get(id.slice(0, length)).found !== 'several') return id.slice(0, length)
  }
  return id
}

/** The decision in words: `would block` for a block that only enforce applies. */
export function nameDecision({ decision, wouldBe }: Pick<Action, 'decision' | 'wouldBe'>): string {
  return wouldBe === undefined || decision === 'ask' ? decision : `would ${wouldBe}`
}

/** Paints a text in the colour of a decision, also of one that only enforce applies. */
export function paintAs({ decision, wouldBe }: Pick<Action, 'decision' | 'wouldBe'>, text: string): string {
  return DECISION_STYLE[decision === 'ask' ? decision : (wouldBe ?? decision)].paint(text)
}

const WIDE = 100
const PIPE_COLUMNS = 120
const MAX_COLUMNS = 200
// A command is not cut below this to make room for other columns; other columns are not cut for more than that.
const MIN_COMMAND = 24
const FULL_COMMAND = 60

type Column = 'time' | 'label' | 'agent' | 'project' | 'command' | 'rule' | 'id'

const COLUMNS: readonly Column[] = ['time', 'label', 'agent', 'project', 'command', 'rule', 'id']
const MAX_WIDTHS: Readonly<Record<Column, number>> = {
  time: 11,
  label: 13,
  agent: 14,
  project: 20,
  command: MAX_COLUMNS,
  rule: 28,
  id: 26,
}
const NARROW_WIDTHS = { ...MAX_WIDTHS, agent: 8, project: 12, rule: 18 }
// Which column goes first where there is no room for all.
const DROP_ORDER: readonly Column[] = ['agent', 'rule', 'project', 'id', 'time', 'label']

type Cells = Readonly<Record<Column, string>>

/** The columns of the terminal, for rows; more than usual without a terminal, where nothing is gained by cutting. */
export function rowColumns({ isTTY, columns } = context().stdout): number {
  return isTTY === true && columns !== undefined ? Math.min(MAX_COLUMNS, Math.max(1, columns)) : PIPE_COLUMNS
}

/**
 * Formats rows, also when they arrive one after another: columns keep their width until a longer text needs more.
 * @example
 * for (const line of new ActionTable().lines(rows)) print(line)
 */
export class ActionTable {
  readonly #columns: () => number
  readonly #now: () => number
  readonly #seen = new Map<Column, { width: number; readonly first: string; isSame: boolean }>()

  constructor({ columns = rowColumns, now = Date.now }: { columns?: () => number; now?: () => number } = {}) {
    this.#columns = columns
    this.#now = now
  }

  lines(rows: readonly ActionRow[]): string[] {
    const columns = this.#columns()
    const all = rows.map((row) => [row, this.#readCells(row, columns)] as const)
    for (const [, cells] of all) this.#measure(cells)
    const layout = this.#layout(columns)
    return all.map(([row, cells]) => formatLine(row, cells, layout))
  }

  #readCells(row: ActionRow, columns: number): Cells {
    const { time, agent, project, command, rule, id } = row
    const clock = formatTime(time, this.#now())
    const label = nameDecision(row)
    const line = (text: string): string => oneLine(text, MAX_COLUMNS)
    return {
      // Seconds only where there is room.
      time: columns < WIDE ? clock.replace(/^(\d\d:\d\d):\d\d$/, '$1') : clock,
      label: columns < WIDE ? label : `${readIcon(row)} ${label}`,
      ...{ agent: line(agent), project: line(project), command: line(command), rule: line(rule), id: line(id) },
    }
  }

  #measure(cells: Cells): void {
    for (const column of COLUMNS) {
      const text = cells[column]
      const seen = this.#seen.get(column) ?? { width: 0, first: text, isSame: true }
      seen.width = Math.max(seen.width, displayWidth(text))
      seen.isSame &&= text === seen.first
      this.#seen.set(column, seen)
    }
  }

  #layout(columns: number): Layout {
    const gap = columns < WIDE ? 1 : 2
    const natural = this.#seen.get('command')?.width ?? 0
    const least = Math.min(MIN_COMMAND, natural)
    let widths = this.#widths(MAX_WIDTHS)
    let room = columns - sumOthers(widths, gap)
    if (room < Math.min(FULL_COMMAND, natural)) widths = this.#widths(NARROW_WIDTHS)
    // A column with one value for all rows says least.
    const constant = (['agent', 'project'] as const).filter((column) => this.#seen.get(column)?.isSame === true)
    for (const column of [undefined, ...constant, ...DROP_ORDER]) {
      if (column !== undefined) widths.set(column, 0)
      room = columns - sumOthers(widths, gap)
      if (room >= least) break
    }
    return { gap, widths, command: Math.max(0, room) }
  }

  #widths(limits: Readonly<Record<Column, number>>): Map<Column, number> {
    return new Map(COLUMNS.map((column) => [column, Math.min(this.#seen.get(column)?.width ?? 0, limits[column])]))
  }
}

interface Layout {
  readonly gap: number
  /** 0 for a column that is not shown. */
  readonly widths: ReadonlyMap<Column, number>
  readonly command: number
}

// The columns beside the command, with the gaps between all. Without the column of the decision its icon remains.
function sumOthers(widths: ReadonlyMap<Column, number>, gap: number): number {
  const others = COLUMNS.filter((column) => column !== 'command').map((column) => {
    return column === 'label' ? Math.max(1, widths.get(column) ?? 0) : (widths.get(column) ?? 0)
  })
  return others.reduce((sum, width) => (width === 0 ? sum : sum + width + gap), 0)
}

function readIcon({ decision, wouldBe }: ActionRow): string {
  return DECISION_STYLE[decision === 'ask' ? decision : (wouldBe ?? decision)].icon
}

const PAINT: Readonly<Partial<Record<Column, (text: string) => string>>> = {
  time: colors.dim,
  agent: colors.dim,
  rule: colors.dim,
  id: colors.dim,
  project: colors.cyan,
}

function formatLine(row: ActionRow, cells: Cells, { gap, widths, command }: Layout): string {
  const shown = COLUMNS.filter((column) => column === 'command' || (widths.get(column) ?? 0) > 0)
  const parts = shown.map((column, at) => {
    const width = column === 'command' ? command : (widths.get(column) ?? 0)
    const text = fitColumns(cells[column], width)
    const padding = at === shown.length - 1 ? '' : ' '.repeat(Math.max(0, width - displayWidth(text)))
    const paint = column === 'label' ? (cell: string) => paintAs(row, cell) : PAINT[column]
    return (paint === undefined || text === '' ? text : paint(text)) + padding
  })
  if (!shown.includes('label')) parts.unshift(paintAs(row, readIcon(row)))
  return parts.join(' '.repeat(gap)).trimEnd()
}
