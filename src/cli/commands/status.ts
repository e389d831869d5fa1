// `arc status`: state of the daemon, and the mode.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { managedForOthers } from '../managed-access.ts'

export function addStatus(arc: Command, run: Run): void {
  arc
    .command('status')
    .description('show whether the daemon runs, the profile and the mode')
    .option('--json', 'print {running, pid, url, loginUrl, socket, profile, enforcement, breaker, uptimeMs, onDemand}')
    .addHelpText('after', example('arc status'))
    .action((options) => {
      const load = () =>
        managedForOthers() === undefined ? import('./status.run.ts') : import('./status/managed-status.ts')
      return run(load().then(({ status }) => status(options)))
    })
}
