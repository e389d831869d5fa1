// `arc mode`: the declaration.

import { Argument, type Command } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addMode(arc: Command, run: Run): void {
  arc
    .command('mode')
    .summary('how much hooks may do: off, log, advise, enforce')
    .description('show or set the mode of the profile in force; hosts and launcher follow')
    .addArgument(new Argument('[mode]', 'the new mode').choices(MODE_NAMES))
    .option('--json', 'print {profile, mode, source}')
    .addHelpText('after', example('arc mode enforce'))
    .action((mode, options) => run(import('./mode.run.ts').then((all) => all.mode(mode, options))))
}
