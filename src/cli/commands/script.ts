// `arc script`: the declaration.

import { type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from '../command-declaration.ts'

export function addScript(arc: Command, run: Run): void {
  const load = () => import('./script.run.ts')
  const script = arc
    .command('script')
    .summary('check and try .arma scripts')
    .description('.arma scripts: hooks, a line each')
    .addHelpText('after', example('arc script check hooks.arma'))
  script
    .command('check <file>')
    .description('show every mistake in a script, with its place; nothing runs')
    .option('--json', 'print {ok, errors} as JSON')
    .addHelpText('after', example('arc script check hooks.arma'))
    .action((file, options) => run(load().then((all) => all.checkScript(file, options))))
  script
    .command('run <file>')
    .description('say which hooks a script registers; with a point, send one step through them alone')
    .option('--point <point>', 'where the step happens (pre:tool when --tool is given)')
    .option('--tool <tool>', 'the tool of the step')
    .option('--data <json>', 'what the step carries, as a JSON object')
    .addOption(new Option('--mode <mode>', 'what the hooks may do').choices(MODE_NAMES).default('enforce'))
    .option('--json', 'print {ok, errors, hooks, outcome, evaluations, said}')
    .addHelpText('after', example(`arc script run hooks.arma --tool shell --data '{"args":{"command":"ls"}}'`))
    .action((file, options) => run(load().then((all) => all.runScript(file, options))))
}
