// `arc approvals`: the steps that wait for approval.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { managedForOthers } from '../managed-access.ts'

export function addApprovals(arc: Command, run: Run): void {
  const load = () =>
    managedForOthers() === undefined ? import('./approvals.run.ts') : import('./approvals/managed-approvals.ts')
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
  for (const word of ['approve', 'deny'] as const) {
    approvals
      .command(`${word} <id>`)
      .description(
        word === 'approve'
          ? 'approve exactly this step, once; ID is an id or a unique prefix'
          : 'deny a step; ID is an id or a unique prefix',
      )
      .option('--json', 'print the approval as JSON')
      .addHelpText('after', example(`arc approvals ${word} 01JB2`))
      .action((id, options) => run(load().then((all) => all.answerApproval(id, word, options))))
  }
}
