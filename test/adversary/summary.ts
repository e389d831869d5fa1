// The table at the end of a run: what came of the attempts of each class.

import type { Result } from './run-attempt.ts'

/** The table, and the known limits that no longer get through. */
export function summaryOf(results: readonly Result[], isIsolated: boolean): string {
  const classes = [...new Set(results.map(({ attempt }) => attempt.class))]
  const rows = classes.map((name) =>
    rowOf(
      name,
      results.filter(({ attempt }) => attempt.class === name),
    ),
  )
  const head = ['class', 'attempts', 'blocked', 'held', 'harmless', 'known limits', 'got through']
  const table = [head, ...rows, rowOf('all', results)]
  const widths = head.map((_, at) => Math.max(...table.map((row) => (row[at] ?? '').length)))
  const lines = table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
  const closed = results.filter(
    ({ attempt, outcome }) => attempt.knownLimit !== undefined && ['blocked', 'held'].includes(outcome),
  )
  const notes = [
    ...(isIsolated ? [] : ['No namespaces here: what passed was not done, so only the answers were checked.']),
    ...closed.map(({ attempt }) => `Known limit that no longer gets through: ${attempt.id}`),
  ]
  return `\n${[...lines, ...notes].join('\n')}\n`
}

function rowOf(name: string, results: readonly Result[]): string[] {
  const open = results.filter(({ attempt }) => attempt.knownLimit === undefined)
  const count = (outcome: string) => open.filter((result) => result.outcome === outcome).length
  const through = open.filter(({ outcome }) => outcome === outcome.toUpperCase()).length
  const limits = results.length - open.length
  return [name, ...[results.length, count('blocked'), count('held'), count('passed'), limits, through].map(String)]
}
