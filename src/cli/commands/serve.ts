// `arc serve`: the declaration.

import { type Command, Option } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addServe(arc: Command, run: Run): void {
  arc
    .command('serve')
    .summary('the daemon and its page')
    .description(
      'the daemon: answers hooks without a start of Node and serves the page; in the foreground until Ctrl-C',
    )
    .option('--port <number>', 'the port on 127.0.0.1; 4747, or another if that is taken')
    .option('--no-open', 'do not open the page in a browser')
    .option('--json', 'print what arc status --json prints, once it runs')
    .option('--background', 'start it, wait until it answers, and leave it running')
    .option('--sample', 'play the sample session once it runs, so that there is something to see')
    .addOption(new Option('--no-sample').hideHelp())
    .addOption(new Option('--on-demand').hideHelp())
    .addHelpText('after', example('arc serve --no-open'))
    .action((options) => run(import('./serve.run.ts').then(({ serve }) => serve(options))))
}
