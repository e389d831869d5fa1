// The whole command tree on one screen. One file per command, loaded when the command is called.

import { Command, CommanderError, Option } from 'commander'
import { MODES } from '../core/mode.ts'
import { VERSION } from './version.ts'

/** Exit codes, the same for every command. */
const EXIT = { done: 0, failed: 1, blocked: 2, usage: 2, held: 3 } as const

const MODE_NAMES = [...Object.keys(MODES), 'warn']

/** Takes the exit code that an action promises. */
type Run = (action: Promise<number>) => Promise<void>

/** Runs one command line and gives its exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done
  const run: Run = async (action) => {
    exitCode = await action
  }
  const arc = new Command('arc')
    .description('Supervision for AI agents: see, change, hold or stop what they do.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(text) })
    .showSuggestionAfterError()
    .addHelpText('after', example('arc sample --mode log'))
  addSample(arc, run)
  addLogs(arc, run)
  addTrace(arc, run)
  addScript(arc, run)
  try {
    await arc.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return exitCodeOf(error)
  }
}

function addSample(arc: Command, run: Run): void {
  arc
    .command('sample')
    .description('play a sample session of a small agent through the real engine')
    .addOption(new Option('--mode <mode>', 'what the hooks may do').choices(MODE_NAMES).default('enforce'))
    .option('--json', 'one JSON document per step on stdout')
    .addHelpText('after', example('arc sample --mode log'))
    .action((options) => run(import('./commands/sample.ts').then(({ sample }) => sample(options))))
}

function addLogs(arc: Command, run: Run): void {
  arc
    .command('logs')
    .description('the structured log of every evaluation')
    .option('--component <name>', 'hooks, launch, …')
    .option('--action <action>', 'hook:block, hook:error, …')
    .option('--session <id>')
    .option('--hook <name>')
    .option('--decision <decision>', 'pass, flag, ask or block')
    .option('--since <time>', '30m, 2h, 7d or a date')
    .option('--limit <count>', 'the newest so many', '50')
    .option('--follow', 'go on with what comes')
    .option('--json', 'one JSON document per line')
    .addHelpText('after', example('arc logs --component hooks --decision block --since 1d'))
    .action((options) => run(import('./commands/logs.ts').then(({ logs }) => logs(options))))
}

function addTrace(arc: Command, run: Run): void {
  arc
    .command('why <id>')
    .description('one decision, whole: by its id, the beginning of it, or "last"')
    .option('--json', 'the record as JSON')
    .addHelpText('after', example('arc why last'))
    .action((id, options) => run(import('./commands/why.ts').then(({ why }) => why(id, options))))
  const trace = arc.command('trace').description('the record chain')
  trace
    .command('verify')
    .description('check the chain and name the first bad record')
    .option('--json', 'print {ok, records, firstBad}')
    .addHelpText('after', example('arc trace verify'))
    .action((options) => run(import('./commands/trace.ts').then(({ verifyTrace }) => verifyTrace(options))))
  trace
    .command('export')
    .description('the chain as lines of JSON')
    .addHelpText('after', example('arc trace export > trace.jsonl'))
    .action(() => run(import('./commands/trace.ts').then(({ exportTrace }) => exportTrace())))
}

function addScript(arc: Command, run: Run): void {
  arc
    .command('script')
    .description('.arma scripts')
    .command('check <file>')
    .description('show every mistake in a script, with its place; nothing runs')
    .option('--json', 'print {ok, errors} as JSON')
    .addHelpText('after', example('arc script check hooks.arma'))
    .action((file, options) => run(import('./commands/script.ts').then((all) => all.checkScript(file, options))))
}

function example(line: string): string {
  return `\nExample:\n  $ ${line}`
}

// Commander has printed its own usage errors already; ours carry their message.
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  process.stderr.write(`arc: ${error instanceof Error ? error.message : String(error)}\n`)
  return EXIT.failed
}
