// `arc why`: explains one decision.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addWhy(arc: Command, run: Run): void {
  arc
    .command('why [id]')
    .summary('explain one decision')
    .description(
      'explain one decision; ID is an id, a unique prefix, or "last" (default): the last decision that was not a pass',
    )
    .option('--any', 'the last decision, also if it was a pass')
    .option('--json', 'print the record as JSON')
    .addHelpText('after', example('arc why'))
    .action((id, options) => run(import('./why.run.ts').then(({ why }) => why(id ?? 'last', options))))
}
