import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { collectGarbage, openFiles } from '../../test/each-driver.ts'
import { makeHome, type SupervisedHome } from '../../test/supervised-home.ts'
import { loadDriver } from '../storage/sqlite/driver/load-driver.ts'
import { openTasks } from '../tasks/service/open-tasks.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { SupervisorPool } from './hook-call/supervisor-pool.ts'
import { InFlight } from './process/in-flight.ts'
import { TaskService } from './task-service.ts'

let at: SupervisedHome
let pool: SupervisorPool
let clock: FakeClock
let reports: string[]
let tasks: TaskService
const inFlight = new InFlight()

beforeEach(() => {
  at = makeHome()
  reports = []
  clock = new FakeClock()
  clock.setWall(Date.now())
  const report = (text: string): void => void reports.push(text)
  pool = new SupervisorPool(at.home, report)
  tasks = new TaskService({ home: at.home, pool, inFlight, report, clock })
})

afterEach(async () => {
  await tasks.close()
  await inFlight.finish(5_000)
  await pool.close()
  at.remove()
})

const DRAFT = { from: 'lead', to: 'reviewer', description: 'Look' }

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5))
}

// A look, and all that follows from it until the next one is planned.
async function tick(): Promise<void> {
  clock.advance(1_000)
  await until(() => clock.timers === 1)
}

it('T3 gives the tasks of workers that died back, once a second, and writes nothing where there are none', async () => {
  const { store } = await tasks.open()
  const other = loadDriver().open(join(at.home, 'arc.db'))
  const version = () => other.pragma('data_version')
  tasks.watch()
  tasks.watch()
  expect(clock.timers).toBe(1)
  const before = version()
  for (let at = 0; at < 5; at++) await tick()
  expect(version()).toBe(before)
  other.close()
  const worker = await openTasks({ home: at.home, leaseMs: 1 })
  const { task } = await worker.delegator.delegate(DRAFT)
  await worker.delegator.accept(task.id, 'reviewer')
  // Nothing is renewed any more.
  worker.close()
  expect(store.get(task.id)?.status).toBe('working')
  await until(() => Date.now() > (store.get(task.id)?.lease?.expiresAt ?? 0))
  await tick()
  expect(store.get(task.id)).toMatchObject({ status: 'assigned', attempts: 1 })
  await inFlight.finish(5_000)
  const { trace } = await pool.find(undefined, undefined)
  expect(trace.query({ component: 'tasks' }).map(({ action }) => action)).toEqual(['task:return'])
})

it.runIf(existsSync('/proc/self/fd'))('T1 closing leaves no timer and no file, also while it opens', async () => {
  tasks.watch()
  const opening = tasks.open()
  const closing = tasks.close()
  await Promise.all([opening, closing, tasks.close()])
  await collectGarbage(at.home)
  expect([clock.timers, openFiles(at.home)]).toEqual([0, []])
  tasks.watch()
  expect(clock.timers).toBe(0)
})

it('T3 reports a failure to poll once, and continues when it can', async () => {
  at.write('home', 'a file in the place of the folder')
  tasks.watch()
  await tick()
  await tick()
  expect(reports).toEqual([expect.stringContaining('Tasks of dead workers cannot be returned')])
  expect(clock.timers).toBe(1)
})

it('T3 continues with the new database', async () => {
  const { delegator, store } = await tasks.open()
  await delegator.delegate(DRAFT)
  await inFlight.finish(5_000)
  await pool.close()
  pool = new SupervisorPool(at.home, () => undefined)
  at.remove()
  const anew = await openTasks({ home: at.home })
  const { task } = await anew.delegator.delegate(DRAFT)
  anew.close()
  expect(store.list().map(({ id }) => id)).toEqual([task.id])
})
