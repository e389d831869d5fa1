// `arc logs`: the declaration.

import { type Command, Option } from 'commander'
import { DECISIONS } from '../../engine/decision.ts'
import { example, type Run } from '../command-declaration.ts'

export function addLogs(arc: Command, run: Run): void {
  arc
    .command('logs')
    .summary('what hooks decided, newest last')
    .description('the structured log of every evaluation, newest last')
    .option('--component <name>', 'hooks, launch, breaker, config, daemon, hosts, retry, roundtable or tasks')
    .option('--action <action>', 'hook:pass, hook:flag, hook:ask, hook:block, hook:error, hook:skip, …')
    .option('--session <id>', 'of one session')
    .option('--hook <name>', 'by one hook')
    .addOption(new Option('--decision <decision>', 'what was decided').choices(DECISIONS))
    .option('--since <time>', '30m, 2h, 7d or a date')
    .option('--limit <count>', 'the newest so many', '50')
    .option('--follow', 'go on with what comes')
    .option('--json', 'one JSON document per line')
    .addHelpText('after', example('arc logs --component hooks --decision block --since 1d'))
    .action((options) => run(import('./logs.run.ts').then(({ logs }) => logs(options))))
}
