// `arc profile`: named sets of settings.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addProfile(arc: Command, run: Run): void {
  const load = () => import('./profile.run.ts')
  const profile = arc
    .command('profile')
    .summary('manage profiles (named sets of settings)')
    .description('manage profiles: named sets of settings')
    .addHelpText('after', example('arc profile set enforcement enforce'))
  const add = (usage: string, description: string, line: string) =>
    profile
      .command(usage)
      .description(description)
      .option('--json', 'print the profile as JSON')
      .addHelpText('after', example(line))
  add('list', 'list all profiles; * marks the active one', 'arc profile list').action((options) =>
    run(load().then((all) => all.printProfiles(options))),
  )
  add('show [name]', 'show all settings, their sources and problems', 'arc profile show strict').action(
    (name, options) => run(load().then((all) => all.showOne(name, options))),
  )
  add('create <new-name>', 'create a profile', 'arc profile create strict --from default')
    .option('--from <profile>', 'copy this profile')
    .action((name, options) => run(load().then((all) => all.createProfile(name, options))))
  add('use <name>', 'set the active profile', 'arc profile use strict').action((name, options) =>
    run(load().then((all) => all.useProfile(name, options))),
  )
  add(
    'set <key> <value>',
    'change a setting; comments in the file are kept',
    'arc profile set hooks.risk-detection.timeout 10000',
  )
    .option('--profile <name>', 'change this profile instead of the active one')
    .action((key, value, options) => run(load().then((all) => all.setSetting(key, value, options))))
  add(
    'unset <key>',
    'remove a setting; comments in the file are kept',
    'arc profile unset hooks.risk-detection.timeout',
  )
    .option('--profile <name>', 'change this profile instead of the active one')
    .action((key, options) => run(load().then((all) => all.unsetSetting(key, options))))
  add('delete <name>', 'delete a profile that is not active', 'arc profile delete strict --yes')
    .option('--yes', 'no effect any more; see arc init --confirm')
    .action((name, options) => run(load().then((all) => all.deleteProfile(name, options))))
}
