// `arc logs`: the structured log.

import { type Command, Option } from 'commander'
import { DECISIONS } from '../../engine/decision.ts'
import { example, type Run } from '../command-declaration.ts'

export function addLogs(arc: Command, run: Run): void {
  arc
    .command('logs')
    .summary('show what hooks decided, newest last')
    .description('show the structured log of every evaluation, newest last')
    .option('--component <name>', 'hooks, launch, breaker, config, daemon, hosts, retry, roundtable or tasks')
    .option('--action <action>', 'hook:pass, hook:flag, hook:ask, hook:block, hook:error, hook:skip, …')
    .option('--session <id>', 'only this session')
    .option('--hook <name>', 'only this hook')
    .addOption(new Option('--decision <decision>', 'only this decision').choices(DECISIONS))
    .option('--since <time>', 'only newer records: 30m, 2h, 7d or a date')
    .option('--limit <count>', 'how many of the newest to show', '50')
    .option('--follow', 'keep printing new records')
    .option('--json', 'print one JSON document per line')
    .addHelpText('after', example('arc logs --component hooks --decision block --since 1d'))
    .action((options) => run(import('./logs.run.ts').then(({ logs }) => logs(options))))
}
