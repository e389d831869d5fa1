// Renders the state of `arc watch` as lines for a terminal of any size. Pure. Texts of agents are escaped here: no line has
// a control character other than ARC's own colours, and none is wider than the terminal.

import { ActionTable } from '../../action-rows.ts'
import colors from '../../colors.ts'
import { fitColumns, fitLine, forTerminal, type LinePart, oneLine } from '../../output.ts'
import { formatSeconds } from '../../progress-line.ts'
import {
  type Details,
  type FeedItem,
  filterItems,
  findSelected,
  type HeldItem,
  type Size,
  type WatchState,
} from './watch-state.ts'
import { wrapDetails } from './wrap-details.ts'

/**
 * The lines of the screen, at most `size.rows`.
 * @example
 * for (const line of renderWatch(state, { columns: 80, rows: 24 })) process.stdout.write(`${line}\r\n`)
 */
export function renderWatch(state: WatchState, size: Size): readonly string[] {
  const { columns, rows } = size
  const title = rows >= MIN_TITLE ? [forTerminal(renderTitle(state, columns))] : []
  // The last line is needed to type; else the rows are more important.
  const hasFooter = rows >= MIN_FOOTER || state.filterBefore !== undefined
  const footer = hasFooter ? [forTerminal(renderFooter(state, columns))] : []
  const room = rows - title.length - footer.length
  const body =
    state.details === undefined ? renderFeed(state, columns, room) : renderDetails(state.details, columns, room)
  const filled = [...body, ...Array<string>(Math.max(0, room - body.length)).fill('')]
  return [...title, ...filled, ...footer].slice(0, rows)
}

const MIN_TITLE = 3
const MIN_FOOTER = 2
// A smaller terminal has no line between held steps and actions.
const MIN_SEPARATOR = 8
const NARROW = 60

function renderTitle(state: WatchState, columns: number): string {
  const { mode, held, items, filter, hidesPassed, details } = state
  if (details !== undefined) return fitLine([[oneLine(details.title, columns), colors.bold]], columns)
  const count = held?.length ?? 0
  const shown = filterItems(state).length
  const waiting: LinePart = count > 0 ? [`${count} held`, colors.magenta] : 'nothing held'
  const total = shown === items.length ? `${shown} actions` : `${shown} of ${items.length} actions`
  const parts: LinePart[] = [['arc watch', colors.bold], ' · ', waiting, ` · mode ${mode} · ${total}`]
  if (hidesPassed) parts.push(' · passed hidden')
  if (filter !== '') parts.push(` · filter: ${oneLine(filter)}`)
  // In a narrow terminal the count of held steps is first.
  return fitLine(columns < NARROW ? parts.slice(2) : parts, columns)
}

function renderFooter({ filterBefore, filter, notice, problem, details, held }: WatchState, columns: number): string {
  if (filterBefore !== undefined) {
    // The end of a long filter is where it is typed.
    const typed = [...`/${oneLine(filter, Number.POSITIVE_INFINITY)}`]
    return fitColumns(`${typed.slice(-Math.max(1, Math.floor(columns / 2))).join('')}_`, columns)
  }
  const message = notice ?? problem
  if (message !== undefined) return fitLine([[oneLine(message, 400), colors.yellow]], columns)
  const keys = details === undefined ? feedKeys((held?.length ?? 0) > 0) : 'q back  ↑↓ scroll'
  return fitLine([[keys, colors.dim]], columns)
}

function feedKeys(hasHeld: boolean): string {
  return `${hasHeld ? 'a approve  d deny  ' : ''}? help  q quit  Enter why  / filter  p passed  ↑↓ select`
}

function renderDetails({ lines, top }: Details, columns: number, room: number): readonly string[] {
  const wrapped = wrapDetails(lines, columns)
  const from = Math.min(top, Math.max(0, wrapped.length - room))
  return wrapped.slice(from, from + room)
}

function renderFeed(state: WatchState, columns: number, room: number): readonly string[] {
  const { held = [], now } = state
  const items = filterItems(state)
  const { at } = findSelected(state)
  // Held steps take at most half of the screen if there are actions.
  const heldRoom = Math.min(held.length, items.length === 0 ? room : Math.max(1, Math.floor(room / 2)))
  const hasSeparator = held.length > 0 && room >= MIN_SEPARATOR
  const itemRoom = Math.max(0, room - heldRoom - (hasSeparator ? 1 : 0))
  const heldView = { from: findFirst(at, heldRoom, held.length), count: heldRoom }
  const itemView = { from: findFirst(at - held.length, itemRoom, items.length), count: itemRoom }
  const lines = [
    ...renderHeld(held, { ...heldView, at, columns, now }),
    ...(hasSeparator ? [colors.dim('─'.repeat(columns))] : []),
    ...renderItems(items, { ...itemView, at: at - held.length, columns, now }),
  ]
  if (state.held !== undefined && lines.length === 0) lines.push(fitColumns(explainEmpty(state), columns))
  return lines.map(forTerminal)
}

function explainEmpty({ filter, hidesPassed, items }: WatchState): string {
  if (items.length === 0) return 'No actions yet. They appear here when an agent acts.'
  return filter === '' && hidesPassed ? 'Every action passed. Show them: p' : 'No action matches. Clear the filter: Esc'
}

// The first visible row, so that the selected one is visible.
function findFirst(selected: number, room: number, length: number): number {
  const at = Math.min(selected, length - 1)
  return at < room ? 0 : at - room + 1
}

interface View {
  readonly from: number
  readonly count: number
  /** The selected row. */
  readonly at: number
  readonly columns: number
  readonly now: number
}

// Narrower terminals have no room for the mark of the selected row.
const MIN_MARKED = 8

function renderHeld(held: readonly HeldItem[], { from, count, at, columns, now }: View): string[] {
  return held.slice(from, from + count).map((item, index) => {
    const { command, project, agent, expiresAt } = item
    const left = formatSeconds(Math.max(0, Math.ceil((expiresAt - now) / 1_000)))
    const where = [agent, project].filter((name) => name !== '').join(' ')
    const parts: LinePart[] = [
      ...(columns < MIN_MARKED ? [] : [from + index === at ? MARKED : UNMARKED]),
      [columns < NARROW ? '? ' : '? held ', colors.magenta],
      [`${columns < NARROW ? left.replace(/ .*/, '') : left.padStart(MAX_LEFT)} `, colors.yellow],
      ...(columns < NARROW || where === '' ? [] : [[`${oneLine(where, 40)}  `, colors.cyan] as const]),
      oneLine(command, Math.max(2, columns)),
    ]
    return fitLine(parts, columns)
  })
}

const MARKED: LinePart = ['> ', colors.bold]
const UNMARKED = '  '
const MAX_LEFT = '59m 59s'.length
// Columns are as wide as the newest rows need, so that they do not change with each row.
const MEASURED = 100

function renderItems(items: readonly FeedItem[], { from, count, at, columns, now }: View): string[] {
  const isMarked = columns >= MIN_MARKED
  const table = new ActionTable({ columns: () => (isMarked ? columns - UNMARKED.length : columns), now: () => now })
  table.lines(items.slice(0, MEASURED).map(({ row }) => row))
  const lines = table.lines(items.slice(from, from + count).map(({ row }) => row))
  if (!isMarked) return lines
  return lines.map((line, index) => (from + index === at ? colors.bold('> ') : UNMARKED) + line)
}
