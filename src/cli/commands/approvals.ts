// `arc approvals`: the declaration.

import type { Command } from 'commander'
import { example, type Run } from '../command-declaration.ts'
import { managedForOthers } from '../managed-access.ts'

export function addApprovals(arc: Command, run: Run): void {
  const load = () =>
    managedForOthers() === undefined ? import('./approvals.run.ts') : import('./approvals/managed-approvals.ts')
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
