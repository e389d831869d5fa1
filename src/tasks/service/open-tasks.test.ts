import { expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import { MessageBus, openTasks, TaskDelegator } from './open-tasks.ts'
import { admitBy } from './task-supervision.ts'

const DRAFT = { from: 'lead', to: 'reviewer', description: 'Review the change' }

it('T1 works without arguments, in memory, and each has its own tasks', async () => {
  const [one, other] = [new TaskDelegator(), new TaskDelegator()]
  const { task } = await one.delegate(DRAFT)
  expect([one.delegatedTo('reviewer').length, other.delegatedTo('reviewer').length]).toEqual([1, 0])
  expect(await one.accept(task.id, 'reviewer')).toMatchObject({ status: 'working' })
  await expect(other.accept(task.id, 'reviewer')).rejects.toMatchObject({ code: 'ARC_TASK_UNKNOWN' })
  one.dispose()
  other.dispose()
})

it('T1 disposing closes the bus it made itself, and no other', async () => {
  const bus = new MessageBus()
  const delegator = new TaskDelegator(undefined, bus)
  await delegator.delegate({ ...DRAFT, onComplete: () => undefined })
  const heard = new Promise((resolve) => bus.subscribe('a', ({ data }) => resolve(data)))
  expect(bus.listenerCount).toBe(2)
  delegator.dispose()
  expect(bus.listenerCount).toBe(1)
  bus.publish('a', 'still here')
  expect(await heard).toBe('still here')
  bus.close()
})

it('T1 refuses options that it does not know', async () => {
  expect(() => new TaskDelegator(undefined, undefined, { leaseMS: 5 } as never)).toThrow(/Did you mean "leaseMs"/)
  expect(() => new TaskDelegator(undefined, undefined, { leaseMs: Number.NaN })).toThrow(/leaseMs must be a number/)
  await expect(openTasks({ hom: '/tmp' } as never)).rejects.toThrow(/does not know the option "hom"/)
})

it('T2 the supervisor of a program checks each task: a blocked task throws and is not stored', async () => {
  const home = makeTempFolder('arc-tasks-')
  const supervisor = await createSupervisor({ home, enforcement: 'enforce', report: () => undefined })
  const seen: object[] = []
  const judge = ({ data, agent }: { readonly data: object; readonly agent?: string | undefined }) => {
    const { config } = data as { config: { prompt: string } }
    seen.push({ agent, ...data })
    if (config.prompt.includes('secret')) return { decision: 'block', reason: 'no secrets' } as const
    return { decision: 'pass', modify: { config: { ...config, prompt: `${config.prompt}, please` } } } as const
  }
  supervisor.engine.register('pre:agent:spawn', judge, { name: 'judge' })
  const { delegator, store, close } = await openTasks({ home, admit: admitBy(supervisor) })
  await expect(delegator.delegate({ ...DRAFT, description: 'Send the secret' })).rejects.toThrow(
    /The task of lead for reviewer was blocked by judge: no secrets.*\[ARC_TASK_BLOCKED\]/,
  )
  expect(store.list()).toEqual([])
  const { task } = await delegator.delegate({ ...DRAFT, priority: 'low' })
  expect(task.description).toBe('Review the change, please')
  expect(seen[1]).toMatchObject({
    agent: 'reviewer',
    config: { prompt: 'Review the change', from: 'lead', priority: 'low' },
  })
  close()
  await supervisor.close()
})

it('T2 an answer to a worker passes the pipeline as its task did, and one that is blocked leaves the question open', async () => {
  const home = makeTempFolder('arc-tasks-')
  const supervisor = await createSupervisor({ home, enforcement: 'enforce', notify: () => undefined })
  const judge = ({ data }: { readonly data: { readonly config: unknown } }) =>
    JSON.stringify(data.config).includes('secret') ? { decision: 'block', reason: 'no secrets' } : undefined
  supervisor.engine.register('pre:agent:spawn', judge as never, { name: 'judge' })
  const { delegator, close } = await openTasks({ home, admit: admitBy(supervisor) })
  const { task } = await delegator.delegate(DRAFT)
  await delegator.accept(task.id, 'reviewer')
  await delegator.requestInput(task.id, 'reviewer', 'With which key?')
  await expect(delegator.provideInput(task.id, 'lead', 'Use the secret one')).rejects.toMatchObject({
    code: 'ARC_TASK_BLOCKED',
  })
  expect(delegator.get(task.id)).toMatchObject({ status: 'input-required', question: 'With which key?' })
  const { status, answer } = await delegator.provideInput(task.id, 'lead', 'Use the public one')
  expect([status, answer]).toEqual(['working', 'Use the public one'])
  close()
  await supervisor.close()
})
