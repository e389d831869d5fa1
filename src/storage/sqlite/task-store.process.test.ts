import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage, describeEachDriver, openFiles } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { openTasks } from '../../tasks/service/open-tasks.ts'
import type { Task } from '../../tasks/task.ts'
import { taskStoreContract } from '../../testing/task-store-contract.ts'
import { SqliteTaskStore } from './task-store.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DRAFT = { from: 'lead', to: 'reviewer', description: 'Review the change' }

function newFile(): string {
  return join(makeTempFolder('arc-tasks-'), 'arc.db')
}

describeEachDriver(() => {
  describe('tasks in SQLite', () => {
    for (const { title, run } of taskStoreContract) {
      it(`T2 ${title}`, () => {
        const file = newFile()
        run({ make: () => new SqliteTaskStore(file), dispose: () => rmSync(dirname(file), { recursive: true }) })
      })
    }

    it('T3 are there for the next process, with their history', () => {
      const file = newFile()
      const first = new SqliteTaskStore(file)
      first.create('t', DRAFT, 1)
      first.move('t', { action: 'accept', actor: 'reviewer', at: 2 })
      first.close()
      const second = new SqliteTaskStore(file)
      expect(second.get('t')).toMatchObject({ ...DRAFT, status: 'working', version: 3 })
      expect(second.history('t').map(({ to }) => to)).toEqual(['created', 'assigned', 'working'])
      second.close()
      rmSync(dirname(file), { recursive: true })
    })
  })

  describe('the tasks of a home', () => {
    it.runIf(existsSync('/proc/self/fd'))('T1 closing them leaves no open file and no subscriber', async () => {
      const home = makeTempFolder('arc-tasks-')
      const { delegator, bus, close } = await openTasks({ home, leaseMs: 1_000 })
      const { task } = await delegator.delegate({ ...DRAFT, onComplete: () => undefined })
      await delegator.accept(task.id, 'reviewer')
      delegator.onMessage('reviewer', () => undefined)
      expect([openFiles(home).length > 0, bus.listenerCount, delegator.activeListenerCount]).toEqual([true, 2, 1])
      close()
      close()
      await collectGarbage(home)
      expect([openFiles(home), bus.listenerCount, delegator.activeListenerCount]).toEqual([[], 0, 0])
    })
  })

  // Waits until all are there, tries to accept every task there is, says which it got, and completes none.
  const RACER = `
import { existsSync, writeFileSync } from 'node:fs'
import { SqliteTaskStore } from './tasks.mjs'
const [file, go] = process.argv.slice(2)
const store = new SqliteTaskStore(file)
const nap = new Int32Array(new SharedArrayBuffer(4))
writeFileSync(go + process.pid, '')
while (!existsSync(go)) Atomics.wait(nap, 0, 0, 1)
const won = []
const lost = new Set()
for (const { id } of store.list()) {
  try {
    store.move(id, { action: 'accept', actor: 'reviewer', at: Date.now() })
    won.push(id)
  } catch (error) {
    lost.add(error.code)
  }
}
process.stdout.write(JSON.stringify({ won, lost: [...lost] }))
store.close()
`

  // A worker: waits for a task that is handed to it, and completes it, or holds it until it is killed.
  const WORKER = `
import { openTasks } from './tasks.mjs'
const [home, how] = process.argv.slice(2)
const { delegator, close } = await openTasks({ home, ...(how === 'hold' && { leaseMs: 300 }) })
const alive = setInterval(() => undefined, 1_000)
delegator.onMessage('reviewer', async ({ kind, task }) => {
  if (kind !== 'handoff') return
  await delegator.accept(task, 'reviewer')
  process.stdout.write('accepted\\n')
  if (how === 'hold') return
  await delegator.complete(task, 'reviewer', 'done by ' + process.pid)
  clearInterval(alive)
  close()
})
process.stdout.write('ready\\n')
`

  describe('tasks among processes', () => {
    let folder = ''
    beforeAll(() => {
      folder = makeTempFolder('arc-tasks-')
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'racer.mjs'), RACER)
      writeFileSync(join(folder, 'worker.mjs'), WORKER)
      const contents = `export * from './src/storage/sqlite/task-store.ts'; export * from './src/tasks/service/open-tasks.ts'`
      const stdin = { contents, resolveDir: ROOT, loader: 'ts' as const }
      const outfile = join(folder, 'tasks.mjs')
      buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
    })

    const start = (script: string, ...args: string[]): { child: ChildProcess; output: Promise<string> } => {
      const child = spawn(process.execPath, [join(folder, script), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
      let printed = ''
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += String(chunk)))
      return { child, output: once(child, 'close').then(() => printed) }
    }

    it('T3 6 processes race for 300 tasks, and each task has exactly one winner', async () => {
      const file = join(folder, 'race.db')
      const store = new SqliteTaskStore(file)
      const ids = Array.from({ length: 300 }, (_, at) => store.create(`t${at}`, DRAFT, systemClock.wall()).id)
      const go = join(folder, 'go')
      const racers = Array.from({ length: 6 }, () => start('racer.mjs', file, go))
      while (!racers.every(({ child }) => existsSync(`${go}${child.pid}`))) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      writeFileSync(go, '')
      const outputs = await Promise.all(racers.map(({ output }) => output))
      const results = outputs.map((output) => JSON.parse(output) as { won: string[]; lost: string[] })
      expect(results.flatMap(({ won }) => won).sort()).toEqual([...ids].sort())
      expect(new Set(results.flatMap(({ lost }) => lost))).toEqual(new Set(['ARC_TASK_TRANSITION']))
      for (const id of ids) {
        expect(store.get(id)).toMatchObject({ status: 'working', attempts: 1, version: 3 })
        expect(store.history(id)).toHaveLength(3)
      }
      store.close()
    })

    it('T3 the delegating agent is notified of the completion in another process', async () => {
      const home = join(folder, 'home')
      const { delegator, close } = await openTasks({ home })
      const { child, output } = start('worker.mjs', home, 'complete')
      await once(child.stdout as NodeJS.ReadableStream, 'data')
      const alive = setInterval(() => undefined, 1_000)
      const done = await new Promise<Task>((resolve, reject) => {
        delegator.delegate({ ...DRAFT, onComplete: resolve, onFailed: resolve }).catch(reject)
      })
      clearInterval(alive)
      expect(done).toMatchObject({ status: 'completed', output: `done by ${child.pid}` })
      expect(await output).toBe('ready\naccepted\n')
      close()
    })

    it('T3 a worker that is killed gives its task back, and the attempt is counted', async () => {
      const home = join(folder, 'home-killed')
      const { delegator, close } = await openTasks({ home })
      const { child, output } = start('worker.mjs', home, 'hold')
      await once(child.stdout as NodeJS.ReadableStream, 'data')
      const accepted = once(child.stdout as NodeJS.ReadableStream, 'data')
      const { task } = await delegator.delegate(DRAFT)
      await accepted
      child.kill('SIGKILL')
      await output
      expect(delegator.history(task.id)).toHaveLength(3)
      const until = Date.now() + 30_000
      while (delegator.get(task.id)?.status === 'working' && Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(delegator.get(task.id)).toMatchObject({ status: 'assigned', attempts: 1 })
      expect(await delegator.accept(task.id, 'reviewer')).toMatchObject({ status: 'working', attempts: 2 })
      close()
    })
  })
})
