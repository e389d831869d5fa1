// `arc trace`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addTrace(arc: Command, run: Run): void {
  const trace = arc
    .command('trace')
    .summary('check or take away the record')
    .description('the chain of records that logs and why read from')
    .addHelpText('after', example('arc trace verify'))
  trace
    .command('verify')
    .description('check the chain and its anchors, and name the first bad record or mismatch')
    .option('--anchors <file>', 'also compare with the anchors in this file: a copy, or an extract of a system log')
    .option('--json', 'print {ok, records, firstBad, anchors: {checked, mismatch}}')
    .addHelpText('after', example('arc trace verify --anchors /mnt/backup/arc-anchors.jsonl'))
    .action((options) => run(import('./trace.run.ts').then(({ verifyTrace }) => verifyTrace(options))))
  trace
    .command('export')
    .description('the chain as lines of JSON')
    .addHelpText('after', example('arc trace export > trace.jsonl'))
    .action(() => run(import('./trace.run.ts').then(({ exportTrace }) => exportTrace())))
}
