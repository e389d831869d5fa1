// `arc report`: what was stopped, and what enforce would have stopped.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addReport(arc: Command, run: Run): void {
  arc
    .command('report')
    .summary('show what enforce would have stopped')
    .description('show what was stopped, held, or would have been in enforce: by rule, day, project and hook')
    .option('--since <time>', 'from this time on: 24h, 7d, 30d or a date', '7d')
    .option('--markdown', 'print Markdown, for the team')
    .option('--json', 'print {since, actions, stopped, held, wouldStop, rules, projects, days, hooks, next}')
    .addHelpText('after', example('arc report --since 7d'))
    .action((options) => run(import('./report.run.ts').then(({ printReport }) => printReport(options))))
}
