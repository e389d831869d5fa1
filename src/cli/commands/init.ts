// `arc init`: creates the home of ARC.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addInit(arc: Command, run: Run): void {
  arc
    .command('init')
    .summary("create ARC's home folder with a default profile")
    .description("create ARC's home folder ($ARC_HOME, or ~/.arc) with a default profile; existing files are kept")
    .addOption(new Option('--enforcement <mode>', 'set the mode of the profile').choices(MODE_NAMES))
    .addOption(
      new Option(
        '--confirm <how>',
        'none: approving and loosening need no confirmation; for scripts and tests',
      ).choices(['ask', 'none']),
    )
    .option('--json', 'print {home, profile, enforcement}')
    .addHelpText('after', example('arc init --enforcement enforce'))
    .action((options) => run(import('./init.run.ts').then(({ init }) => init(options))))
}
