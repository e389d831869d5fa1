// `arc status`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { managedForOthers } from '../managed-access.ts'

export function addStatus(arc: Command, run: Run): void {
  arc
    .command('status')
    .description('is the daemon running, and what is in force')
    .option('--json', 'print {running, pid, url, loginUrl, socket, profile, enforcement, breaker, uptimeMs, onDemand}')
    .addHelpText('after', example('arc status'))
    .action((options) => {
      const load = () =>
        managedForOthers() === undefined ? import('./status.run.ts') : import('./status/managed-status.ts')
      return run(load().then(({ status }) => status(options)))
    })
}
