// `arc roundtable`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addRoundtable(arc: Command, run: Run): void {
  const load = () => import('./roundtable.run.ts')
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  const line = 'arc roundtable "Tabs or spaces?" --agents claude,codex,gemini --rounds 2'
  const table = arc
    .command('roundtable [topic...]')
    .summary('a discussion between agents, with a synthesis')
    .description('a discussion between real agents, each asked under supervision, and what it came to')
    .option('--agents <names>', 'who takes part, in this order: profiles, or agents such as claude')
    .option('--agent <name=command>', 'one more, by what answers a prompt on stdin; repeatable', collect)
    .option('--rounds <number>', 'how often each speaks; 2 unless the profile says')
    .option('--turn-timeout <span>', 'the longest that a turn may take', '5m')
    .option('--synthesizer <agent>', 'who sums up; else the last who spoke')
    .option('--resume <id>', 'go on with one that was broken off')
    .option('--json', 'print the turns and {consensus, summary, keyPoints}')
    .addHelpText('after', '\nThe first agent argues for it, the second against, others weigh both.')
    .addHelpText('after', 'Exit code: 1 nobody spoke, 2 blocked, 3 held for a person, 130 broken off.')
    .addHelpText('after', example(line))
    .action((topic, options) => run(load().then((all) => all.roundtable(topic, options))))
  // --json is an option of all three: the outer command takes it, wherever it stands.
  table
    .command('list')
    .description('roundtables, the newest last')
    .option('--limit <count>', 'the newest so many', '50')
    .option('--json', 'print a list of roundtables')
    .addHelpText('after', example('arc roundtable list'))
    .action((_, command) => run(load().then((all) => all.listTables(command.optsWithGlobals()))))
  table
    .command('show <id>')
    .description('one roundtable with all its turns; the beginning of the id will do, or last')
    .option('--json', 'print the turns and {consensus, summary, keyPoints}')
    .addHelpText('after', example('arc roundtable show last'))
    .action((id, _, command) => run(load().then((all) => all.showTable(id, command.optsWithGlobals()))))
}
