// Commands to begin with: a home, a look at ARC, agents and the shell.

import { Argument, type Command, Option } from 'commander'
import { example, MODE_NAMES, type Run } from './declare.ts'

export function addInit(arc: Command, run: Run): void {
  arc
    .command('init')
    .summary('create the home of ARC, with a profile')
    .description('create the home of ARC ($ARC_HOME, or ~/.arc) with a profile to begin with; what is there stays')
    .addOption(new Option('--enforcement <mode>', 'set what hooks may do').choices(MODE_NAMES))
    .addOption(
      new Option('--confirm <how>', 'none: approving and loosening ask nobody; for scripts and tests').choices([
        'ask',
        'none',
      ]),
    )
    .option('--json', 'print {home, profile, enforcement}')
    .addHelpText('after', example('arc init --enforcement enforce'))
    .action((options) => run(import('../commands/init.ts').then(({ init }) => init(options))))
}

export function addSample(arc: Command, run: Run): void {
  arc
    .command('sample')
    .summary('see it work: a sample session of a small agent')
    .description('a small agent works in a temporary repository, supervised; nothing of yours is touched')
    .addOption(new Option('--mode <mode>', 'what the hooks may do').choices(MODE_NAMES).default('enforce'))
    .option('--wait <seconds>', 'how long the step that is held waits for your answer', '20')
    .option('--json', 'one JSON document per step on stdout')
    .addHelpText('after', example('arc sample --mode log'))
    .action((options) => run(import('../commands/sample.ts').then((all) => all.sample(options))))
  // The agent itself, as a process of its own.
  arc
    .command('sample-agent', { hidden: true })
    .requiredOption('--config-home <dir>')
    .requiredOption('--mode <mode>')
    .requiredOption('--wait <seconds>')
    .action((options) => run(import('../commands/sample.ts').then((all) => all.sampleAgent(options))))
}

export function addInstall(arc: Command, run: Run): void {
  const load = () => import('../commands/install.ts')
  const add = (name: 'install' | 'uninstall', description: string) =>
    arc
      .command(`${name} <host>`)
      .description(description)
      .addOption(new Option('--user', 'for every project of this user (the default)').conflicts('project'))
      .option('--project <dir>', 'for one project only')
      .option('--dry-run', 'show what would change; nothing is written')
      .option('--json', 'print {host, files, changed, next}')
      .addHelpText('after', '\nHosts: claude, codex, gemini, qwen, copilot, cline, opencode, cursor')
      .addHelpText('after', example(`arc ${name} claude`))
      .action((host, options) => run(load().then((all) => all[name](host, options))))
  add('install', 'register ARC with an agent').option(
    '--fail-closed',
    'a hook that breaks stops the call, whatever the mode (claude, cline, cursor, opencode)',
  )
  add('uninstall', "take ARC out of an agent's configuration again")
}

export function addCompletion(arc: Command, run: Run): void {
  const load = () => import('../commands/completion.ts')
  arc
    .command('completion')
    .summary('TAB in bash, zsh and fish')
    .description('a script that teaches a shell to complete arc')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', example('eval "$(arc completion bash)"'))
    .action((shell) => run(load().then((all) => all.completion(shell, arc))))
  // What the script asks while somebody types.
  arc
    .command('complete', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['profile', 'hook', 'host']))
    .action((kind) => run(load().then((all) => all.complete(kind))))
}
