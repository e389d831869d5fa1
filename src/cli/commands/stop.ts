// `arc stop`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addStop(arc: Command, run: Run): void {
  arc
    .command('stop')
    .description('end the daemon; steps under way are finished first, and hooks start none until arc serve')
    .option('--json', 'print {stopped, pid}')
    .addHelpText('after', example('arc stop'))
    .action((options) => run(import('./stop.run.ts').then(({ stop }) => stop(options))))
}
