// `arc launch`: starts an agent under supervision.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addLaunch(arc: Command, run: Run): void {
  arc
    .command('launch <profile> [args...]')
    .usage('PROFILE [-- ARGS…]')
    .summary("start a profile's agent under supervision")
    .description(
      "start a profile's agent under supervision, for this run only; the agent's own configuration is not changed",
    )
    .addHelpText('after', '\nExit code: that of the agent; 2 if a hook blocked the launch.')
    .addHelpText('after', example('arc launch strict -- -p "run the tests"'))
    .action((profile, args) => run(import('./launch.run.ts').then(({ launch }) => launch(profile, args))))
}
