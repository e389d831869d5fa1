// `arc setup`: managed mode, for all accounts of the machine.

import { type Command, Option } from 'commander'
import { AGENT_FACTS } from '../../hosts/facts/list.ts'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

const SYSTEM_HOSTS = AGENT_FACTS.filter(({ settings }) => settings.systemFile !== undefined).map(({ name }) => name)

export function addSetup(arc: Command, run: Run): void {
  arc
    .command('setup')
    .summary('set up managed mode: ARC runs under its own account')
    .description(
      'set up managed mode (needs root): a system user owns home, package and daemon; agents only reach its socket',
    )
    .requiredOption('--managed', 'set up managed mode, or update it')
    .option('--user <name>', 'system user that owns home and daemon', 'arc')
    .option('--group <name>', 'group whose members may approve', 'arc-approvers')
    .option('--approver <user...>', 'add these accounts to that group')
    .option('--prefix <dir>', 'root-owned copy of the package (default: /usr/local/lib/arc-supervisor)')
    .option('--home <dir>', 'home of the daemon (default: /var/lib/arc)')
    .addOption(new Option('--enforcement <mode>', 'mode of a new home').choices(MODE_NAMES).default('enforce'))
    .option('--hosts <names>', `also write the system-wide configuration of these agents (${SYSTEM_HOSTS.join(', ')})`)
    .option('--start', 'start the daemon now, even without systemd')
    .addOption(new Option('--remove', 'undo the setup but keep the home').conflicts('start'))
    .option('--purge', 'with --remove: also delete the home, the audit trail, the user and the group')
    .addOption(new Option('--root <dir>', 'prefix for all system paths').hideHelp())
    .option('--dry-run', 'show the steps without running them')
    .option('--json', 'print {managed, steps, warnings}')
    .addHelpText('after', example('sudo arc setup --managed --approver ann --hosts claude'))
    .action((options) => run(import('./setup.run.ts').then(({ setup }) => setup(options))))
}
