// `arc setup`: the declaration.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addSetup(arc: Command, run: Run): void {
  arc
    .command('setup')
    .summary('managed mode: ARC belongs to another account')
    .description(
      'managed mode: home, package and daemon belong to a system user, and agents reach only the socket; needs root',
    )
    .requiredOption('--managed', 'set up managed mode, or update it')
    .option('--user <name>', 'the system user that owns home and daemon', 'arc')
    .option('--group <name>', 'the group whose members may approve', 'arc-approvers')
    .option('--approver <user...>', 'add these accounts to the group')
    .option('--prefix <dir>', 'the copy of the package, owned by root; /usr/local/lib/arc-supervisor by default')
    .option('--home <dir>', 'the home of the daemon; /var/lib/arc by default')
    .addOption(new Option('--enforcement <mode>', 'the mode of a new home').choices(MODE_NAMES).default('enforce'))
    .option('--hosts <names>', 'also write the system-wide configuration of these agents (claude)')
    .option('--start', 'start the daemon now, also where there is no systemd')
    .addOption(new Option('--remove', 'undo the setup; the home stays').conflicts('start'))
    .option('--purge', 'with --remove: delete the home with the record, the user and the group too')
    .addOption(new Option('--root <dir>', 'put all system paths below this folder').hideHelp())
    .option('--dry-run', 'show the steps; nothing is changed')
    .option('--json', 'print {managed, steps, warnings}')
    .addHelpText('after', example('sudo arc setup --managed --approver ann --hosts claude'))
    .action((options) => run(import('./setup.run.ts').then(({ setup }) => setup(options))))
}
