// A report as lines of a terminal: a bar per rule, a line per day, and the next commands. Fits 80 columns and 24 lines.

import { basename } from 'node:path'
import type { DayReport, RuleReport, StopCounts } from '../../../daemon/live/report.ts'
import colors from '../../colors.ts'
import { DECISION_STYLE, displayWidth, fitColumns, fitLine, formatTime, type LinePart, oneLine } from '../../output.ts'
import type { ReportWithNext } from './next-commands.ts'

const MAX_RULES = 4
const MAX_DAY_LINES = 8
const MAX_PROJECTS = 5
const BAR_WIDTH = 12
const MAX_RULE_WIDTH = 26

/** The lines of a report, none wider than the given columns. */
export function formatReport(report: ReportWithNext, columns: number): readonly string[] {
  const line = (...parts: readonly LinePart[]): string => fitLine(parts, columns)
  const { since, mode, next } = report
  const commandWidth = Math.max(0, ...next.map(({ command }) => command.length))
  return [
    line([`Since ${formatTime(since)}`, colors.bold], ` in mode ${mode}: `, ...summary(report)),
    ...block(ruleLines(report.rules, columns)),
    ...block(report.actions === 0 ? [] : dayLines(report.days, columns)),
    ...block([...projectLines(report, columns), ...hookLines(report, columns)]),
    ...block(next.map(({ command, why }) => line(`  ${command.padEnd(commandWidth)}  `, [why, colors.dim]))),
  ]
}

function block(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}

function summary({ actions, stopped, held, wouldStop }: ReportWithNext): readonly LinePart[] {
  if (actions === 0) return ['no actions']
  return [
    `${format(actions)} ${actions === 1 ? 'action' : 'actions'}, `,
    [`${format(stopped)} blocked`, stopped > 0 ? DECISION_STYLE.block.paint : String],
    ', ',
    [`${format(held)} held`, held > 0 ? DECISION_STYLE.ask.paint : String],
    ', ',
    [`${format(wouldStop)} more in enforce`, wouldStop > 0 ? colors.yellow : String],
  ]
}

// Rule, bar, count and the newest example.
function ruleLines(rules: readonly RuleReport[], columns: number): readonly string[] {
  const shown = rules.slice(0, rules.length === MAX_RULES + 1 ? MAX_RULES + 1 : MAX_RULES)
  const most = Math.max(1, ...shown.map(({ count }) => count))
  const names = shown.map(({ rule, hook }) => fitColumns(oneLine(rule ?? hook ?? 'other'), MAX_RULE_WIDTH))
  const width = Math.max(0, ...names.map(displayWidth))
  const countWidth = Math.max(...shown.map(({ count }) => format(count).length))
  const lines = shown.map((rule, at) => {
    const bar = '█'.repeat(Math.max(1, Math.round((rule.count / most) * BAR_WIDTH)))
    const [example] = rule.examples
    return fitLine(
      [
        `  ${pad(names[at] ?? '', width)}  `,
        [bar.padEnd(BAR_WIDTH), paintOf(rule)],
        `  ${format(rule.count).padStart(countWidth)}  `,
        [oneLine(example?.command ?? '', 200), colors.dim],
      ],
      columns,
    )
  })
  const rest = rules.slice(shown.length)
  if (rest.length === 0) return lines
  const sum = rest.reduce((total, { count }) => total + count, 0)
  return [...lines, fitLine([[`  and ${rest.length} more rules with ${format(sum)} actions`, colors.dim]], columns)]
}

function paintOf({ stopped, held }: StopCounts): (text: string) => string {
  if (stopped > 0) return DECISION_STYLE.block.paint
  return held > 0 ? DECISION_STYLE.ask.paint : colors.yellow
}

function dayLines(days: readonly DayReport[], columns: number): readonly string[] {
  const spans = joinDays(days)
  const rows = spans.map(({ day, actions, stopped, held, wouldStop }) => {
    return [day, ...[actions, stopped, held, wouldStop].map(format)] as const
  })
  const head = ['day', 'actions', 'blocked', 'held', 'in enforce']
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)))
  const toText = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ')
  const most = Math.max(1, ...spans.map(sumStops))
  return [
    fitLine([[`  ${toText(head)}`, colors.dim]], columns),
    ...rows.map((row, at) => {
      const stops = sumStops(spans[at] as DayReport)
      const bar = stops === 0 ? '' : '█'.repeat(Math.max(1, Math.round((stops / most) * BAR_WIDTH)))
      return fitLine([`  ${toText(row)}  `, [bar, paintOf(spans[at] as DayReport)]], columns)
    }),
  ]
}

// Long periods have several days to a line, named by the first.
function joinDays(days: readonly DayReport[]): readonly DayReport[] {
  const size = Math.ceil(days.length / MAX_DAY_LINES)
  const lines = Math.ceil(days.length / Math.max(1, size))
  return Array.from({ length: lines }, (_, at) => {
    const part = days.slice(at * size, (at + 1) * size)
    const add = (key: 'actions' | keyof StopCounts): number => part.reduce((sum, day) => sum + day[key], 0)
    const counts = { stopped: add('stopped'), held: add('held'), wouldStop: add('wouldStop') }
    return { day: part[0]?.day ?? '', actions: add('actions'), ...counts }
  })
}

function projectLines({ projects }: ReportWithNext, columns: number): readonly string[] {
  if (projects.length === 0) return []
  const shown = projects.slice(0, MAX_PROJECTS).map((one) => `${basename(one.project)} ${format(sumStops(one))}`)
  const rest = projects.length > shown.length ? `, and ${projects.length - shown.length} more` : ''
  return [fitLine([['  projects  ', colors.dim], oneLine(shown.join(', ') + rest, 200)], columns)]
}

// Hooks that failed, and the slowest.
function hookLines({ hooks }: ReportWithNext, columns: number): readonly string[] {
  const failed = hooks.filter(({ errors }) => errors > 0).map(({ name, errors }) => `${name} failed ${format(errors)}×`)
  const slowest = hooks.toSorted((a, b) => b.p95Ms - a.p95Ms)[0]
  const slow = slowest === undefined ? [] : [`slowest ${slowest.name}, p95 ${slowest.p95Ms} ms`]
  const text = oneLine([...failed, ...slow].join('; '), 200)
  return text === '' ? [] : [fitLine([['  hooks     ', colors.dim], text], columns)]
}

function sumStops({ stopped, held, wouldStop }: StopCounts): number {
  return stopped + held + wouldStop
}

function format(count: number): string {
  return count.toLocaleString('en')
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}
