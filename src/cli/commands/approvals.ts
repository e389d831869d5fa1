// `arc approvals`: the steps that wait for approval. `arc approve` and `arc deny` are its short forms.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { managedForOthers } from '../managed-access.ts'

export function addApprovals(arc: Command, run: Run): void {
  const approvals = arc
    .command('approvals')
    .description('list, approve or deny what waits for you')
    .addHelpText('after', example('arc approvals list'))
  approvals
    .command('list')
    .description('list the steps that wait for approval')
    .option('--json', 'print [{id, step, reason, expiresAt}]')
    .addHelpText('after', example('arc approvals list'))
    .action((options) => run(load().then((all) => all.listApprovals(options))))
  addAnswers(approvals, run, { id: '<id>', prefix: 'arc approvals' })
  // Sends the messages of `notify` in the background, for processes that end soon.
  approvals
    .command('announce <id>', { hidden: true })
    .description('send the message about a held step that is due')
    .addHelpText('after', example('arc approvals announce 01JB2'))
    .action((id) => run(import('./approvals/announce.ts').then((all) => all.announceApproval(id))))
  addAnswers(arc, run, { id: '[id]', prefix: 'arc' })
}

interface AnswerForm {
  /** Optional in the short forms: they take the only waiting step. */
  readonly id: '<id>' | '[id]'
  readonly prefix: string
}

function addAnswers(parent: Command, run: Run, { id, prefix }: AnswerForm): void {
  const which = id === '[id]' ? 'without an id the only one that waits' : 'ID is an id or a unique prefix'
  parent
    .command(`approve ${id}`)
    .description(`approve exactly this step, once; ${which}`)
    .option('--json', 'print the approval as JSON')
    .addHelpText('after', example(`${prefix} approve${id === '[id]' ? '' : ' 01JB2'}`))
    .action((given, options) => run(load().then((all) => all.answerApproval(given, 'approve', options))))
  parent
    .command(`deny ${id}`)
    .description(`deny a step; ${which}`)
    .option('--message <text>', 'a text for the agent')
    .option('--json', 'print the approval as JSON')
    .addHelpText('after', example(`${prefix} deny 01JB2 --message "use a branch"`))
    .action((given, options) => run(load().then((all) => all.answerApproval(given, 'deny', options))))
}

function load() {
  return managedForOthers() === undefined ? import('./approvals.run.ts') : import('./approvals/managed-approvals.ts')
}
