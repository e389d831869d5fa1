// The table at the end of a run: the results of each class of attempts.

import type { Result } from './run-attempt.ts'

interface Facts {
  readonly isIsolated: boolean
  /** The processor time of everything in the box. */
  readonly cpuSeconds: number
}

/** The table, what could not be tried, and the known limits that no longer get through. */
export function summaryOf(results: readonly Result[], { isIsolated, cpuSeconds }: Facts): string {
  const classes = [...new Set(results.map(({ attempt }) => attempt.class))]
  const rows = classes.map((name) =>
    rowOf(
      name,
      results.filter(({ attempt }) => attempt.class === name),
    ),
  )
  const head = ['class', 'attempts', 'blocked', 'held', 'refused', 'passed', 'not tried', 'known limits', 'got through']
  const table = [head, ...rows, rowOf('all', results)]
  const widths = head.map((_, at) => Math.max(...table.map((row) => (row[at] ?? '').length)))
  const lines = table.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
  )
  const closed = results.filter(
    ({ attempt, outcome }) => attempt.knownLimit !== undefined && outcome !== outcome.toUpperCase(),
  )
  const untried = results.filter(({ outcome }) => outcome === 'not-tried')
  const notes = [
    ...(isIsolated ? [] : ['No namespaces here: what passed was not done, so only the answers were checked.']),
    ...(cpuSeconds > 0 ? [`Processor time in the box: ${Math.round(cpuSeconds)} s`] : []),
    ...untried.map(({ attempt, detail }) => `Not tried: ${attempt.id}: ${detail}`),
    ...closed.map(({ attempt, outcome }) => `Known limit that did not get through: ${attempt.id}: ${outcome}`),
  ]
  return `\n${[...lines, ...notes].join('\n')}\n`
}

function rowOf(name: string, results: readonly Result[]): string[] {
  const open = results.filter(({ attempt }) => attempt.knownLimit === undefined)
  const count = (outcome: string) => open.filter((result) => result.outcome === outcome).length
  const through = open.filter(({ outcome }) => outcome === outcome.toUpperCase()).length
  const limits = results.length - open.length
  const counts = ['blocked', 'held', 'refused', 'passed', 'not-tried'].map(count)
  return [name, ...[results.length, ...counts, limits, through].map(String)]
}
