// `arc hooks`: the pipeline.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addHooks(arc: Command, run: Run): void {
  const load = () => import('./hooks.run.ts')
  const hooks = arc
    .command('hooks')
    .summary('list, disable and enable hooks')
    .description('list, disable and enable the hooks of the pipeline')
    .addHelpText('after', example('arc hooks list'))
  hooks
    .command('list')
    .description('list all hooks in the order they run')
    .option(
      '--json',
      'print [{name, priority, points, mode, effectiveMode, enabled, timeoutMs, source, neverFiresWith}]',
    )
    .addHelpText('after', example('arc hooks list'))
    .action((options) => run(load().then((all) => all.listHooks(options))))
  hooks
    .command('match <point>')
    .description('show which hooks would run on a step')
    .option('--tool <name>', "name of the tool: a class such as shell, or an agent's own name")
    .option('--path <file>', 'file that the call names')
    .option('--command <line>', 'shell command of the call')
    .option('--agent <name>', 'name of the agent')
    .option('--source <source>', 'human, agent, system, cron or unknown')
    .option('--host <host>', 'agent program, such as claude')
    .option('--json', 'print the hooks as in list')
    .addHelpText('after', example('arc hooks match pre:tool --tool Bash --path src/index.ts'))
    .action((point, options) => run(load().then((all) => all.matchHooks(point, options))))
  hooks
    .command('disable <name>')
    .description('disable a hook; skipped steps are traced')
    .option('--for <span>', 'enable the hook again after 90s, 30m, 2h, 7d')
    .option('--reason <text>', 'reason, for the log')
    .option('--json', 'print the hook as in list')
    .addHelpText('after', example('arc hooks disable lint --for 30m --reason "release day"'))
    .action((name, options) => run(load().then((all) => all.disableHook(name, options))))
  hooks
    .command('resume-watchdogs', { hidden: true })
    .description('resume the watchdogs of the options on stdin at their limit')
    .addHelpText('after', example('arc hooks resume-watchdogs < job.json'))
    .action(() => run(import('./hooks/resume-watchdogs.ts').then((all) => all.resumeWatchdogs())))
  hooks
    .command('enable <name>')
    .description('enable a disabled hook')
    .option('--json', 'print the hook as in list')
    .addHelpText('after', example('arc hooks enable lint'))
    .action((name, options) => run(load().then((all) => all.enableHook(name, options))))
}
