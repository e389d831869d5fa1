// `arc trust` and `arc untrust`: the hooks that a project brings along.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addTrust(arc: Command, run: Run): void {
  const load = () => import('./trust.run.ts')
  arc
    .command('trust [dir]')
    .summary("review and trust a project's hooks")
    .description("show everything a project's hooks would run, and trust exactly that content")
    .option('--yes', 'no effect any more; see arc init --confirm')
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc trust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.trust(dir, options))))
  arc
    .command('untrust [dir]')
    .description("stop trusting a project's hooks")
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc untrust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.untrust(dir, options))))
}
