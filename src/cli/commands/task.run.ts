// `arc task`: tasks between agents. Every transition goes through the state machine, every new task through the pipeline.

import { ArcError } from '../../engine/errors.ts'
import { databaseFile, findProject } from '../../platform/home.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import { type OpenTasks, openTasks } from '../../tasks/service/open-tasks.ts'
import { logMoves } from '../../tasks/service/task-log.ts'
import { admitBy } from '../../tasks/service/task-supervision.ts'
import type { Task, TaskPriority, TaskRecord, TaskStatus } from '../../tasks/task.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { ago, alignColumns, info, oneLine, print, printJson } from '../output.ts'
import { printNotice } from '../print-notice.ts'

interface JsonOption {
  readonly json?: boolean
}

/** The options of `arc task delegate`. */
export interface DelegateArguments extends JsonOption {
  readonly from: string
  readonly to: string
  readonly priority: TaskPriority
}

const EXIT = { done: 0, failed: 1, blocked: 2, held: 3 } as const

/** Delegates a task to an agent, if the pipeline allows it. */
export async function delegateTask(words: readonly string[], given: DelegateArguments): Promise<number> {
  const { from, to, priority, json } = given
  const workspace = context().cwd
  const project = findProject(workspace)
  // A held task is reported at once and delegated again after the approval, so this does not wait.
  const options = { via: 'cli', askMs: 0, notify: printNotice, ...(project !== undefined && { project }) } as const
  const supervisor = await createSupervisor(options)
  const onMove = logMoves(supervisor.trace, supervisor.config.profile)
  const tasks = await openTasks({ admit: admitBy(supervisor, { workspace }), onMove })
  try {
    const { task } = await tasks.delegator.delegate({ from, to, priority, description: words.join(' ') })
    return showResult(task, json)
  } catch (error) {
    return reportRefusal(error)
  } finally {
    tasks.close()
    await supervisor.close()
  }
}

/** The options of `arc task list`. */
export interface TaskListOptions extends JsonOption {
  readonly status?: TaskStatus
  readonly from?: string
  readonly to?: string
  readonly limit: string
}

/** Lists tasks, newest last. */
export async function listTasks({ status, from, to, limit, json }: TaskListOptions): Promise<number> {
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    info(`arc: --limit must be a whole number above 0, not ${JSON.stringify(limit)}`)
    return EXIT.blocked
  }
  return withTasks(({ delegator }) => {
    const tasks = delegator.list({ status, from, to, limit: Number(limit) })
    if (json === true) printJson(tasks.map(taskJson))
    else if (tasks.length === 0) info('No tasks. To delegate one: arc task delegate --from A --to B TEXT')
    else for (const line of alignColumns(tasks.map(taskRow), { head: HEAD })) print(line)
    return EXIT.done
  })
}

/** Shows a task with its history. */
export async function showTask(id: string, { json }: JsonOption): Promise<number> {
  return withTasks(({ delegator }) => {
    const whole = findId(delegator, id)
    const task = delegator.get(whole)
    if (task === undefined) throw new ArcError('ARC_TASK_UNKNOWN', `There is no task ${JSON.stringify(id)}.`)
    const history = delegator.history(whole)
    if (json === true) printJson({ ...taskJson(task), history: history.map(recordJson) })
    else printTask(task, history)
    return EXIT.done
  })
}

/** A transition of a task. */
export type TaskVerb = 'accept' | 'complete' | 'fail' | 'request-input' | 'provide-input' | 'cancel'

/** The options of a transition. */
export interface MoveOptions extends JsonOption {
  readonly as: string
}

/** Applies a transition on behalf of an agent. */
export async function moveTask(
  verb: TaskVerb,
  id: string,
  words: readonly string[],
  { as, json }: MoveOptions,
): Promise<number> {
  const text = words.join(' ')
  return withTasks(async ({ delegator }) => {
    const whole = findId(delegator, id)
    const moves: Readonly<Record<TaskVerb, () => Promise<Task>>> = {
      accept: () => delegator.accept(whole, as),
      complete: () => delegator.complete(whole, as, text),
      fail: () => delegator.fail(whole, as, text),
      'request-input': () => delegator.requestInput(whole, as, text),
      'provide-input': () => delegator.provideInput(whole, as, text),
      cancel: () => delegator.cancel(whole, as, text === '' ? undefined : text),
    }
    return showResult(await moves[verb](), json)
  })
}

async function withTasks(work: (tasks: OpenTasks) => number | Promise<number>): Promise<number> {
  const trace = new SqliteTraceStore(databaseFile(), { env: context().env })
  const tasks = await openTasks({ onMove: logMoves(trace) })
  try {
    return await work(tasks)
  } finally {
    tasks.close()
    trace.close()
  }
}

// Completes a unique prefix to the whole id.
function findId(delegator: OpenTasks['delegator'], given: string): string {
  if (given === '' || delegator.get(given) !== undefined) return given
  const ids = delegator.list().flatMap(({ id }) => (id.startsWith(given) ? [id] : []))
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : given
}

function showResult(task: Task, json: boolean | undefined): number {
  if (json === true) printJson(taskJson(task))
  else print(`${paintStatus(task.status)}  ${colors.bold(task.id)}  ${oneLine(task.description)}`)
  return EXIT.done
}

function reportRefusal(error: unknown): number {
  if (!(error instanceof ArcError)) throw error
  const exit = { ARC_TASK_BLOCKED: EXIT.blocked, ARC_TASK_HELD: EXIT.held }[error.code as string]
  if (exit === undefined) throw error
  info(`arc: ${error.message}`)
  return exit
}

const HEAD = ['id', 'status', 'priority', 'from → to', 'age', 'task']

function taskRow({ id, status, priority, from, to, createdAt, description }: Task): readonly string[] {
  const age = ago(new Date(createdAt).toISOString())
  return [id, paintStatus(status), priority, `${oneLine(from, 24)} → ${oneLine(to, 24)}`, age, oneLine(description, 60)]
}

const PAINT: Readonly<Record<TaskStatus, (text: string) => string>> = {
  created: colors.dim,
  assigned: colors.cyan,
  working: colors.blue,
  'input-required': colors.magenta,
  completed: colors.green,
  failed: colors.red,
  cancelled: colors.dim,
}

function paintStatus(status: TaskStatus): string {
  return PAINT[status](status)
}

function printTask(task: Task, history: readonly TaskRecord[]): void {
  const { id, from, to, status, priority, attempts, description, question, answer, output, reason } = task
  print(`${colors.bold(id)}  ${paintStatus(status)}  ${priority}  ${oneLine(from)} → ${oneLine(to)}`)
  const rows = Object.entries({ task: description, question, answer, output, reason })
  for (const [name, text] of rows) if (text !== undefined) print(`  ${name}: ${oneLine(text, WHOLE)}`)
  if (attempts > 1) print(`  started ${attempts} times`)
  for (const { at, from: before, to: after, by } of history) {
    const when = new Date(at).toISOString()
    print(colors.dim(`  ${when}  ${before === null ? '' : `${before} → `}${after}  by ${oneLine(by ?? 'ARC')}`))
  }
}

const WHOLE = Number.POSITIVE_INFINITY

function taskJson({ createdAt, updatedAt, lease, ...task }: Task): object {
  const until = lease && { lease: { ...lease, expiresAt: formatTime(lease.expiresAt) } }
  return { ...task, createdAt: formatTime(createdAt), updatedAt: formatTime(updatedAt), ...until }
}

function recordJson({ at, ...record }: TaskRecord): object {
  return { ...record, at: formatTime(at) }
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString()
}
