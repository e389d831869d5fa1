// `arc hooks`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addHooks(arc: Command, run: Run): void {
  const load = () => import('./hooks.run.ts')
  const hooks = arc
    .command('hooks')
    .summary('which hooks run; switch one off and on')
    .description('the pipeline as it stands')
    .addHelpText('after', example('arc hooks list'))
  hooks
    .command('list')
    .description('every hook, in the order in which they run')
    .option('--json', 'a list of {name, priority, points, mode, effectiveMode, enabled, timeoutMs, source}')
    .addHelpText('after', example('arc hooks list'))
    .action((options) => run(load().then((all) => all.listHooks(options))))
  hooks
    .command('match <point>')
    .description('which hooks would run on a step')
    .option('--tool <name>', 'the tool, by any name')
    .option('--path <file>', 'a file that the call names')
    .option('--command <line>', 'the line that a shell would run')
    .option('--agent <name>', 'the agent that does it')
    .option('--source <source>', 'human, agent, system, cron or unknown')
    .option('--host <host>', 'the agent program')
    .option('--json', 'the hooks as in list')
    .addHelpText('after', example('arc hooks match pre:tool --tool Bash --path src/index.ts'))
    .action((point, options) => run(load().then((all) => all.matchHooks(point, options))))
  hooks
    .command('disable <name>')
    .description('switch a hook off; what it misses is traced')
    .option('--for <span>', 'on again by itself after 90s, 30m, 2h, 7d')
    .option('--reason <text>', 'for the log')
    .option('--json', 'the hook as in list')
    .addHelpText('after', example('arc hooks disable lint --for 30m --reason "release day"'))
    .action((name, options) => run(load().then((all) => all.disableHook(name, options))))
  hooks
    .command('enable <name>')
    .description('switch a hook on again')
    .option('--json', 'the hook as in list')
    .addHelpText('after', example('arc hooks enable lint'))
    .action((name, options) => run(load().then((all) => all.enableHook(name, options))))
}
