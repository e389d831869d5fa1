import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { newId } from '../../platform/ids.ts'
import { loadDriver } from '../../storage/sqlite/driver/load-driver.ts'
import { busContract } from '../../testing/bus-contract.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { SqliteBus } from './sqlite-bus.ts'

function newFile(): string {
  return join(makeTempFolder('arc-bus-'), 'arc.db')
}

function countMessages(file: string): number {
  const db = loadDriver().open(file, { isReadOnly: true })
  const count = db.prepare<[], number>('SELECT count(*) FROM bus_message').pluck().get() ?? 0
  db.close()
  return count
}

describeEachDriver(() => {
  describe('messages in SQLite', () => {
    for (const { title, run } of busContract) {
      it(title, () => {
        const file = newFile()
        const make = (services: ConstructorParameters<typeof SqliteBus>[1]) => new SqliteBus(file, services)
        return run({ make, dispose: () => rmSync(dirname(file), { recursive: true }) })
      })
    }

    const twoBuses = () => {
      const file = newFile()
      const clock = new FakeClock()
      const reports: string[] = []
      const services = { clock, newId, report: (text: string) => void reports.push(text) }
      const close = (): void => {
        here.close()
        there.close()
        rmSync(dirname(file), { recursive: true })
      }
      const [here, there] = [new SqliteBus(file, services), new SqliteBus(file, services)]
      return { file, clock, reports, here, there, close }
    }

    it('T3 another connection is notified within 25 ms, and a process without subscribers does not poll', () => {
      const { clock, here, there, close } = twoBuses()
      expect(clock.timers).toBe(0)
      const heard: unknown[] = []
      const undo = there.subscribe('a.>', ({ data }) => void heard.push(data))
      expect(clock.timers).toBe(1)
      here.publish('a.b', 1)
      clock.advance(25)
      here.publish('a.b', 2)
      clock.advance(25)
      expect(heard).toEqual([1, 2])
      undo()
      expect(clock.timers).toBe(0)
      close()
    })

    it('knows who listens elsewhere, until they stop or die', async () => {
      const { clock, here, there, close } = twoBuses()
      const undo = there.subscribe('sum.*', (message) => message.respond((message.data as number) + 1))
      const asked = here.request('sum.one', 41)
      for (let at = 0; at < 3; at++) clock.advance(25)
      expect((await asked).data).toBe(42)
      // It says so again and again.
      clock.advance(60_000)
      const again = here.request('sum.one', 1)
      for (let at = 0; at < 3; at++) clock.advance(25)
      expect((await again).data).toBe(2)
      undo()
      await expect(here.request('sum.one', 1)).rejects.toThrow(/ARC_BUS_NO_RESPONDER/)
      close()
    })

    it('who died without a word counts as gone after a while', async () => {
      const { file, clock, here, close } = twoBuses()
      // A separate clock that does not move is a killed process.
      const dead = new SqliteBus(file, { clock: new FakeClock(), newId, report: () => undefined })
      dead.subscribe('sum.*', () => undefined)
      const asked = here.request('sum.one', 1, { timeoutMs: 10_000 })
      const outcome = expect(asked).rejects.toThrow(/ARC_BUS_TIMEOUT/)
      for (let at = 0; at < 6; at++) clock.advance(2_500)
      await outcome
      await expect(here.request('sum.one', 1)).rejects.toThrow(/ARC_BUS_NO_RESPONDER/)
      dead.close()
      close()
    })

    it('keeps messages for a bounded time, and counts on after they are gone', () => {
      const { file, clock, here, there, close } = twoBuses()
      for (let at = 0; at < 640; at++) here.publish('a', at)
      clock.advance(600_001)
      for (let at = 0; at < 64; at++) here.publish('a', at)
      const heard: unknown[] = []
      there.subscribe('a', ({ data }) => void heard.push(data))
      here.publish('a', 'new')
      clock.advance(25)
      expect(heard).toEqual(['new'])
      expect(countMessages(file)).toBeLessThan(130)
      close()
    })

    it('keeps a bounded number and amount of messages, the newest', () => {
      const file = newFile()
      const services = { clock: new FakeClock(), newId, report: () => undefined }
      const few = new SqliteBus(file, services, { kept: { ms: 1e9, count: 100, size: 1e9 } })
      for (let at = 0; at < 640; at++) few.publish('a', at)
      expect(countMessages(file)).toBe(100)
      few.close()
      const small = new SqliteBus(file, services, { kept: { ms: 1e9, count: 1e9, size: 500_000 } })
      for (let at = 0; at < 20; at++) small.publish('a', 'x'.repeat(100_000))
      expect(countMessages(file)).toBe(4)
      small.close()
      rmSync(dirname(file), { recursive: true })
    })

    it('continues when the database was removed and created again', () => {
      const { file, clock, here, there, close } = twoBuses()
      const heard: unknown[] = []
      for (let at = 0; at < 9; at++) here.publish('a', 'before')
      there.subscribe('a', ({ data }) => void heard.push(data))
      for (let at = 0; at < 3; at++) here.publish('a', at)
      clock.advance(25)
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      clock.advance(6_000)
      here.publish('a', 'anew')
      clock.advance(25)
      here.publish('a', 'and on')
      clock.advance(25)
      expect(heard).toEqual([0, 1, 2, 'anew', 'and on'])
      close()
    })
  })
})
