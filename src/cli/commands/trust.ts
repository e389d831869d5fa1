// `arc trust`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addTrust(arc: Command, run: Run): void {
  const load = () => import('./trust.run.ts')
  arc
    .command('trust [dir]')
    .summary("read and trust a project's hooks")
    .description("show literally what a project's hooks are, and trust exactly that")
    .option('--yes', 'do not ask')
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc trust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.trust(dir, options))))
  arc
    .command('untrust [dir]')
    .description("take trust in a project's hooks away")
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc untrust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.untrust(dir, options))))
}
