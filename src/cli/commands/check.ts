// `arc check`: a dry run of one tool call.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addCheck(arc: Command, run: Run): void {
  arc
    .command('check [command...]')
    .usage('[options] COMMAND…')
    .passThroughOptions()
    .summary('show what ARC would decide on a command (dry run)')
    .description('show what the pipeline would decide in enforce mode; nothing is run or recorded')
    .option('--cwd <dir>', 'working directory of the call (default: the current one)')
    .option('--tool <name>', "name of the tool: a class such as shell, or an agent's own name", 'shell')
    .option('--explain', 'also show the parsed commands and every rule that matched')
    .option('--json', 'print the decision with its evidence as JSON')
    .option('--jsonl', 'read {id, command, cwd?} lines from stdin, print one decision per line')
    .addHelpText('after', '\nOptions come before the command; everything after its first word belongs to it.')
    .addHelpText('after', 'Exit code: 0 pass or flag, 2 block, 3 ask; --jsonl: 1 after an invalid line.')
    .addHelpText('after', example('arc check git push --force'))
    .action((words, options) => run(import('./check.run.ts').then(({ check }) => check(words, options))))
}
