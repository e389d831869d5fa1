// `arc breaker`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addBreaker(arc: Command, run: Run): void {
  const load = () => import('./breaker.run.ts')
  const breaker = arc.command('breaker').description('whether failing hooks act as log for now')
  breaker.addHelpText('after', example('arc breaker status'))
  breaker
    .command('status')
    .description('where it stands')
    .option('--json', 'print {state, failures, threshold, openedAt, halfOpenAt}; times in ms since 1970')
    .addHelpText('after', example('arc breaker status'))
    .action((options) => run(load().then((all) => all.showBreaker(options))))
  breaker
    .command('reset')
    .description('close it: hooks act as configured again')
    .option('--json', 'the status after it')
    .addHelpText('after', example('arc breaker reset'))
    .action((options) => run(load().then((all) => all.resetBreaker(options))))
}
