// `arc open`: opens the dashboard.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addOpen(arc: Command, run: Run): void {
  arc
    .command('open')
    .description('open the dashboard in a browser, signed in')
    .option('--no-browser', 'only print the link (valid once, for 5 minutes)')
    .option('--json', 'print {loginUrl}')
    .addHelpText('after', example('arc open'))
    .action((options) => run(import('./open.run.ts').then((all) => all.open(options))))
}
