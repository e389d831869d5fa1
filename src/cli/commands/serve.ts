// `arc serve`: the daemon.

import { type Command, Option } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addServe(arc: Command, run: Run): void {
  arc
    .command('serve')
    .summary('run the daemon and its dashboard')
    .description('run the daemon in the foreground until Ctrl-C: it answers hooks fast and serves the dashboard')
    .option('--port <number>', 'port on 127.0.0.1 (default: 4747, or a free one if that is taken)')
    .option('--no-open', 'do not open the dashboard in a browser')
    .option('--json', 'print the status as JSON once the daemon runs')
    .option('--background', 'start the daemon in the background and return once it answers')
    .option('--sample', 'play the sample session once the daemon runs')
    .addOption(new Option('--no-sample').hideHelp())
    .addOption(new Option('--on-demand').hideHelp())
    .addOption(new Option('--detached').hideHelp())
    .addHelpText('after', example('arc serve --no-open'))
    .action((options) => run(import('./serve.run.ts').then(({ serve }) => serve(options))))
}
