// `arc logs`: the actions of the agents, or the evaluations behind them.

import { type Command, Option } from 'commander'
import { DECISIONS } from '../../engine/decision.ts'
import { example, type Run } from '../command-declaration.ts'

export function addLogs(arc: Command, run: Run): void {
  arc
    .command('logs')
    .summary('show what agents did and what was stopped')
    .description(
      'show what agents did, one line per action, newest last; passed actions are hidden. With --component, --action or --hook: the structured log of every evaluation',
    )
    .option('--all', 'also show actions that passed')
    .addOption(new Option('--decision <decision>', 'only this decision').choices(DECISIONS))
    .option('--would-block', 'only actions that enforce would have blocked or held')
    .option('--project <folder>', 'only actions in this folder, by path or name')
    .option('--agent <name>', 'only this agent or host')
    .option('--rule <rule>', 'only this rule or pack, such as git/push-force or git')
    .option('--text <text>', 'only actions that contain this text')
    .option('--session <id>', 'only this session')
    .option('--since <time>', 'only newer records: 30m, 2h, 7d or a date')
    .option('--limit <count>', 'how many of the newest to show', '50')
    .option('--follow', 'keep printing new records')
    .option('--component <name>', 'hooks, launch, breaker, config, daemon, hosts, retry, roundtable or tasks')
    .option('--action <action>', 'hook:pass, hook:flag, hook:ask, hook:block, hook:error, hook:skip, …')
    .option('--hook <name>', 'only evaluations of this hook')
    .option('--json', 'print one JSON document per line')
    .addHelpText('after', example('arc logs --would-block --since 7d'))
    .action((options) => run(import('./logs.run.ts').then(({ logs }) => logs(options))))
}
