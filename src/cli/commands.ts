// The whole command tree on one screen. One file per command, loaded when the command is called.

import { Command, CommanderError, Option } from 'commander'
import { MODES } from '../core/mode.ts'
import { VERSION } from './version.ts'

/** Exit codes, the same for every command. */
const EXIT = { done: 0, failed: 1, blocked: 2, usage: 2, held: 3 } as const

const MODE_NAMES = [...Object.keys(MODES), 'warn']

/** Runs one command line and gives its exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done
  const run = (action: Promise<number>): Promise<void> =>
    action.then((code) => {
      exitCode = code
    })
  const arc = new Command('arc')
    .description('Supervision for AI agents: see, change, hold or stop what they do.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(text) })
    .showSuggestionAfterError()
    .addHelpText('after', '\nExample:\n  $ arc sample --mode log')

  arc
    .command('sample')
    .description('play a sample session of a small agent through the real engine')
    .addOption(new Option('--mode <mode>', 'what the hooks may do').choices(MODE_NAMES).default('enforce'))
    .option('--json', 'one JSON document per step on stdout')
    .addHelpText('after', '\nExample:\n  $ arc sample --mode log')
    .action((options) => run(import('./commands/sample.ts').then(({ sample }) => sample(options))))

  try {
    await arc.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    return exitCodeOf(error)
  }
}

// Commander has printed its own usage errors already; ours carry their message.
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  process.stderr.write(`arc: ${error instanceof Error ? error.message : String(error)}\n`)
  return EXIT.failed
}
