// `arc trace`: verify, cut or export the audit trail.

import { type Command, Option } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addTrace(arc: Command, run: Run): void {
  const trace = arc
    .command('trace')
    .summary('verify, cut or export the audit trail')
    .description('verify, cut or export the audit trail, the hash-chained records behind logs and why')
    .addHelpText('after', example('arc trace verify'))
  trace
    .command('verify')
    .description('verify the hash chain and its anchors; names the first bad record or mismatch')
    .addOption(new Option('--since <point>', 'only records after the last verification').choices(['last']))
    .option('--file <archive>', 'verify an archive or an export instead of the database')
    .option('--anchors <file>', 'also compare with the anchors in this file (a copy, or an extract of a system log)')
    .option('--json', 'print {ok, records, firstBad, since, cut, head, anchors: {checked, mismatch}}')
    .addHelpText('after', example('arc trace verify --anchors /mnt/backup/arc-anchors.jsonl'))
    .action((options) => run(import('./trace.run.ts').then(({ verifyTrace }) => verifyTrace(options))))
  trace
    .command('cut')
    .summary('remove the oldest records')
    .description('remove the oldest records now: what trace.keep of the profile does not keep, or the given limits')
    .option('--before <time>', 'remove records before this time: 30d or a date')
    .option('--keep-days <days>', 'keep this many days')
    .option('--keep-bytes <size>', 'keep this much: 500MB, 2GB')
    .option('--dry-run', 'only show what would be removed')
    .option('--force', 'also remove records that were changed')
    .option('--json', 'print {removed, cut, archives}')
    .addHelpText('after', example('arc trace cut --keep-days 30 --dry-run'))
    .action((options) => run(import('./trace-cut.run.ts').then(({ cutTrace }) => cutTrace(options))))
  trace
    .command('export')
    .description('print all records as lines of JSON')
    .addHelpText('after', example('arc trace export > trace.jsonl'))
    .action(() => run(import('./trace.run.ts').then(({ exportTrace }) => exportTrace())))
}
