// Commands that run something: the daemon, agents under supervision, the hook that hosts call.

import { type Command, Option } from 'commander'
import { managedForOthers } from '../managed/role.ts'
import { example, type Run } from './declare.ts'

export function addServe(arc: Command, run: Run): void {
  arc
    .command('serve')
    .summary('the daemon and its page')
    .description(
      'the daemon: answers hooks without a start of Node and serves the page; in the foreground until Ctrl-C',
    )
    .option('--port <number>', 'the port on 127.0.0.1; 4747, or another if that is taken')
    .option('--no-open', 'do not open the page in a browser')
    .option('--json', 'print what arc status --json prints, once it runs')
    .option('--background', 'start it, wait until it answers, and leave it running')
    .option('--sample', 'play the sample session once it runs, so that there is something to see')
    .addOption(new Option('--no-sample').hideHelp())
    .addOption(new Option('--on-demand').hideHelp())
    .addHelpText('after', example('arc serve --no-open'))
    .action((options) => run(import('../commands/serve.ts').then(({ serve }) => serve(options))))
  arc
    .command('stop')
    .description('end the daemon; steps under way are finished first, and hooks start none until arc serve')
    .option('--json', 'print {stopped, pid}')
    .addHelpText('after', example('arc stop'))
    .action((options) => run(import('../commands/stop.ts').then(({ stop }) => stop(options))))
  arc
    .command('open')
    .description('open the page of the running daemon in a browser, signed in')
    .option('--no-browser', 'print the link only; it works once, for 5 minutes')
    .option('--json', 'print {loginUrl}')
    .addHelpText('after', example('arc open'))
    .action((options) => run(import('../commands/open.ts').then((all) => all.open(options))))
  arc
    .command('status')
    .description('is the daemon running, and what is in force')
    .option('--json', 'print {running, pid, url, loginUrl, socket, profile, enforcement, breaker, uptimeMs, onDemand}')
    .addHelpText('after', example('arc status'))
    .action((options) => {
      const load = () =>
        managedForOthers() === undefined ? import('../commands/status.ts') : import('../managed/status.ts')
      return run(load().then(({ status }) => status(options)))
    })
}

export function addLaunch(arc: Command, run: Run): void {
  arc
    .command('launch <profile> [args...]')
    .usage('PROFILE [-- ARGS…]')
    .summary("start a profile's agent, supervised for this run")
    .description("the profile's agent, supervised for this run only; its own configuration is not touched")
    .addHelpText('after', "\nExit code: the agent's own; 2 when a hook blocked the launch.")
    .addHelpText('after', example('arc launch strict -- -p "run the tests"'))
    .action((profile, args) => run(import('../commands/launch.ts').then(({ launch }) => launch(profile, args))))
}

export function addDoctor(arc: Command, run: Run): void {
  arc
    .command('doctor')
    .summary('is everything that should run really running')
    .description(
      'is everything that should run really running: home, configuration, trust, daemon, each installed host',
    )
    .option('--live', 'also send a canary through each installed host line, and expect it in the trace')
    .option('--json', 'print {ok, checks: [{name, ok, detail, fix}]}')
    .addHelpText('after', '\nExit code: 0 all is well, 1 something is not.')
    .addHelpText('after', example('arc doctor --live'))
    .action((options) => run(import('../commands/doctor.ts').then(({ doctor }) => doctor(options))))
}

export function addHook(arc: Command, run: Run): void {
  arc
    .command('hook <host> [event]')
    .summary('what a host calls on each event')
    .description("the hook that a host calls: its payload on stdin, the answer in the host's own dialect")
    .addHelpText('after', '\nHosts: claude, codex, gemini, qwen, copilot, cline, opencode, cursor')
    .addHelpText('after', example('arc hook claude < payload.json'))
    .action((host, event) => run(import('../commands/hook.ts').then((all) => all.hook(host, event))))
}
