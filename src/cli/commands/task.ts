// `arc task`: tasks between agents.

import { type Command, Option } from 'commander'
import { TASK_PRIORITIES, TASK_STATUSES } from '../../tasks/task.ts'
import { example, type Run } from '../command-declaration.ts'

export function addTask(arc: Command, run: Run): void {
  const load = () => import('./task.run.ts')
  const task = arc
    .command('task')
    .summary('delegate tasks between agents')
    .description('delegate tasks between agents; every transition is checked')
    .addHelpText('after', example('arc task delegate --from lead --to reviewer "Review the change"'))
  task
    .command('delegate <text...>')
    .description('delegate a task to another agent, if the pipeline allows it')
    .requiredOption('--from <agent>', 'delegating agent')
    .requiredOption('--to <agent>', 'assigned agent')
    .addOption(new Option('--priority <priority>', 'priority').choices(TASK_PRIORITIES).default('medium'))
    .option('--json', 'print the task as JSON')
    .addHelpText('after', '\nExit code: 2 if blocked, 3 if it needs approval.')
    .addHelpText('after', example('arc task delegate --from lead --to reviewer "Review the change"'))
    .action((text, options) => run(load().then((all) => all.delegateTask(text, options))))
  task
    .command('list')
    .description('list tasks, newest last')
    .addOption(new Option('--status <status>', 'only this status').choices(TASK_STATUSES))
    .option('--from <agent>', 'only tasks delegated by this agent')
    .option('--to <agent>', 'only tasks assigned to this agent')
    .option('--limit <count>', 'how many of the newest to show', '1000')
    .option('--json', 'print a list of tasks')
    .addHelpText('after', example('arc task list --status working'))
    .action((options) => run(load().then((all) => all.listTasks(options))))
  task
    .command('show <id>')
    .description('show a task with its history; ID is an id or a unique prefix')
    .option('--json', 'print the task with its history')
    .addHelpText('after', example('arc task show 01JZ'))
    .action((id, options) => run(load().then((all) => all.showTask(id, options))))
  addMoves(task, run)
}

const MOVES = [
  ['accept <id>', 'the assignee starts work', 'accept 01JZ --as reviewer'],
  ['complete <id> [output...]', 'the assignee finishes the task', 'complete 01JZ --as reviewer "No issues found"'],
  ['fail <id> [reason...]', 'the assignee reports failure', 'fail 01JZ --as reviewer "The branch is gone"'],
  [
    'request-input <id> <question...>',
    'the assignee asks a question',
    'request-input 01JZ --as reviewer "Which files?"',
  ],
  [
    'provide-input <id> <answer...>',
    'the delegating agent answers the question',
    'provide-input 01JZ --as lead "Those in src"',
  ],
  ['cancel <id> [reason...]', 'the delegating agent cancels the task', 'cancel 01JZ --as lead'],
] as const

function addMoves(task: Command, run: Run): void {
  for (const [usage, description, line] of MOVES) {
    const verb = usage.slice(0, usage.indexOf(' ')) as import('./task.run.ts').TaskVerb
    const command = task
      .command(usage)
      .description(description)
      .requiredOption('--as <agent>', 'name of the acting agent')
      .option('--json', 'print the task as JSON')
      .addHelpText('after', example(`arc task ${line}`))
    command.action(() => {
      const [id, words] = command.processedArgs as [string, readonly string[] | undefined]
      return run(import('./task.run.ts').then((all) => all.moveTask(verb, id, words ?? [], command.opts())))
    })
  }
}
