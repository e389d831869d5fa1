// `arc install` and `arc uninstall`: register ARC with an agent.

import { type Command, Option } from 'commander'
import { AGENT_FACTS } from '../../hosts/facts/list.ts'
import { example, type Run } from '../command-declaration.ts'
import { writeHostList } from '../host-list.ts'

const FAIL_CLOSED_HOSTS = AGENT_FACTS.filter(({ failClosed }) => failClosed !== undefined).map(({ name }) => name)

export function addInstallCommand(arc: Command, run: Run): void {
  const load = () => import('./install.run.ts')
  const add = (name: 'install' | 'uninstall', summary: string, description: string) =>
    arc
      .command(`${name} [host]`)
      .summary(summary)
      .description(description)
      .option('--all', name === 'install' ? 'every agent found on this machine' : 'every agent with hooks of ARC')
      .addOption(new Option('--user', 'for all projects of this user (default)').conflicts('project'))
      .option('--project <dir>', 'for one project only')
      .option('--dry-run', 'show the changes without writing them')
      .option('--json', 'print {host, files, changed, next}; with several agents, a list')
      .addHelpText('after', writeHostList())
      .addHelpText('after', example(`arc ${name} claude`))
      .action((host, options) => run(load().then((all) => all[name](host, options))))
  add(
    'install',
    'register ARC with the agents of this machine',
    'register ARC with an agent; without a host, lists the agents found on this machine and asks',
  ).option(
    '--fail-closed',
    `block the call when the hook itself fails, in every mode (${FAIL_CLOSED_HOSTS.join(', ')})`,
  )
  add(
    'uninstall',
    "remove ARC from an agent's configuration",
    "remove ARC from an agent's configuration; without a host, lists the agents with hooks of ARC and asks",
  )
}
