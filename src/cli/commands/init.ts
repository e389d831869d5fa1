// `arc init`: the declaration.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addInit(arc: Command, run: Run): void {
  arc
    .command('init')
    .summary('create the home of ARC, with a profile')
    .description('create the home of ARC ($ARC_HOME, or ~/.arc) with a profile to begin with; what is there stays')
    .addOption(new Option('--enforcement <mode>', 'set what hooks may do').choices(MODE_NAMES))
    .addOption(
      new Option('--confirm <how>', 'none: approving and loosening ask nobody; for scripts and tests').choices([
        'ask',
        'none',
      ]),
    )
    .option('--json', 'print {home, profile, enforcement}')
    .addHelpText('after', example('arc init --enforcement enforce'))
    .action((options) => run(import('./init.run.ts').then(({ init }) => init(options))))
}
