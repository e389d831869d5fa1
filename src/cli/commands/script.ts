// `arc script`: .arma scripts.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addScript(arc: Command, run: Run): void {
  const load = () => import('./script.run.ts')
  const script = arc
    .command('script')
    .summary('check or try an .arma script')
    .description('check or try an .arma script (one hook per line)')
    .addHelpText('after', example('arc script check hooks.arma'))
  script
    .command('check <file>')
    .description('report every error in a script with its line and column; nothing runs')
    .option('--json', 'print {ok, errors} as JSON')
    .addHelpText('after', example('arc script check hooks.arma'))
    .action((file, options) => run(load().then((all) => all.checkScript(file, options))))
  script
    .command('run <file>')
    .description('list the hooks of a script; with --point or --tool, run one step through only these hooks')
    .option('--point <point>', 'point of the step (default with --tool: pre:tool)')
    .option('--tool <tool>', 'tool of the step')
    .option('--data <json>', 'data of the step, a JSON object')
    .addOption(new Option('--mode <mode>', 'mode of the hooks').choices(MODE_NAMES).default('enforce'))
    .option('--json', 'print {ok, errors, hooks, outcome, evaluations, said}')
    .addHelpText('after', example(`arc script run hooks.arma --tool shell --data '{"args":{"command":"ls"}}'`))
    .action((file, options) => run(load().then((all) => all.runScript(file, options))))
}
