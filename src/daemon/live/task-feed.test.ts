import { setMaxListeners } from 'node:events'
import { expect, it } from 'vitest'
import { MemoryBus } from '../../bus/memory/memory-bus.ts'
import { MemoryTaskStore } from '../../storage/memory/task-store.ts'
import { Delegator } from '../../tasks/delegator.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { TaskFeed } from './task-feed.ts'

function scene() {
  const clock = new FakeClock()
  const store = new MemoryTaskStore()
  let ids = 0
  const services = { clock, newId: () => `id${++ids}`, report: () => undefined }
  const bus = new MemoryBus(services)
  const delegator = new Delegator({ ...services, store, bus })
  const feed = new TaskFeed({ store, bus, clock })
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const follow = (id: string, after = 2) => {
    const heard: string[] = []
    const over = (async () => {
      for await (const { to } of feed.follow(id, after, controller.signal)) heard.push(to)
    })()
    return { heard, over }
  }
  const left = () => [feed.size, bus.listenerCount, clock.timers]
  return { clock, store, delegator, feed, follow, left, controller }
}

const DRAFT = { from: 'lead', to: 'reviewer', description: 'Look' }

it('T3 tells every move in its order, also those that came together, and ends with the task', async () => {
  const { clock, delegator, follow, left } = scene()
  const { task } = await delegator.delegate(DRAFT)
  const { heard, over } = follow(task.id)
  expect(left()).toEqual([1, 1, 1])
  await delegator.accept(task.id, 'reviewer')
  await delegator.requestInput(task.id, 'reviewer', '?')
  await clock.settle()
  expect(heard).toEqual(['working', 'input-required'])
  await delegator.provideInput(task.id, 'lead', '!')
  await delegator.complete(task.id, 'reviewer')
  await clock.settle()
  await over
  expect(heard).toEqual(['working', 'input-required', 'working', 'completed'])
  expect(left()).toEqual([0, 0, 0])
})

it('T3 finds a transition whose message was lost', async () => {
  const { clock, store, delegator, follow } = scene()
  const { task } = await delegator.delegate(DRAFT)
  const { heard, over } = follow(task.id)
  await clock.settle()
  store.move(task.id, { action: 'cancel', actor: 'lead', at: 0 })
  clock.advance(1_000)
  await over
  expect(heard).toEqual(['cancelled'])
})

it('T3 is not woken by moves of other tasks, and ends for one that is gone', async () => {
  const { clock, delegator, follow } = scene()
  const one = (await delegator.delegate(DRAFT)).task.id
  const other = (await delegator.delegate(DRAFT)).task.id
  const { heard } = follow(one)
  await delegator.accept(other, 'reviewer')
  await clock.settle()
  expect(heard).toEqual([])
  const nothing = follow('none')
  await nothing.over
  expect(nothing.heard).toEqual([])
})

it('T3 lets go at the signal, whenever it comes', async () => {
  const { clock, delegator, follow, left, controller } = scene()
  const { task } = await delegator.delegate(DRAFT)
  const waiting = follow(task.id)
  await clock.settle()
  controller.abort()
  await waiting.over
  const late = follow(task.id)
  await late.over
  expect([waiting.heard, late.heard, left()]).toEqual([[], [], [0, 0, 0]])
})

it('T3 says when as many follow as should', async () => {
  const { delegator, feed, follow, left, controller } = scene()
  const { task } = await delegator.delegate(DRAFT)
  const all = Array.from({ length: 255 }, () => follow(task.id))
  expect(feed.isFull).toBe(false)
  all.push(follow(task.id))
  expect(feed.isFull).toBe(true)
  controller.abort()
  await Promise.all(all.map(({ over }) => over))
  expect([feed.isFull, left()]).toEqual([false, [0, 0, 0]])
})
