// `arc stop`: ends the daemon.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addStop(arc: Command, run: Run): void {
  arc
    .command('stop')
    .description('stop the daemon after the calls in flight; hooks do not restart it until arc serve')
    .option('--json', 'print {stopped, pid}')
    .addHelpText('after', example('arc stop'))
    .action((options) => run(import('./stop.run.ts').then(({ stop }) => stop(options))))
}
