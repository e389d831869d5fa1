// `arc completion`: shell completion.

import { Argument, type Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addCompletion(arc: Command, run: Run): void {
  const load = () => import('./completion.run.ts')
  arc
    .command('completion')
    .summary('shell completion for bash, zsh and fish')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('eval "$(arc completion bash)"'))
    .action((shell) => run(load().then((all) => all.completion(shell, arc))))
  // Called by the completion script.
  arc
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['profile', 'hook', 'host', 'agent']))
    .action((kind) => run(load().then((all) => all.complete(kind))))
}
