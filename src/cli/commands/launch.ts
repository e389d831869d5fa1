// `arc launch`: starts an agent under supervision.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addLaunch(arc: Command, run: Run): void {
  arc
    .command('launch <agent> [args...]')
    .usage('PROFILE|AGENT [-- ARGS…]')
    .passThroughOptions()
    .summary('start an agent under supervision, for one run')
    .description(
      "start an agent, or the agent of a profile, under supervision for this run only; the agent's own configuration is not changed",
    )
    .addHelpText('after', '\nExit code: that of the agent; 2 if a hook blocked the launch.')
    .addHelpText('after', example('arc launch claude -p "run the tests"'))
    .action((agent, [first, ...rest]: string[]) => {
      const args = first === undefined ? [] : first === '--' ? rest : [first, ...rest]
      return run(import('./launch.run.ts').then(({ launch }) => launch(agent, args)))
    })
}
