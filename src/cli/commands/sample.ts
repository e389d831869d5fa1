// `arc sample`: the declaration.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addSample(arc: Command, run: Run): void {
  arc
    .command('sample')
    .summary('see it work: a sample session of a small agent')
    .description('a small agent works in a temporary repository, supervised; nothing of yours is touched')
    .addOption(new Option('--mode <mode>', 'what the hooks may do').choices(MODE_NAMES).default('enforce'))
    .option('--wait <seconds>', 'how long the step that is held waits for your answer', '20')
    .option('--json', 'one JSON document per step on stdout')
    .addHelpText('after', example('arc sample --mode log'))
    .action((options) => run(import('./sample.run.ts').then((all) => all.sample(options))))
  // The agent itself, as a process of its own.
  arc
    .command('sample-agent', { hidden: true })
    .requiredOption('--config-home <dir>')
    .requiredOption('--mode <mode>')
    .requiredOption('--wait <seconds>')
    .action((options) => run(import('./sample.run.ts').then((all) => all.sampleAgent(options))))
}
