// `arc hook`: the program that agents call.

import type { Command } from 'commander'
import { HOST_NAMES } from '../../hosts/facts/list.ts'
import { example, type Run } from '../command-declaration.ts'

export function addHook(arc: Command, run: Run): void {
  arc
    .command('hook <host> [event]')
    .summary('called by agents on every event')
    .description("called by agents: reads the agent's payload from stdin and replies in the agent's own format")
    .addHelpText('after', `\nHosts: ${HOST_NAMES.join(', ')}`)
    .addHelpText('after', example('arc hook claude < payload.json'))
    .action((host, event) => run(import('./hook.run.ts').then((all) => all.hook(host, event))))
}
