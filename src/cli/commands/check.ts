// `arc check`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

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
    .action((words, options) => run(import('./check.run.ts').then(({ check }) => check(words, options))))
}
