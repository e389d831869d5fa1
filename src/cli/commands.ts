// The command tree. Each command is declared in `commands/NAME.ts`; its code, `commands/NAME.run.ts`, loads when the
// command is called.

import { Command, CommanderError } from 'commander'
import { example, type Run } from './command-declaration.ts'
import { readCommandLine } from './command-line.ts'
import { addAllow } from './commands/allow.ts'
import { addApprovals } from './commands/approvals.ts'
import { addBreaker } from './commands/breaker.ts'
import { addCheck } from './commands/check.ts'
import { addCompletion } from './commands/completion.ts'
import { addDoctor } from './commands/doctor.ts'
import { addHook } from './commands/hook.ts'
import { addHooks } from './commands/hooks.ts'
import { addInit } from './commands/init.ts'
import { addInstallCommand } from './commands/install.ts'
import { addLaunch } from './commands/launch.ts'
import { addLogs } from './commands/logs.ts'
import { addMode } from './commands/mode.ts'
import { addOpen } from './commands/open.ts'
import { addProfile } from './commands/profile.ts'
import { addReport } from './commands/report.ts'
import { addRoundtable } from './commands/roundtable.ts'
import { addSample } from './commands/sample.ts'
import { addScript } from './commands/script.ts'
import { addServe } from './commands/serve.ts'
import { addSetup } from './commands/setup.ts'
import { addStatus } from './commands/status.ts'
import { addStop } from './commands/stop.ts'
import { addTask } from './commands/task.ts'
import { addTrace } from './commands/trace.ts'
import { addTrust } from './commands/trust.ts'
import { addWatch } from './commands/watch.ts'
import { addWhy } from './commands/why.ts'
import { context, type OutputStream, runWithContext } from './context.ts'
import { enterManaged } from './managed-access.ts'
import { report } from './output.ts'
import { rootHelp } from './root-help.ts'
import { VERSION } from './version.ts'

/** Exit codes, the same for every command. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const

const DEFAULT_WIDTH = 80

/** Runs one command line with the given context and returns its exit code. */
export function runCommand(args: readonly string[], given = context()): Promise<number> {
  return runWithContext(given, () => parseAndRun(args))
}

async function parseAndRun(args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.done
  const arc = commandTree(async (action) => {
    exitCode = await action
  })
  try {
    await arc.parseAsync(readCommandLine(args), { from: 'user' })
    return exitCode
  } catch (error) {
    return reportError(error)
  }
}

/** Builds the whole tree; `run` receives the exit code that an action promises. */
export function commandTree(run: Run): Command {
  const arc = new Command('arc')
    .description('Supervision for AI agents: inspect, change, hold or block what they do.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    // `arc check git push --force`: a command may say that what follows its first word is not an option of it.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => context().stdout.write(text),
      writeErr: (text) => context().stderr.write(text),
      getOutHelpWidth: () => helpWidth(context().stdout),
      getErrHelpWidth: () => helpWidth(context().stderr),
      outputError: (text, write) => write(text.replace(/^error: /, 'arc: ')),
    })
    // Wraps descriptions even beside long usages, so that no line is wider than the screen.
    .configureHelp({ minWidthToWrap: 20 })
    .showSuggestionAfterError()
    .addHelpText('after', example('arc check git push --force'))
  addInit(arc, run)
  addSample(arc, run)
  addInstallCommand(arc, run)
  addCheck(arc, run)
  addLogs(arc, run)
  addWatch(arc, run)
  addWhy(arc, run)
  addReport(arc, run)
  addTrace(arc, run)
  addApprovals(arc, run)
  addAllow(arc, run)
  addHooks(arc, run)
  addBreaker(arc, run)
  addProfile(arc, run)
  addMode(arc, run)
  addTrust(arc, run)
  addScript(arc, run)
  addLaunch(arc, run)
  addDoctor(arc, run)
  addSetup(arc, run)
  addTask(arc, run)
  addRoundtable(arc, run)
  addServe(arc, run)
  addStop(arc, run)
  addOpen(arc, run)
  addStatus(arc, run)
  addHook(arc, run)
  addCompletion(arc, run)
  arc.hook('preAction', (_, command) => enterManaged(topLevelName(command, arc)))
  arc.helpInformation = () => rootHelp(arc)
  showUsageAfterErrors(arc, 'arc')
  return arc
}

function helpWidth({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined ? columns : DEFAULT_WIDTH
}

// `approvals` of `arc approvals list`.
function topLevelName(command: Command, arc: Command): string {
  return command.parent === null || command.parent === arc ? command.name() : topLevelName(command.parent, arc)
}

// After a usage error only the usage line is printed: the whole help would scroll the error away.
function showUsageAfterErrors(command: Command, name: string): void {
  command.showHelpAfterError(`Usage: ${name} ${command.usage()}\nMore:  ${name} --help`)
  for (const inner of command.commands) showUsageAfterErrors(inner, `${name} ${inner.name()}`)
}

// Commander has printed its own usage errors already; other errors are printed here.
function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  report(error instanceof Error ? error.message : String(error))
  return EXIT.failed
}
