// `arc why`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addWhy(arc: Command, run: Run): void {
  arc
    .command('why [id]')
    .summary('one decision, whole')
    .description('one decision, whole: by its id, the beginning of it, or "last" (the default)')
    .option('--json', 'the record as JSON')
    .addHelpText('after', example('arc why last'))
    .action((id, options) => run(import('./why.run.ts').then(({ why }) => why(id ?? 'last', options))))
}
