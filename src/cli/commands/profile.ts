// `arc profile`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addProfile(arc: Command, run: Run): void {
  const load = () => import('./profile.run.ts')
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
