// `arc task`: the declaration.

import { type Command, Option } from 'commander'
import { TASK_PRIORITIES, TASK_STATUSES } from '../../tasks/task.ts'
import { example, type Run } from '../command-declaration.ts'

export function addTask(arc: Command, run: Run): void {
  const load = () => import('./task.run.ts')
  const task = arc
    .command('task')
    .summary('work that agents hand to each other')
    .description('work that agents hand to each other, each step checked')
    .addHelpText('after', example('arc task delegate --from lead --to reviewer "Review the change"'))
  task
    .command('delegate <text...>')
    .description('hand a task to another agent, if the pipeline lets it')
    .requiredOption('--from <agent>', 'who delegates')
    .requiredOption('--to <agent>', 'who is to do it')
    .addOption(new Option('--priority <priority>', 'how urgent').choices(TASK_PRIORITIES).default('medium'))
    .option('--json', 'print the task as JSON')
    .addHelpText('after', '\nExit code: 2 when it was blocked, 3 when it is held for a person.')
    .addHelpText('after', example('arc task delegate --from lead --to reviewer "Review the change"'))
    .action((text, options) => run(load().then((all) => all.delegateTask(text, options))))
  task
    .command('list')
    .description('tasks, the newest last')
    .addOption(new Option('--status <status>', 'only those').choices(TASK_STATUSES))
    .option('--from <agent>', 'delegated by this agent')
    .option('--to <agent>', 'given to this agent')
    .option('--limit <count>', 'the newest so many', '1000')
    .option('--json', 'print a list of tasks')
    .addHelpText('after', example('arc task list --status working'))
    .action((options) => run(load().then((all) => all.listTasks(options))))
  task
    .command('show <id>')
    .description('one task with its history; the beginning of the id will do')
    .option('--json', 'print the task with its history')
    .addHelpText('after', example('arc task show 01JZ'))
    .action((id, options) => run(load().then((all) => all.showTask(id, options))))
  addMoves(task, run)
}

const MOVES = [
  ['accept <id>', 'its assignee begins to work', 'accept 01JZ --as reviewer'],
  ['complete <id> [output...]', 'its assignee is done', 'complete 01JZ --as reviewer "No issues found"'],
  ['fail <id> [reason...]', 'its assignee could not do it', 'fail 01JZ --as reviewer "The branch is gone"'],
  ['request-input <id> <question...>', 'its assignee asks', 'request-input 01JZ --as reviewer "Which files?"'],
  ['provide-input <id> <answer...>', 'who delegated it answers', 'provide-input 01JZ --as lead "Those in src"'],
  ['cancel <id> [reason...]', 'who delegated it no longer wants it', 'cancel 01JZ --as lead'],
] as const

function addMoves(task: Command, run: Run): void {
  for (const [usage, description, line] of MOVES) {
    const verb = usage.slice(0, usage.indexOf(' ')) as import('./task.run.ts').TaskVerb
    const command = task
      .command(usage)
      .description(description)
      .requiredOption('--as <agent>', 'the agent who does it')
      .option('--json', 'print the task as JSON')
      .addHelpText('after', example(`arc task ${line}`))
    command.action(() => {
      const [id, words] = command.processedArgs as [string, readonly string[] | undefined]
      return run(import('./task.run.ts').then((all) => all.moveTask(verb, id, words ?? [], command.opts())))
    })
  }
}
