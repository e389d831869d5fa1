// Commands that steer: profiles, hooks, approvals and trust.

import { Argument, type Command, Option } from 'commander'
import { managedForOthers } from '../managed/role.ts'
import { example, MODE_NAMES, type Run } from './declare.ts'

export function addMode(arc: Command, run: Run): void {
  arc
    .command('mode')
    .summary('how much hooks may do: off, log, advise, enforce')
    .description('show or set the mode of the profile in force; hosts and launcher follow')
    .addArgument(new Argument('[mode]', 'the new mode').choices(MODE_NAMES))
    .option('--json', 'print {profile, mode, source}')
    .addHelpText('after', example('arc mode enforce'))
    .action((mode, options) => run(import('../commands/mode.ts').then((all) => all.mode(mode, options))))
}

export function addProfile(arc: Command, run: Run): void {
  const load = () => import('../commands/profile.ts')
  const profile = arc
    .command('profile')
    .summary('the mode and all other settings, by name')
    .description('settings that go together, by name')
    .addHelpText('after', example('arc profile set enforcement enforce'))
  const add = (usage: string, description: string, line: string) =>
    profile
      .command(usage)
      .description(description)
      .option('--json', 'print the profile as JSON')
      .addHelpText('after', example(line))
  add('list', 'all profiles; the one in use has a star', 'arc profile list').action((options) =>
    run(load().then((all) => all.listProfiles(options))),
  )
  add('show [name]', 'every setting in force, where it comes from, and problems', 'arc profile show strict').action(
    (name, options) => run(load().then((all) => all.showOne(name, options))),
  )
  add('create <new-name>', 'a new profile', 'arc profile create strict --from default')
    .option('--from <profile>', 'begin with a copy of this one')
    .action((name, options) => run(load().then((all) => all.createProfile(name, options))))
  add('use <name>', 'choose the profile in use', 'arc profile use strict').action((name, options) =>
    run(load().then((all) => all.useProfile(name, options))),
  )
  add('set <key> <value>', 'change one setting; comments stay', 'arc profile set hooks.risk-detection.timeout 10000')
    .option('--profile <name>', 'another than the one in use')
    .action((key, value, options) => run(load().then((all) => all.setSetting(key, value, options))))
  add('unset <key>', 'take one setting away; comments stay', 'arc profile unset hooks.risk-detection.timeout')
    .option('--profile <name>', 'another than the one in use')
    .action((key, options) => run(load().then((all) => all.unsetSetting(key, options))))
  add('delete <name>', 'delete a profile that is not in use', 'arc profile delete strict --yes')
    .option('--yes', 'without asking')
    .action((name, options) => run(load().then((all) => all.deleteProfile(name, options))))
}

export function addHooks(arc: Command, run: Run): void {
  const load = () => import('../commands/hooks.ts')
  const hooks = arc
    .command('hooks')
    .summary('which hooks run; switch one off and on')
    .description('the pipeline as it stands')
    .addHelpText('after', example('arc hooks list'))
  hooks
    .command('list')
    .description('every hook, in the order in which they run')
    .option('--json', 'a list of {name, priority, points, mode, effectiveMode, enabled, timeoutMs, source}')
    .addHelpText('after', example('arc hooks list'))
    .action((options) => run(load().then((all) => all.listHooks(options))))
  hooks
    .command('match <point>')
    .description('which hooks would run on a step')
    .option('--tool <name>', 'the tool, by any name')
    .option('--path <file>', 'a file that the call names')
    .option('--command <line>', 'the line that a shell would run')
    .option('--agent <name>', 'the agent that does it')
    .option('--source <source>', 'human, agent, system, cron or unknown')
    .option('--host <host>', 'the agent program')
    .option('--json', 'the hooks as in list')
    .addHelpText('after', example('arc hooks match pre:tool --tool Bash --path src/index.ts'))
    .action((point, options) => run(load().then((all) => all.matchHooks(point, options))))
  hooks
    .command('disable <name>')
    .description('switch a hook off; what it misses is traced')
    .option('--for <span>', 'on again by itself after 90s, 30m, 2h, 7d')
    .option('--reason <text>', 'for the log')
    .option('--json', 'the hook as in list')
    .addHelpText('after', example('arc hooks disable lint --for 30m --reason "release day"'))
    .action((name, options) => run(load().then((all) => all.disableHook(name, options))))
  hooks
    .command('enable <name>')
    .description('switch a hook on again')
    .option('--json', 'the hook as in list')
    .addHelpText('after', example('arc hooks enable lint'))
    .action((name, options) => run(load().then((all) => all.enableHook(name, options))))
}

export function addApprovals(arc: Command, run: Run): void {
  const load = () =>
    managedForOthers() === undefined ? import('../commands/approvals.ts') : import('../managed/approvals.ts')
  const approvals = arc
    .command('approvals')
    .description('what is held for a person, and the answer')
    .addHelpText('after', example('arc approvals list'))
  approvals
    .command('list')
    .description('the steps that wait for an answer')
    .option('--json', 'print [{id, step, reason, expiresAt}]')
    .addHelpText('after', example('arc approvals list'))
    .action((options) => run(load().then((all) => all.listApprovals(options))))
  for (const word of ['approve', 'deny'] as const) {
    approvals
      .command(`${word} <id>`)
      .description(word === 'approve' ? 'let exactly this step happen, once' : 'stop the step')
      .option('--json', 'print the step as JSON')
      .addHelpText('after', example(`arc approvals ${word} 01JB2`))
      .action((id, options) => run(load().then((all) => all.answerApproval(id, word, options))))
  }
}

export function addBreaker(arc: Command, run: Run): void {
  const load = () => import('../commands/breaker.ts')
  const breaker = arc.command('breaker').description('whether failing hooks act as log for now')
  breaker.addHelpText('after', example('arc breaker status'))
  breaker
    .command('status')
    .description('where it stands')
    .option('--json', 'print {state, failures, threshold, openedAt, halfOpenAt}; times in ms since 1970')
    .addHelpText('after', example('arc breaker status'))
    .action((options) => run(load().then((all) => all.showBreaker(options))))
  breaker
    .command('reset')
    .description('close it: hooks act as configured again')
    .option('--json', 'the status after it')
    .addHelpText('after', example('arc breaker reset'))
    .action((options) => run(load().then((all) => all.resetBreaker(options))))
}

export function addTrust(arc: Command, run: Run): void {
  const load = () => import('../commands/trust.ts')
  arc
    .command('trust [dir]')
    .summary("read and trust a project's hooks")
    .description("show literally what a project's hooks are, and trust exactly that")
    .option('--yes', 'do not ask')
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc trust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.trust(dir, options))))
  arc
    .command('untrust [dir]')
    .description("take trust in a project's hooks away")
    .option('--json', 'print {dir, hash, trusted}')
    .addHelpText('after', example('arc untrust ~/work/project'))
    .action((dir, options) => run(load().then((all) => all.untrust(dir, options))))
}

export function addScript(arc: Command, run: Run): void {
  const load = () => import('../commands/script.ts')
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
