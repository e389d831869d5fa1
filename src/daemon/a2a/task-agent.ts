// The tasks of a home as an A2A agent. Every move goes through the delegator, and so through the state machine and the
// pipeline; the SDK's own handler would write states into a store without supervision.

import {
  type Task as A2aTask,
  AgentCard,
  type CancelTaskRequest,
  type GetTaskRequest,
  type ListTasksRequest,
  type ListTasksResponse,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
} from '@a2a-js/sdk'
import { PushNotificationNotSupportedError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { TaskRefusal } from '../../tasks/service/task-supervision.ts'
import type { Task } from '../../tasks/task.ts'
import { isTaskOver, unknownTask } from '../../tasks/transitions.ts'
import type { DaemonTasks } from '../task-service.ts'
import { type A2aOperation, toA2aError } from './a2a-errors.ts'
import { type A2aMessage, readActor, readMessage } from './params.ts'
import { addA2aNote, readContextId } from './task-metadata.ts'
import { readPage } from './task-pages.ts'
import { buildRejectedTask, buildTaskEvents, buildTaskView } from './task-view.ts'

/** The tasks and the client of a request. */
export interface HandlerOptions {
  readonly tasks: DaemonTasks
  /** The agent of the path: only tasks of this agent are visible. */
  readonly agent: string | undefined
  /** The default name of the client. */
  readonly client: string
  readonly card: object
  /** Aborted when the client disconnects or the daemon stops. */
  readonly signal: AbortSignal
  /** The maximum time that a message waits for its task. */
  readonly waitMs: number
  /** Counts work that the daemon finishes before it stops. */
  readonly count: <T>(work: Promise<T>) => Promise<T>
  readonly report: (error: unknown) => void
}

/** Handles one request. */
export class TaskAgent implements A2ARequestHandler {
  readonly #options: HandlerOptions

  constructor(options: HandlerOptions) {
    this.#options = options
  }

  async getAgentCard(): Promise<AgentCard> {
    return AgentCard.fromJSON(this.#options.card)
  }

  async sendMessage(params: SendMessageRequest): Promise<A2aTask> {
    return this.#guard('send', async () => {
      const taken = await this.#take(params)
      if (!('version' in taken)) return taken
      if (params.configuration?.returnImmediately !== true) await this.#waitForResult(taken)
      return this.#view(this.#find(taken.id), params.configuration?.historyLength)
    })
  }

  async *sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    this.#refuseFull()
    const taken = await this.#guard('send', () => this.#take(params))
    if ('version' in taken) yield* this.#stream(taken)
    else yield { payload: { $case: 'task', value: taken } }
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<A2aTask> {
    return this.#guard('read', () => this.#view(this.#find(id), historyLength))
  }

  async listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    const { tasks, agent } = this.#options
    return this.#guard('read', () => {
      const { page, nextPageToken, pageSize, totalSize } = readPage(tasks.delegator.list({ to: agent }), params)
      const { historyLength = 0, includeArtifacts: hasArtifacts = false } = params
      const shown = page.map((task) => {
        const records = historyLength === 0 ? [] : tasks.store.history(task.id)
        return buildTaskView(task, records, { historyLength, hasArtifacts })
      })
      return { tasks: shown, nextPageToken, pageSize, totalSize }
    })
  }

  async cancelTask({ id, metadata }: CancelTaskRequest): Promise<A2aTask> {
    const { tasks, client, count } = this.#options
    return this.#guard('cancel', async () => {
      this.#find(id)
      const reason = typeof metadata?.reason === 'string' ? metadata.reason : undefined
      return this.#view(await count(tasks.delegator.cancel(id, readActor(metadata, client), reason)))
    })
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    this.#refuseFull()
    const task = await this.#guard('read', () => this.#find(id))
    if (isTaskOver(task.status)) throw new UnsupportedOperationError(`Task ${id} is over: it is ${task.status}.`)
    yield* this.#stream(task)
  }

  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(new UnsupportedOperationError('The public card is complete; there is no extended card.'))
  }

  createTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError())
  }

  getTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError())
  }

  listTaskPushNotificationConfigs(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError())
  }

  deleteTaskPushNotificationConfig(): Promise<never> {
    return Promise.reject(new PushNotificationNotSupportedError())
  }

  // A message is a new task, or the input that a task waits for.
  async #take(params: SendMessageRequest): Promise<Task | A2aTask> {
    const { client, count } = this.#options
    const message = readMessage(params, client)
    return message.taskId === '' ? this.#delegate(message) : count(this.#answer(message))
  }

  async #delegate(message: A2aMessage): Promise<Task | A2aTask> {
    const { tasks, count } = this.#options
    const { from, text, priority, riskTier } = message
    const metadata = addA2aNote(message.metadata, message)
    try {
      const draft = { from, to: this.#findAssignee(message), description: text, priority, riskTier, metadata }
      const { task } = await count(tasks.delegator.delegate(draft))
      return task
    } catch (error) {
      if (error instanceof TaskRefusal) return buildRejectedTask(error, message.contextId)
      throw error
    }
  }

  #findAssignee({ to }: A2aMessage): string {
    const { agent } = this.#options
    if (agent !== undefined && to !== undefined && to !== agent) {
      throw new RequestMalformedError(`metadata.to must be ${JSON.stringify(agent)} here, or be omitted.`)
    }
    const assignee = agent ?? to
    if (assignee !== undefined) return assignee
    throw new RequestMalformedError('Name the assignee in metadata.to, or send the request to /a2a/AGENT.')
  }

  async #answer({ taskId, contextId, from, text }: A2aMessage): Promise<Task> {
    const task = this.#find(taskId)
    if (contextId !== '' && contextId !== readContextId(task)) {
      throw new RequestMalformedError(`Task ${task.id} belongs to another contextId.`)
    }
    return this.#options.tasks.delegator.provideInput(task.id, from, text)
  }

  #find(id: string): Task {
    const { tasks, agent } = this.#options
    const task = tasks.delegator.get(id)
    if (task === undefined || (agent !== undefined && task.to !== agent)) throw unknownTask(id)
    return task
  }

  #view(task: Task, historyLength?: number): A2aTask {
    return buildTaskView(task, this.#options.tasks.store.history(task.id), { historyLength })
  }

  #refuseFull(): void {
    if (!this.#options.tasks.feed.isFull) return
    throw new UnsupportedOperationError('Too many clients follow tasks right now: use GetTask instead.')
  }

  async *#stream(task: Task): AsyncGenerator<StreamResponse, void, undefined> {
    const { tasks, signal, report } = this.#options
    yield { payload: { $case: 'task', value: this.#view(task) } }
    try {
      for await (const record of tasks.feed.follow(task.id, task.version, signal)) {
        yield* buildTaskEvents(tasks.store.get(task.id) ?? task, record)
      }
    } catch (error) {
      throw toA2aError(error, 'read', report)
    }
  }

  // Waits until the task has ended or requires input, at most `waitMs`.
  async #waitForResult({ id, version, status }: Task): Promise<void> {
    const { tasks, signal, waitMs } = this.#options
    if (status === 'input-required' || isTaskOver(status) || tasks.feed.isFull) return
    const over = new AbortController()
    const stop = (): void => over.abort()
    const timer = setTimeout(stop, waitMs).unref()
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    try {
      for await (const { to } of tasks.feed.follow(id, version, over.signal)) if (to === 'input-required') return
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  async #guard<T>(operation: A2aOperation, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw toA2aError(error, operation, this.#options.report)
    }
  }
}
