// `arc hook`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addHook(arc: Command, run: Run): void {
  arc
    .command('hook <host> [event]')
    .summary('what a host calls on each event')
    .description("the hook that a host calls: its payload on stdin, the answer in the host's own dialect")
    .addHelpText('after', '\nHosts: claude, codex, gemini, qwen, copilot, cline, opencode, cursor')
    .addHelpText('after', example('arc hook claude < payload.json'))
    .action((host, event) => run(import('./hook.run.ts').then((all) => all.hook(host, event))))
}
