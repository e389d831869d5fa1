// Delegation between agents: every move goes through the state machine of the store, the other agent gets a message, and
// listeners are called at the end of a task, whichever process ended it.

import type { Bus } from '../bus/bus.ts'
import { buildSubject, checkAgent } from '../bus/subject.ts'
import type { Clock } from '../engine/clock.ts'
import { ArcError, clip, MAX_TEXT, rejectUnknownOptions, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { TaskFilter, TaskStore } from '../storage/ports.ts'
import { LeaseRenewer } from './lease-renewer.ts'
import { readDraft, type Task, type TaskDraft, type TaskRecord } from './task.ts'
import { type TaskEndListeners, type TaskListener, TaskListeners } from './task-listeners.ts'
import { getTransition, type MessageKind, type TaskAction, type TaskMove, unknownTask } from './transitions.ts'

/** The options of `delegate`. */
export interface DelegateOptions extends TaskDraft {
  /** Called once the task is completed, by whichever process. */
  readonly onComplete?: TaskListener | undefined
  /** Called once the task has failed. */
  readonly onFailed?: TaskListener | undefined
  /** How long to listen; one hour by default. The task itself continues. */
  readonly listenerTimeoutMs?: number | undefined
}

/** A message about a task, to one of its two agents. */
export interface TaskMessage {
  readonly kind: MessageKind
  readonly task: string
  readonly from: string
  readonly to: string
  readonly status: Task['status']
  readonly text: string
}

/** The options of a delegator; all optional. */
export interface DelegatorOptions {
  /** Reviews a task before it is stored, and each answer to its worker: returns it, changed or not, or throws. */
  readonly admit?: ((draft: TaskDraft) => TaskDraft | Promise<TaskDraft>) | undefined
  /** Called with every move that was made through this object. */
  readonly onMove?: ((task: Task, move: Pick<TaskMove, 'action' | 'actor' | 'text'>) => void) | undefined
  /** The lease of a worker that accepts a task here: without renewal it counts as lost. No lease by default. */
  readonly leaseMs?: number | undefined
  /** How many workers of one task may be lost before it fails; default 3. */
  readonly maxAttempts?: number | undefined
}

/** The services of a delegator. */
export interface DelegatorServices {
  readonly store: TaskStore
  readonly bus: Bus
  readonly clock: Clock
  readonly newId: () => string
  readonly report: (message: string) => void
}

const OPTIONS = ['admit', 'onMove', 'leaseMs', 'maxAttempts'] as const
const LISTENER_MS = 3_600_000
const MAX_ATTEMPTS = 3

/** Hands work from agent to agent. */
export class Delegator {
  readonly #services: DelegatorServices
  readonly #options: DelegatorOptions
  readonly #listeners: TaskListeners
  readonly #leases: LeaseRenewer
  readonly #worker: string
  readonly #inboxes = new Set<() => void>()
  #isDisposed = false

  constructor(services: DelegatorServices, options: DelegatorOptions = {}) {
    rejectUnknownOptions(options, OPTIONS, 'TaskDelegator')
    checkCount(options.leaseMs, 'leaseMs')
    checkCount(options.maxAttempts, 'maxAttempts')
    this.#services = services
    this.#options = options
    this.#worker = services.newId()
    this.#listeners = new TaskListeners({ ...services, reclaim: () => this.reclaim() })
    this.#leases = new LeaseRenewer(services, this.#worker)
  }

  /** Hands a task to another agent. */
  async delegate(options: DelegateOptions): Promise<{ readonly task: Task }> {
    this.#refuseDisposed()
    const { onComplete, onFailed, listenerTimeoutMs = LISTENER_MS, ...given } = options
    checkCount(listenerTimeoutMs, 'listenerTimeoutMs')
    const { admit } = this.#options
    const read = readDraft(given)
    const draft = admit === undefined ? read : await admit(read)
    // The review may take long enough for a dispose.
    this.#refuseDisposed()
    const { store, clock, newId } = this.#services
    const id = newId()
    // Before the task is stored, so that its end cannot be missed.
    const unlisten =
      onComplete || onFailed ? this.#listeners.add(id, { onComplete, onFailed }, listenerTimeoutMs) : undefined
    try {
      const task = store.create(id, draft, clock.wall())
      this.#notify(task, { action: 'assign', actor: task.from, text: task.description })
      return { task }
    } catch (error) {
      unlisten?.()
      throw error
    }
  }

  /** The assignee starts to work. */
  async accept(id: string, actor: string): Promise<Task> {
    const { leaseMs } = this.#options
    this.reclaim()
    const task = this.#move(id, actor, 'accept', undefined, leaseMs)
    if (leaseMs !== undefined) this.#leases.start(id, leaseMs)
    return task
  }

  /** The assignee is done. */
  async complete(id: string, actor: string, output = ''): Promise<Task> {
    return this.#move(id, actor, 'complete', output)
  }

  /** The assignee could not do it. */
  async fail(id: string, actor: string, reason = ''): Promise<Task> {
    return this.#move(id, actor, 'fail', reason)
  }

  /** The assignee asks a question. */
  async requestInput(id: string, actor: string, question: string): Promise<Task> {
    return this.#move(id, actor, 'request-input', question)
  }

  /** The delegator answers, and the work continues. */
  async provideInput(id: string, actor: string, answer: string): Promise<Task> {
    return this.#move(id, actor, 'provide-input', await this.#reviewAnswer(id, answer))
  }

  /** The delegator cancels the task. */
  async cancel(id: string, actor: string, reason?: string): Promise<Task> {
    return this.#move(id, actor, 'cancel', reason)
  }

  /** Calls the listener when a task is completed, by whichever process. Returns an unsubscribe function. */
  onComplete(id: string, listener: TaskListener, options: { readonly listenerTimeoutMs?: number } = {}): () => void {
    return this.#listen(id, { onComplete: listener }, options)
  }

  /** Calls the listener when a task has failed. Returns an unsubscribe function. */
  onFailed(id: string, listener: TaskListener, options: { readonly listenerTimeoutMs?: number } = {}): () => void {
    return this.#listen(id, { onFailed: listener }, options)
  }

  /** Calls the listener with messages to an agent: tasks, answers, questions. Returns an unsubscribe function. */
  onMessage(agent: string, listener: (message: TaskMessage) => void | Promise<void>): () => void {
    this.#refuseDisposed()
    checkAgent(agent, 'agent')
    const unsubscribe = this.#services.bus.subscribe(`${buildSubject('task', agent)}.>`, ({ data }) =>
      isTaskMessage(data) ? listener(data) : undefined,
    )
    const undo = (): void => {
      if (this.#inboxes.delete(undo)) unsubscribe()
    }
    this.#inboxes.add(undo)
    return undo
  }

  /** A task; undefined when there is none with this id. */
  get(id: string): Task | undefined {
    this.reclaim()
    return this.#services.store.get(id)
  }

  /** Every move of a task, from the first. */
  history(id: string): readonly TaskRecord[] {
    return this.#services.store.history(id)
  }

  list(filter?: TaskFilter): readonly Task[] {
    this.reclaim()
    return this.#services.store.list(filter)
  }

  /** The tasks that an agent delegated. */
  delegatedBy(agent: string): readonly Task[] {
    return this.list({ from: agent })
  }

  /** The tasks that were delegated to an agent. */
  delegatedTo(agent: string): readonly Task[] {
    return this.list({ to: agent })
  }

  /** Returns the tasks of lost workers to their assignees; gives the tasks that moved. */
  reclaim(): readonly Task[] {
    const { store, clock } = this.#services
    const { maxAttempts = MAX_ATTEMPTS } = this.#options
    return store.expired(clock.wall()).flatMap((task) => {
      const action = task.attempts >= maxAttempts ? 'abandon' : 'return'
      try {
        return [this.#apply(task.id, { action, actor: undefined, at: clock.wall(), version: task.version })]
      } catch (error) {
        // Another process moved the task first, or the worker renewed its lease.
        if (error instanceof ArcError && /^ARC_TASK_/.test(error.code)) return []
        throw error
      }
    })
  }

  /** The number of listeners for the end of a task. */
  get activeListenerCount(): number {
    return this.#listeners.count
  }

  /** Removes all listeners and leases; safe to call twice. Tasks stay unchanged. */
  dispose(): void {
    this.#isDisposed = true
    this.#listeners.clear()
    this.#leases.clear()
    for (const undo of [...this.#inboxes]) undo()
  }

  #move(id: string, actor: string, action: TaskAction, text?: string, leaseMs?: number): Task {
    this.#refuseDisposed()
    checkAgent(actor, 'the actor')
    const at = this.#services.clock.wall()
    return this.#apply(id, { action, actor, at, text, holder: this.#worker, leaseMs })
  }

  #apply(id: string, move: TaskMove): Task {
    const task = this.#services.store.move(id, move)
    if (task.lease?.holder !== this.#worker) this.#leases.stop(id)
    this.#notify(task, move)
    this.#listeners.hear(task)
    return task
  }

  // The task has moved already: a failure to notify is reported and changes nothing.
  #notify(task: Task, move: Pick<TaskMove, 'action' | 'actor' | 'text'>): void {
    const { bus, report } = this.#services
    const { kind, tells, says } = getTransition(move.action)
    const { id, from, to, status } = task
    const recipient = tells === 'delegator' ? from : to
    const message: TaskMessage = { kind, task: id, from, to, status, text: clip(move.text || says, MAX_TEXT) }
    try {
      bus.publish(buildSubject('task', recipient, id, status), message)
      this.#options.onMove?.(task, move)
    } catch (error) {
      report(
        `The message that task ${id} is ${status} could not be sent: ${error instanceof Error ? error.message : show(error)}`,
      )
    }
  }

  #listen(
    id: string,
    heard: TaskEndListeners,
    { listenerTimeoutMs = LISTENER_MS }: { readonly listenerTimeoutMs?: number },
  ): () => void {
    this.#refuseDisposed()
    checkCount(listenerTimeoutMs, 'listenerTimeoutMs')
    const undo = this.#listeners.add(id, heard, listenerTimeoutMs)
    const task = this.#services.store.get(id)
    if (task === undefined) {
      undo()
      throw unknownTask(id)
    }
    // The task may have ended already.
    this.#services.clock.soon(() => this.#listeners.hear(task))
    return undo
  }

  // An answer instructs the worker like the task does, so it is reviewed too. A task that waits for no answer fails in the move.
  async #reviewAnswer(id: string, answer: string): Promise<string> {
    const { admit } = this.#options
    const task = admit === undefined ? undefined : this.#services.store.get(id)
    if (admit === undefined || task?.status !== 'input-required' || answer === '') return answer
    const { from, to, priority, riskTier, metadata } = task
    const draft = { from, to, priority, metadata, ...(riskTier !== undefined && { riskTier }) }
    const { description } = await admit({ ...draft, description: answer })
    this.#refuseDisposed()
    return description
  }

  #refuseDisposed(): void {
    if (this.#isDisposed) throw new ArcError('ARC_OPTION_INVALID', 'This TaskDelegator was disposed; make another one.')
  }
}

function isTaskMessage(data: unknown): data is TaskMessage {
  if (!isRecord(data)) return false
  const { kind, task, from, to, status, text } = data
  return [kind, task, from, to, status, text].every((field) => typeof field === 'string')
}

function checkCount(value: number | undefined, name: string): void {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return
  throw new ArcError('ARC_OPTION_INVALID', `${name} must be a number above 0, not ${show(value)}.`)
}
