// `arc roundtable`: a discussion between agents.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'

export function addRoundtable(arc: Command, run: Run): void {
  const load = () => import('./roundtable.run.ts')
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]
  const line = 'arc roundtable "Tabs or spaces?" --agents claude,codex,gemini --rounds 2'
  const table = arc
    .command('roundtable [topic...]')
    .summary('run a discussion between agents, with a synthesis')
    .description('run a supervised discussion between real agents, with a synthesis at the end')
    .option('--agents <names>', 'agents in speaking order: profiles, or programs such as claude')
    .option('--agent <name=command>', 'add an agent: a command that answers a prompt on stdin; repeatable', collect)
    .option('--rounds <number>', 'turns per agent (default: as in the profile, else 2)')
    .option('--turn-timeout <span>', 'time limit of a turn', '5m')
    .option('--synthesizer <agent>', 'agent that writes the synthesis (default: the last speaker)')
    .option('--resume <id>', 'continue an interrupted roundtable')
    .option('--json', 'print the turns and {consensus, summary, keyPoints}')
    .addHelpText('after', '\nThe first agent argues for the topic, the second against it; others weigh both.')
    .addHelpText('after', 'Exit code: 1 no agent spoke, 2 blocked, 3 needs approval, 130 interrupted.')
    .addHelpText('after', example(line))
    .action((topic, options) => run(load().then((all) => all.runRoundtable(topic, options))))
  const loadTables = () => import('./roundtable/tables.ts')
  // --json is an option of all: commander gives it to the outer command, wherever the flag is.
  table
    .command('list')
    .description('list roundtables, newest last')
    .option('--limit <count>', 'how many of the newest to show', '50')
    .option('--json', 'print a list of roundtables')
    .addHelpText('after', example('arc roundtable list'))
    .action((_, command) => run(loadTables().then((all) => all.listTables(command.optsWithGlobals()))))
  table
    .command('show <id>')
    .description('show a roundtable with all its turns; ID is an id, a unique prefix, or "last"')
    .option('--json', 'print the turns and {consensus, summary, keyPoints}')
    .addHelpText('after', example('arc roundtable show last'))
    .action((id, _, command) => run(loadTables().then((all) => all.showTable(id, command.optsWithGlobals()))))
  table
    .command('join <id>')
    .summary('take a seat at a roundtable with a running session')
    .description('take a seat at a roundtable with a running session: its answers count as turns of that agent')
    .option('--as <agent>', 'the agent whose seat is taken (default: the agent of the session)')
    .option(
      '--session <id>',
      'the session (default: the session that runs this command, or the only session of the agent)',
    )
    .option('--json', 'print the seat and the roundtable')
    .addHelpText('after', '\nA seat has one session. It is free again when the session ends.')
    .addHelpText('after', example('arc roundtable join last --as codex'))
    .action((id, _, command) =>
      run(import('./roundtable/join.ts').then((all) => all.joinRoundtable(id, command.optsWithGlobals()))),
    )
}
