// `arc doctor`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addDoctor(arc: Command, run: Run): void {
  arc
    .command('doctor')
    .summary('is everything that should run really running')
    .description(
      'is everything that should run really running: home, configuration, trust, daemon, each installed host',
    )
    .option('--live', 'also send a canary through each installed host line, and expect it in the trace')
    .option('--json', 'print {ok, checks: [{name, ok, detail, fix}]}')
    .addHelpText('after', '\nExit code: 0 all is well, 1 something is not.')
    .addHelpText('after', example('arc doctor --live'))
    .action((options) => run(import('./doctor.run.ts').then(({ doctor }) => doctor(options))))
}
