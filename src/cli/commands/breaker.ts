// `arc breaker`: the circuit breaker.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addBreaker(arc: Command, run: Run): void {
  const load = () => import('./breaker.run.ts')
  const breaker = arc.command('breaker').description('show or reset the circuit breaker for failing hooks')
  breaker.addHelpText('after', example('arc breaker status'))
  breaker
    .command('status')
    .description('show the state of the breaker')
    .option('--json', 'print {state, failures, threshold, openedAt, halfOpenAt} (times in ms since the epoch)')
    .addHelpText('after', example('arc breaker status'))
    .action((options) => run(load().then((all) => all.showBreaker(options))))
  breaker
    .command('reset')
    .description('close the breaker, so that hooks act as configured again')
    .option('--json', 'print the new status')
    .addHelpText('after', example('arc breaker reset'))
    .action((options) => run(load().then((all) => all.resetBreaker(options))))
}
