// A report as Markdown, for the team. Text of agents is code or escaped, so that it cannot become markup.

import { basename } from 'node:path'
import type { StopCounts } from '../../../daemon/live/report.ts'
import { oneLine } from '../../output.ts'
import type { ReportWithNext } from './next-commands.ts'

const MAX_RULES = 30
const MAX_PROJECTS = 30

/** The report as a Markdown document. */
export function formatMarkdown(report: ReportWithNext): string {
  const { since, mode, actions, stopped, held, wouldStop, rules, projects, days, hooks, next } = report
  const counts = (one: StopCounts): string[] => [one.stopped, one.held, one.wouldStop].map(String)
  const parts = [
    `# ARC report since ${since.slice(0, 10)}`,
    `${actions} actions in mode ${mode}: ${stopped} blocked, ${held} held, and ${wouldStop} that enforce would have blocked or held.`,
    section(
      'Rules',
      ['rule', 'count', 'blocked', 'held', 'in enforce', 'projects', 'example'],
      rules
        .slice(0, MAX_RULES)
        .map((rule) => [
          ...[code(rule.rule ?? rule.hook ?? 'other'), String(rule.count), ...counts(rule)],
          ...[
            rule.projects.map((project) => text(basename(project))).join(', '),
            code(rule.examples[0]?.command ?? ''),
          ],
        ]),
    ),
    section(
      'Projects',
      ['project', 'blocked', 'held', 'in enforce'],
      projects.slice(0, MAX_PROJECTS).map((one) => [text(basename(one.project)), ...counts(one)]),
    ),
    section(
      'Days',
      ['day', 'actions', 'blocked', 'held', 'in enforce'],
      days.map((day) => [day.day, String(day.actions), ...counts(day)]),
    ),
    section(
      'Hooks',
      ['hook', 'runs', 'errors', 'p95 ms'],
      hooks.map(({ name, runs, errors, p95Ms }) => [code(name), ...[runs, errors, p95Ms].map(String)]),
    ),
    ['## Next', ...next.map(({ command, why }) => `- ${code(command)}: ${text(why)}`)].join('\n'),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const toRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [`## ${title}`, '', toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n')
}

// A fence longer than any in the text; a table cell ends at a bar even in code.
function code(value: string): string {
  const line = oneLine(value, 120).replaceAll('|', '\\|')
  if (line === '') return ''
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const blank = longest > 0 ? ' ' : ''
  return fence + blank + line + blank + fence
}

function text(value: string): string {
  return oneLine(value, 120).replace(/[\\`*_{}[\]()#+!<>|~&-]/g, '\\$&')
}
