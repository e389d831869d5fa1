// `arc doctor`: checks the installation.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addDoctor(arc: Command, run: Run): void {
  arc
    .command('doctor')
    .summary('check the installation')
    .description('check the installation: home, configuration, trust, daemon, and every installed agent')
    .option('--live', 'also send a test call through every installed hook and look for it in the trace')
    .option('--json', 'print {ok, checks: [{name, ok, detail, fix}]}')
    .addHelpText('after', '\nExit code: 0 all checks passed, 1 a check failed.')
    .addHelpText('after', example('arc doctor --live'))
    .action((options) => run(import('./doctor.run.ts').then(({ doctor }) => doctor(options))))
}
