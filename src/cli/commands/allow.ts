// `arc allow`: lets a step run that was held or blocked.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addAllow(arc: Command, run: Run): void {
  const allow = arc
    .command('allow')
    .usage('[options] ID | last | --rule RULE')
    .summary('allow what was blocked: once, always, or by rule')
    .description('allow a step that was held or blocked, once; ID is an id, a unique prefix, or "last"')
    .argument('[id]', 'the step')
    .option('--always', 'this command in this project, until you remove it')
    .option('--rule <rule>', 'everything that this rule finds, for 7 days')
    .option('--in <dir>', 'with --rule: in this folder and below; default: this project')
    .option('--for <time>', 'how long: 30m, 2h, 7d; once: 10m')
    .option('--reason <text>', 'why, for the list and the log')
    .option('--json', 'print [{id, kind, rule, command, project, …}]')
    .addHelpText('after', example('arc allow last --always --reason "our release script"'))
    .action((id, options) => run(import('./allow.run.ts').then((all) => all.allow(id, options))))
  allow
    .command('list')
    .description('list what is allowed, how often it was used, and until when')
    .option('--json', 'print [{id, kind, rule, command, project, reason, by, createdAt, expiresAt, hits}]')
    .addHelpText('after', example('arc allow list'))
    .action((_options, command) =>
      run(import('./allow/exception-table.ts').then((all) => all.listExceptions(command.optsWithGlobals()))),
    )
  allow
    .command('remove <n>')
    .description('remove an exception; N is its number, or the id of an approval that is not used yet')
    .option('--json', 'print the rest of the list')
    .addHelpText('after', example('arc allow remove 3'))
    .action((n, _options, command) =>
      run(import('./allow/exception-table.ts').then((all) => all.removeException(n, command.optsWithGlobals()))),
    )
}
