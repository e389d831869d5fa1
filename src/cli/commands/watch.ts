// `arc watch`: the live view in the terminal.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addWatch(arc: Command, run: Run): void {
  arc
    .command('watch')
    .summary('watch agents live, and answer what waits for you')
    .description(
      'watch agents live in the terminal: held steps on top, answered with a and d, and one line per action below; ? lists the keys. Without a terminal it prints lines, as "arc logs --all --follow"',
    )
    .option('--no-bell', 'do not ring the bell when a step is held')
    .addHelpText('after', example('arc watch'))
    .action((options) => run(import('./watch.run.ts').then(({ watch }) => watch(options))))
}
