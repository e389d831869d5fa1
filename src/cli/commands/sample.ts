// `arc sample`: plays a sample session.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addSample(arc: Command, run: Run): void {
  arc
    .command('sample')
    .summary('watch ARC supervise a small sample agent')
    .description('run a small supervised agent in a temporary repository; your own files and records are not touched')
    .addOption(new Option('--mode <mode>', 'mode of the session').choices(MODE_NAMES).default('enforce'))
    .option('--wait <seconds>', 'how many seconds the held step waits for your answer', '20')
    .option('--json', 'print one JSON document per step')
    .addHelpText('after', example('arc sample --mode log'))
    .action((options) => run(import('./sample.run.ts').then((all) => all.sample(options))))
  // The sample agent runs as a separate process.
  arc
    .command('sample-agent', { hidden: true })
    .requiredOption('--config-home <dir>')
    .requiredOption('--mode <mode>')
    .requiredOption('--wait <seconds>')
    .action((options) => run(import('./sample.run.ts').then((all) => all.sampleAgent(options))))
}
