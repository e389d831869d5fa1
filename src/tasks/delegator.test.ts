import { describe, expect, it, onTestFinished } from 'vitest'
import { MemoryBus } from '../bus/memory/memory-bus.ts'
import { MemoryTaskStore } from '../storage/memory/task-store.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { Delegator, type DelegatorOptions, type TaskMessage } from './delegator.ts'
import type { Task } from './task.ts'

const DRAFT = { from: 'claude-work', to: 'codex-review', description: 'Review auth refactor PR' } as const

// Delegators that share a store and a bus, as processes share a database.
function scene() {
  const clock = new FakeClock()
  const store = new MemoryTaskStore()
  const reports: string[] = []
  let ids = 0
  const services = { clock, newId: () => `id${++ids}`, report: (text: string) => void reports.push(text) }
  const bus = new MemoryBus(services)
  const make = (options: DelegatorOptions = {}): Delegator => {
    const delegator = new Delegator({ ...services, store, bus }, options)
    onTestFinished(() => delegator.dispose())
    return delegator
  }
  return { clock, store, bus, reports, make }
}

describe('delegating', () => {
  it('T1 goes from handing over to the result, as the seed tells it', async () => {
    const { make } = scene()
    const delegator = make()
    const done: Task[] = []
    const { task } = await delegator.delegate({
      ...DRAFT,
      priority: 'high',
      onComplete: (finished) => void done.push(finished),
      listenerTimeoutMs: 300_000,
    })
    expect(task).toMatchObject({ ...DRAFT, status: 'assigned', priority: 'high' })
    expect(delegator.activeListenerCount).toBe(1)
    await delegator.accept(task.id, 'codex-review')
    await delegator.requestInput(task.id, 'codex-review', 'Which files should I focus on?')
    expect(delegator.get(task.id)).toMatchObject({
      status: 'input-required',
      question: 'Which files should I focus on?',
    })
    await delegator.provideInput(task.id, 'claude-work', 'Focus on src/auth/ directory')
    expect(delegator.get(task.id)).toMatchObject({ status: 'working', answer: 'Focus on src/auth/ directory' })
    await delegator.complete(task.id, 'codex-review', 'LGTM, no issues found')
    expect(done).toMatchObject([{ id: task.id, status: 'completed', output: 'LGTM, no issues found' }])
    expect(delegator.activeListenerCount).toBe(0)
    expect(delegator.delegatedBy('claude-work').map(({ id }) => id)).toEqual([task.id])
    expect(delegator.delegatedTo('codex-review').map(({ id }) => id)).toEqual([task.id])
    expect(delegator.delegatedTo('claude-work')).toEqual([])
  })

  it('T1 tells the other side of every move, each in its kind of message', async () => {
    const { make, clock } = scene()
    const delegator = make()
    const heard: string[] = []
    const note = (who: string) => (message: TaskMessage) => void heard.push(`${who} ${message.kind}: ${message.text}`)
    delegator.onMessage('claude-work', note('A'))
    delegator.onMessage('codex-review', note('B'))
    delegator.onMessage('codex-review.x', note('C'))
    const { task } = await delegator.delegate(DRAFT)
    await delegator.accept(task.id, 'codex-review')
    await delegator.requestInput(task.id, 'codex-review', 'Which?')
    await delegator.provideInput(task.id, 'claude-work', 'Those')
    await delegator.fail(task.id, 'codex-review', 'Broken')
    const { task: second } = await delegator.delegate(DRAFT)
    await delegator.cancel(second.id, 'claude-work', 'No longer needed')
    await clock.settle()
    expect(heard).toEqual([
      'B handoff: Review auth refactor PR',
      'A notification: Task accepted',
      'A request: Which?',
      'B response: Those',
      'A response: Broken',
      'B handoff: Review auth refactor PR',
      'B notification: No longer needed',
    ])
  })

  it('T1 reports failure separately from success, and reports no cancellation to listeners', async () => {
    const { make } = scene()
    const delegator = make()
    const heard: string[] = []
    const listeners = {
      onComplete: () => void heard.push('completed'),
      onFailed: ({ reason }: Task) => void heard.push(`failed: ${reason}`),
    }
    const failing = (await delegator.delegate({ ...DRAFT, ...listeners })).task.id
    const cancelled = (await delegator.delegate({ ...DRAFT, ...listeners })).task.id
    await delegator.accept(failing, 'codex-review')
    await delegator.fail(failing, 'codex-review', 'no access')
    await delegator.cancel(cancelled, 'claude-work')
    expect(heard).toEqual(['failed: no access'])
    expect(delegator.activeListenerCount).toBe(0)
  })

  it('T1 removes a listener after its timeout, while the task continues', async () => {
    const { make, clock } = scene()
    const delegator = make()
    let calls = 0
    const { task } = await delegator.delegate({ ...DRAFT, onComplete: () => void calls++, listenerTimeoutMs: 300_000 })
    clock.advance(299_999)
    expect(delegator.activeListenerCount).toBe(1)
    clock.advance(1)
    expect(delegator.activeListenerCount).toBe(0)
    expect(clock.timers).toBe(0)
    await delegator.accept(task.id, 'codex-review')
    await delegator.complete(task.id, 'codex-review', 'late')
    expect(calls).toBe(0)
  })

  it('T1 leaves nothing behind when it is disposed', async () => {
    const { make, clock, bus } = scene()
    const delegator = make({ leaseMs: 1_000 })
    for (let at = 0; at < 5; at++) {
      const { task } = await delegator.delegate({ ...DRAFT, onComplete: () => undefined })
      await delegator.accept(task.id, 'codex-review')
    }
    delegator.onMessage('codex-review', () => undefined)
    expect([delegator.activeListenerCount, bus.listenerCount]).toEqual([5, 2])
    expect(clock.timers).toBeGreaterThan(5)
    delegator.dispose()
    delegator.dispose()
    expect([delegator.activeListenerCount, bus.listenerCount, clock.timers]).toEqual([0, 0, 0])
    await expect(delegator.delegate(DRAFT)).rejects.toThrow(/disposed/)
  })

  it('T1 a refused task leaves no listener and no task', async () => {
    const { make, store, clock } = scene()
    const delegator = make({
      admit: (draft) => (draft.priority === 'critical' ? Promise.reject(new Error('no')) : draft),
    })
    const onComplete = (): void => undefined
    await expect(delegator.delegate({ ...DRAFT, priority: 'critical', onComplete })).rejects.toThrow('no')
    await expect(delegator.delegate({ ...DRAFT, to: DRAFT.from, onComplete })).rejects.toThrow(/ARC_TASK_SELF/)
    await expect(delegator.delegate({ ...DRAFT, foo: 1 } as never)).rejects.toThrow(/foo/)
    await expect(delegator.delegate({ ...DRAFT, listenerTimeoutMs: -1, onComplete })).rejects.toThrow(
      /listenerTimeoutMs/,
    )
    expect([delegator.activeListenerCount, clock.timers, store.list().length]).toEqual([0, 0, 0])
  })

  it('T1 disposed while a task passes the pipeline, it leaves no listener and no task', async () => {
    const { make, store, clock } = scene()
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const delegator = make({ admit: (draft) => gate.then(() => draft) })
    const delegating = delegator.delegate({ ...DRAFT, onComplete: () => undefined })
    delegator.dispose()
    open()
    await expect(delegating).rejects.toThrow(/disposed/)
    expect([delegator.activeListenerCount, clock.timers, store.list().length]).toEqual([0, 0, 0])
  })

  it('T1 stores what admission made of the task', async () => {
    const { make } = scene()
    const delegator = make({ admit: (draft) => ({ ...draft, description: `${draft.description}, with care` }) })
    expect((await delegator.delegate(DRAFT)).task.description).toBe('Review auth refactor PR, with care')
  })

  it('T1 contains listeners that throw or reject', async () => {
    const { make, reports, clock } = scene()
    const delegator = make()
    const { task } = await delegator.delegate({
      ...DRAFT,
      onComplete: () => {
        throw new Error('broken listener')
      },
    })
    delegator.onComplete(task.id, () => Promise.reject(new Error('rejecting listener')))
    await delegator.accept(task.id, 'codex-review')
    expect((await delegator.complete(task.id, 'codex-review')).status).toBe('completed')
    await clock.settle()
    expect(reports.join('\n')).toMatch(/broken listener\n.*rejecting listener/)
  })
})

describe('listening', () => {
  it('T3 is notified once of an end that another process caused', async () => {
    const { make, clock } = scene()
    const [asking, working] = [make(), make()]
    const done: (string | undefined)[] = []
    const { task } = await asking.delegate({ ...DRAFT, onComplete: ({ output }) => void done.push(output) })
    await working.accept(task.id, 'codex-review')
    await working.complete(task.id, 'codex-review', 'ok')
    await clock.settle()
    clock.advance(10_000)
    expect(done).toEqual(['ok'])
    expect(clock.timers).toBe(0)
  })

  it('T3 finds the end without a message', async () => {
    const { make, clock, store } = scene()
    const done: (string | undefined)[] = []
    const { task } = await make().delegate({ ...DRAFT, onComplete: ({ output }) => void done.push(output) })
    const move = { actor: 'codex-review', at: 0 } as const
    store.move(task.id, { ...move, action: 'accept' })
    store.move(task.id, { ...move, action: 'complete', text: 'told nobody' })
    clock.advance(1_000)
    expect(done).toEqual(['told nobody'])
  })

  it('T3 is notified of a task that has ended already, and not of an unknown task', async () => {
    const { make, clock } = scene()
    const delegator = make()
    const { task } = await delegator.delegate(DRAFT)
    await delegator.accept(task.id, 'codex-review')
    await delegator.fail(task.id, 'codex-review', 'gone')
    const heard: string[] = []
    delegator.onFailed(task.id, ({ reason }) => void heard.push(`failed: ${reason}`))
    delegator.onComplete(task.id, () => void heard.push('completed'))
    await clock.settle()
    expect(heard).toEqual(['failed: gone'])
    expect(() => delegator.onComplete('nothing', () => undefined)).toThrow(/ARC_TASK_UNKNOWN/)
    expect([delegator.activeListenerCount, clock.timers]).toEqual([0, 0])
  })

  it('T3 no message can make it believe in an end that is none', async () => {
    const { make, clock, bus } = scene()
    const delegator = make()
    let calls = 0
    const { task } = await delegator.delegate({ ...DRAFT, onComplete: () => void calls++ })
    const forged = { kind: 'response', task: task.id, status: 'completed' }
    bus.publish(`task.claude-work.${task.id}.completed`, forged)
    bus.publish('task.claude-work', 'nonsense')
    await clock.settle()
    expect([calls, delegator.activeListenerCount]).toEqual([0, 1])
  })
})

describe('holding a task', () => {
  it('T3 keeps it while the worker lives, and gives it back when it dies, counting the attempts', async () => {
    const { make, clock } = scene()
    const boss = make()
    const { task } = await boss.delegate(DRAFT)
    const worker = make({ leaseMs: 3_000 })
    await worker.accept(task.id, 'codex-review')
    clock.advance(60_000)
    expect(boss.get(task.id)).toMatchObject({ status: 'working', attempts: 1 })
    // As a process that was killed: nothing is renewed any more.
    worker.dispose()
    clock.advance(3_000)
    const handed: string[] = []
    boss.onMessage('codex-review', ({ kind }) => void handed.push(kind))
    const next = make({ leaseMs: 3_000 })
    expect(await next.accept(task.id, 'codex-review')).toMatchObject({ status: 'working', attempts: 2 })
    await clock.settle()
    expect(handed).toEqual(['handoff'])
    expect(boss.history(task.id).map(({ to, by }) => [to, by])).toEqual([
      ['created', 'claude-work'],
      ['assigned', 'claude-work'],
      ['working', 'codex-review'],
      ['assigned', null],
      ['working', 'codex-review'],
    ])
    await expect(boss.complete(task.id, 'codex-review', 'not mine')).rejects.toThrow(/another worker/)
    expect((await next.complete(task.id, 'codex-review', 'mine')).output).toBe('mine')
    expect(clock.timers).toBe(0)
  })

  it('T3 a task that costs every worker its life fails in the end', async () => {
    const { make, clock } = scene()
    const boss = make({ maxAttempts: 2 })
    const reasons: (string | undefined)[] = []
    const { task } = await boss.delegate({ ...DRAFT, onFailed: ({ reason }) => void reasons.push(reason) })
    for (let at = 0; at < 2; at++) {
      const worker = make({ leaseMs: 1_000, maxAttempts: 2 })
      await worker.accept(task.id, 'codex-review')
      worker.dispose()
      clock.advance(2_000)
    }
    expect(boss.get(task.id)).toMatchObject({ status: 'failed', attempts: 2 })
    expect(reasons).toEqual(['Its workers were lost too often'])
  })

  it('T3 after a jump of the clock the worker is notified, and another worker can finish the task', async () => {
    const { make, clock } = scene()
    const boss = make()
    const { task } = await boss.delegate(DRAFT)
    const worker = make({ leaseMs: 1_000 })
    await worker.accept(task.id, 'codex-review')
    clock.setWall(clock.wall() + 3_600_000)
    expect(boss.reclaim().map(({ status }) => status)).toEqual(['assigned'])
    await expect(worker.complete(task.id, 'codex-review', 'x')).rejects.toThrow(/ARC_TASK_TRANSITION/)
    await worker.accept(task.id, 'codex-review')
    expect((await worker.complete(task.id, 'codex-review', 'x')).status).toBe('completed')
  })
})
