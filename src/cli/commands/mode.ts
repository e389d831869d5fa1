// `arc mode`: shows or sets the mode.

import { Argument, type Command } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addMode(arc: Command, run: Run): void {
  arc
    .command('mode')
    .summary('show or set the mode: off, log, advise, enforce')
    .description('show or set the mode of the active profile; installed agents are updated')
    .addArgument(new Argument('[mode]', 'new mode').choices(MODE_NAMES))
    .option('--json', 'print {profile, mode, source}')
    .addHelpText('after', example('arc mode enforce'))
    .action((mode, options) => run(import('./mode.run.ts').then((all) => all.mode(mode, options))))
}
