// What every store of tasks must do, as cases that run under any test runner.

import assert from 'node:assert/strict'
import { TASK_RETENTION_MS, type TaskStore } from '../storage/ports.ts'
import type { Task } from '../tasks/task.ts'
import type { TaskMove } from '../tasks/transitions.ts'

/** Makes empty stores. */
export interface TaskStoreMaker {
  make(): TaskStore
  /** Called after each case. */
  dispose?(): void
}

/** One case of the contract. */
export interface TaskStoreCase {
  readonly title: string
  /** Throws when a store breaks the contract. */
  run(maker: TaskStoreMaker): void
}

/**
 * The contract.
 * @example
 * for (const { title, run } of taskStoreContract) it(title, () => run({ make: () => new MyTaskStore() }))
 */
export const taskStoreContract: readonly TaskStoreCase[] = [
  contractCase('knows nothing at first', knowsNothing),
  contractCase('makes a task that is assigned, with both steps in its history', makes),
  contractCase('takes an id once', takesOnce),
  contractCase('refuses what cannot be a task, and keeps nothing of it', refusesDrafts),
  contractCase('moves a task and keeps a record of every move', moves),
  contractCase('refuses a wrong actor or move, and leaves all as it is', refusesMoves),
  contractCase('refuses a move of a version that is no longer', refusesStale),
  contractCase('lists by status and by both agents, in order, up to a limit', lists),
  contractCase('gives the task of a silent worker back, and counts the attempts', givesBack),
  contractCase('keeps a task for the worker that renews, and from any other', renews),
  contractCase('does not hold the wait for an answer against a worker', waitsForAnswers),
  contractCase('takes texts and names as they are', takesTexts),
  contractCase('shares nothing with who gave or got a task', sharesNothing),
  contractCase('lets go of what was over long ago, and of nothing else', letsGo),
]

function contractCase(title: string, check: (store: TaskStore) => void): TaskStoreCase {
  const run = (maker: TaskStoreMaker): void => {
    const store = maker.make()
    try {
      check(store)
    } finally {
      store.close()
      maker.dispose?.()
    }
  }
  return { title, run }
}

const DRAFT = { from: 'lead', to: 'reviewer', description: 'Review the change' }
const AT = Date.UTC(2025, 0, 1)

function step(action: TaskMove['action'], actor: string | undefined, more: Partial<TaskMove> = {}): TaskMove {
  return { action, actor, at: AT, ...more }
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof Error && 'code' in error && error.code === code
}

function knowsNothing(store: TaskStore): void {
  assert.equal(store.get('t'), undefined)
  assert.deepEqual(store.history('t'), [])
  assert.deepEqual(store.list(), [])
  assert.deepEqual(store.expired(AT), [])
  assert.equal(store.renew('t', 'w', AT), false)
  assert.throws(() => store.move('t', step('accept', 'reviewer')), hasCode('ARC_TASK_UNKNOWN'))
}

function makes(store: TaskStore): void {
  const task = store.create('t', { ...DRAFT, priority: 'high', riskTier: 2, metadata: { pr: 7 } }, AT)
  const { from, to, description } = DRAFT
  const expected = {
    ...{ id: 't', from, to, description, priority: 'high', riskTier: 2, metadata: { pr: 7 } },
    ...{ status: 'assigned', attempts: 0, version: 2, createdAt: AT, updatedAt: AT },
  }
  assert.deepEqual(task, expected)
  assert.deepEqual(store.get('t'), expected)
  assert.deepEqual(store.history('t'), [
    { version: 1, from: null, to: 'created', by: 'lead', at: AT },
    { version: 2, from: 'created', to: 'assigned', by: 'lead', at: AT },
  ])
}

function takesOnce(store: TaskStore): void {
  store.create('t', DRAFT, AT)
  assert.throws(() => store.create('t', { ...DRAFT, description: 'Another' }, AT), hasCode('ARC_OPTION_INVALID'))
  assert.equal(store.get('t')?.description, DRAFT.description)
  assert.equal(store.history('t').length, 2)
}

function refusesDrafts(store: TaskStore): void {
  assert.throws(() => store.create('t', { ...DRAFT, to: 'lead' }, AT), hasCode('ARC_TASK_SELF'))
  assert.throws(() => store.create('t', { ...DRAFT, to: ' Lead' }, AT), hasCode('ARC_TASK_SELF'))
  for (const bad of [{ from: '' }, { to: 'a\nb' }, { to: '\ud800' }, { description: ' ' }, { priority: 'urgent' }]) {
    assert.throws(() => store.create('t', { ...DRAFT, ...bad } as never, AT), hasCode('ARC_OPTION_INVALID'))
  }
  assert.deepEqual(store.list(), [])
}

function moves(store: TaskStore): void {
  store.create('t', DRAFT, AT)
  store.move('t', step('accept', 'reviewer', { at: AT + 1 }))
  store.move('t', step('request-input', 'reviewer', { text: 'Which files?', at: AT + 2 }))
  assert.equal(store.get('t')?.question, 'Which files?')
  store.move('t', step('provide-input', 'lead', { text: 'All', at: AT + 3 }))
  const done = store.move('t', step('complete', 'reviewer', { text: 'Fine', at: AT + 4 }))
  assert.deepEqual(store.get('t'), done)
  assert.equal(done.status, 'completed')
  assert.equal(done.output, 'Fine')
  assert.equal(done.answer, 'All')
  assert.equal(done.version, 6)
  assert.equal(done.updatedAt, AT + 4)
  assert.deepEqual(
    store.history('t').map(({ from, to, by, text }) => [from, to, by, text]),
    [
      [null, 'created', 'lead', undefined],
      ['created', 'assigned', 'lead', undefined],
      ['assigned', 'working', 'reviewer', undefined],
      ['working', 'input-required', 'reviewer', 'Which files?'],
      ['input-required', 'working', 'lead', 'All'],
      ['working', 'completed', 'reviewer', 'Fine'],
    ],
  )
}

function refusesMoves(store: TaskStore): void {
  const before = store.create('t', DRAFT, AT)
  assert.throws(() => store.move('t', step('accept', 'lead')), hasCode('ARC_TASK_ACTOR'))
  assert.throws(() => store.move('t', step('accept', undefined)), hasCode('ARC_TASK_ACTOR'))
  assert.throws(() => store.move('t', step('cancel', 'reviewer')), hasCode('ARC_TASK_ACTOR'))
  assert.throws(() => store.move('t', step('complete', 'reviewer')), hasCode('ARC_TASK_TRANSITION'))
  assert.throws(() => store.move('t', step('return', undefined)), hasCode('ARC_TASK_TRANSITION'))
  assert.deepEqual(store.get('t'), before)
  assert.equal(store.history('t').length, 2)
}

function refusesStale(store: TaskStore): void {
  const { version } = store.create('t', DRAFT, AT)
  store.move('t', step('accept', 'reviewer', { version }))
  assert.throws(() => store.move('t', step('complete', 'reviewer', { version })), hasCode('ARC_TASK_TRANSITION'))
  assert.equal(store.get('t')?.status, 'working')
  assert.equal(store.move('t', step('complete', 'reviewer', { version: version + 1 })).status, 'completed')
}

function lists(store: TaskStore): void {
  store.create('b', DRAFT, AT)
  store.create('a', { ...DRAFT, to: 'writer' }, AT)
  store.create('c', { ...DRAFT, from: 'boss' }, AT)
  store.move('b', step('accept', 'reviewer'))
  const ids = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id)
  assert.deepEqual(ids(store.list()), ['a', 'b', 'c'])
  assert.deepEqual(ids(store.list({ status: 'assigned' })), ['a', 'c'])
  assert.deepEqual(ids(store.list({ to: 'reviewer' })), ['b', 'c'])
  assert.deepEqual(ids(store.list({ from: 'lead' })), ['a', 'b'])
  assert.deepEqual(ids(store.list({ from: 'lead', to: 'reviewer', status: 'working' })), ['b'])
  assert.deepEqual(ids(store.list({ limit: 2 })), ['b', 'c'])
  assert.deepEqual(ids(store.list({ to: 'unknown' })), [])
}

function givesBack(store: TaskStore): void {
  store.create('t', DRAFT, AT)
  store.move('t', step('accept', 'reviewer', { holder: 'w1', leaseMs: 1_000 }))
  assert.deepEqual(store.expired(AT + 999), [])
  assert.throws(() => store.move('t', step('return', undefined, { at: AT + 999 })), hasCode('ARC_TASK_TRANSITION'))
  assert.deepEqual(
    store.expired(AT + 1_000).map(({ id }) => id),
    ['t'],
  )
  const back = store.move('t', step('return', undefined, { at: AT + 1_000 }))
  assert.equal(back.status, 'assigned')
  assert.equal(back.lease, undefined)
  assert.deepEqual(store.expired(AT + 5_000), [])
  const again = store.move('t', step('accept', 'reviewer', { holder: 'w2', leaseMs: 1_000, at: AT + 2_000 }))
  assert.equal(again.attempts, 2)
  // The first worker wakes up and finds its task in other hands.
  assert.throws(() => store.move('t', step('complete', 'reviewer', { holder: 'w1' })), hasCode('ARC_TASK_ACTOR'))
  assert.equal(store.move('t', step('complete', 'reviewer', { holder: 'w2' })).status, 'completed')
}

function renews(store: TaskStore): void {
  store.create('t', DRAFT, AT)
  const { version } = store.move('t', step('accept', 'reviewer', { holder: 'w1', leaseMs: 1_000 }))
  assert.equal(store.renew('t', 'w2', AT + 900), false)
  assert.equal(store.renew('t', 'w1', AT + 900), true)
  assert.deepEqual(store.expired(AT + 1_899), [])
  assert.equal(store.get('t')?.version, version)
  assert.equal(store.expired(AT + 1_900).length, 1)
  store.move('t', step('complete', 'reviewer', { holder: 'w1', at: AT + 1_950 }))
  assert.equal(store.renew('t', 'w1', AT + 1_960), false)
  assert.deepEqual(store.expired(AT + 10_000), [])
}

function waitsForAnswers(store: TaskStore): void {
  store.create('t', DRAFT, AT)
  store.move('t', step('accept', 'reviewer', { holder: 'w1', leaseMs: 1_000 }))
  store.move('t', step('request-input', 'reviewer', { holder: 'w1', text: '?' }))
  assert.deepEqual(store.expired(AT + 60_000), [])
  store.move('t', step('provide-input', 'lead', { text: '!', at: AT + 60_000 }))
  assert.deepEqual(store.expired(AT + 60_999), [])
  assert.equal(store.expired(AT + 61_000).length, 1)
}

function takesTexts(store: TaskStore): void {
  const texts = ["'; DROP TABLE task; --", 'é漢😀', `nul ${String.fromCharCode(0)} and \ud800`, '%', 'a\nb']
  for (const [at, description] of texts.entries()) {
    const id = `t${at}`
    store.create(id, { ...DRAFT, from: 'o\'reilly "x" %', description }, AT)
    store.move(id, step('accept', 'reviewer'))
    store.move(id, step('fail', 'reviewer', { text: description }))
    assert.equal(store.get(id)?.description, description)
    assert.equal(store.get(id)?.reason, description)
  }
  assert.equal(store.list({ from: 'o\'reilly "x" %' }).length, texts.length)
}

function sharesNothing(store: TaskStore): void {
  const metadata = { list: [1] }
  const task = store.create('t', { ...DRAFT, metadata }, AT)
  metadata.list.push(2)
  try {
    ;(task.metadata as typeof metadata).list.push(3)
  } catch {
    // Refusing is as good as not sharing.
  }
  assert.deepEqual(store.get('t')?.metadata, { list: [1] })
}

function letsGo(store: TaskStore): void {
  store.create('open', DRAFT, AT)
  for (let at = 0; at < 6; at++) {
    store.create(`over-${at}`, DRAFT, AT)
    store.move(`over-${at}`, step('cancel', 'lead'))
  }
  const later = AT + TASK_RETENTION_MS
  store.create('soon', DRAFT, later - 1)
  assert.equal(store.list().length, 8)
  for (let at = 0; at < 3; at++) store.create(`new-${at}`, DRAFT, later)
  assert.deepEqual(
    store.list().map(({ id }) => id),
    ['new-0', 'new-1', 'new-2', 'open', 'soon'],
  )
  assert.deepEqual(store.history('over-0'), [])
}
