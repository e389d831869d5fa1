// `arc hook`: the program that agents call.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { writeHostList } from '../host-list.ts'

export function addHook(arc: Command, run: Run): void {
  arc
    .command('hook <host> [event]')
    .summary('called by agents on every event')
    .description("called by agents: reads the agent's payload from stdin and replies in the agent's own format")
    .addHelpText('after', writeHostList())
    .addHelpText('after', example('arc hook claude < payload.json'))
    .action((host, event) => run(import('./hook.run.ts').then((all) => all.hook(host, event))))
}
