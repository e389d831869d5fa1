// Commands that look and change nothing: what would be decided, what was, and why.

import { type Command, Option } from 'commander'
import { DECISIONS } from '../../engine/decision.ts'
import { example, type Run } from './declare.ts'

export function addCheck(arc: Command, run: Run): void {
  arc
    .command('check [command...]')
    .usage('[options] -- COMMAND…')
    .summary('what would be decided on a command; nothing runs')
    .description('what the pipeline would decide in enforce mode; nothing runs, nothing is recorded')
    .option('--cwd <dir>', 'where the call would run; here unless set')
    .option('--tool <name>', 'the tool, by any name', 'shell')
    .option('--explain', 'also which commands were found in it, and every rule that matched')
    .option('--json', 'the decision with its evidence as JSON')
    .option('--jsonl', 'a {id, command, cwd?} for each line of stdin, a decision for each on stdout')
    .addHelpText('after', '\nExit code: 0 pass or flag, 2 block, 3 ask; with --jsonl 1 after a bad line.')
    .addHelpText('after', example('arc check -- git push --force'))
    .action((words, options) => run(import('../commands/check.ts').then(({ check }) => check(words, options))))
}

export function addLogs(arc: Command, run: Run): void {
  arc
    .command('logs')
    .summary('what hooks decided, newest last')
    .description('the structured log of every evaluation, newest last')
    .option('--component <name>', 'hooks, launch, breaker, config, daemon, hosts, retry, roundtable or tasks')
    .option('--action <action>', 'hook:pass, hook:flag, hook:ask, hook:block, hook:error, hook:skip, …')
    .option('--session <id>', 'of one session')
    .option('--hook <name>', 'by one hook')
    .addOption(new Option('--decision <decision>', 'what was decided').choices(DECISIONS))
    .option('--since <time>', '30m, 2h, 7d or a date')
    .option('--limit <count>', 'the newest so many', '50')
    .option('--follow', 'go on with what comes')
    .option('--json', 'one JSON document per line')
    .addHelpText('after', example('arc logs --component hooks --decision block --since 1d'))
    .action((options) => run(import('../commands/logs.ts').then(({ logs }) => logs(options))))
}

export function addWhy(arc: Command, run: Run): void {
  arc
    .command('why [id]')
    .summary('one decision, whole')
    .description('one decision, whole: by its id, the beginning of it, or "last" (the default)')
    .option('--json', 'the record as JSON')
    .addHelpText('after', example('arc why last'))
    .action((id, options) => run(import('../commands/why.ts').then(({ why }) => why(id ?? 'last', options))))
}

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
    .action((options) => run(import('../commands/trace.ts').then(({ verifyTrace }) => verifyTrace(options))))
  trace
    .command('export')
    .description('the chain as lines of JSON')
    .addHelpText('after', example('arc trace export > trace.jsonl'))
    .action(() => run(import('../commands/trace.ts').then(({ exportTrace }) => exportTrace())))
}
