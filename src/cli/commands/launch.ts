// `arc launch`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addLaunch(arc: Command, run: Run): void {
  arc
    .command('launch <profile> [args...]')
    .usage('PROFILE [-- ARGS…]')
    .summary("start a profile's agent, supervised for this run")
    .description("the profile's agent, supervised for this run only; its own configuration is not touched")
    .addHelpText('after', "\nExit code: the agent's own; 2 when a hook blocked the launch.")
    .addHelpText('after', example('arc launch strict -- -p "run the tests"'))
    .action((profile, args) => run(import('./launch.run.ts').then(({ launch }) => launch(profile, args))))
}
