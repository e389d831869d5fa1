// What every bus must do, as cases that run under any test runner.

import assert from 'node:assert/strict'
import type { BusServices } from '../bus/base-bus.ts'
import type { Bus, Message } from '../bus/bus.ts'
import { FakeClock } from './fake-clock.ts'

/** Makes buses. */
export interface BusMaker {
  /** A bus with these services; all made for one case are one bus to those who use it. */
  make(services: BusServices): Bus
  /** Called after each case. */
  dispose?(): void
}

/** One case of the contract. */
export interface BusCase {
  readonly title: string
  /** Throws when a bus breaks the contract. */
  run(maker: BusMaker): Promise<void>
}

interface Scene {
  readonly bus: Bus
  readonly clock: FakeClock
  readonly reports: string[]
  /** Lets everything that was published arrive. */
  arrive(): Promise<void>
}

/**
 * The contract.
 * @example
 * for (const { title, run } of busContract) it(title, () => run({ make: (services) => new MyBus(services) }))
 */
export const busContract: readonly BusCase[] = [
  contractCase('brings messages to who listens, in order, and not before the publisher is done', brings),
  contractCase('matches * with one word and > with one or more', matches),
  contractCase('brings nothing from before the subscription, and nothing after its undo', keepsToTheTime),
  contractCase('refuses what is no subject, pattern, listener or message', refuses),
  contractCase('contains a listener that throws or rejects, and reports it', contains),
  contractCase('delivers copies: a subscriber cannot change the data of others', sharesNothing),
  contractCase('brings the answer to a request', answers),
  contractCase('reports at once that there is no subscriber', noResponder),
  contractCase('gives up a request in time, or when told to, and leaves nothing behind', givesUp),
  contractCase('survives agents that answer each other without end', survivesEcho),
  contractCase('ends everything when it is closed', closes),
]

function contractCase(title: string, check: (scene: Scene) => void | Promise<void>): BusCase {
  const run = async (maker: BusMaker): Promise<void> => {
    const clock = new FakeClock()
    const reports: string[] = []
    let ids = 0
    const bus = maker.make({ clock, newId: () => `id${++ids}`, report: (message) => void reports.push(message) })
    const arrive = async (): Promise<void> => {
      clock.advance(25)
      await clock.settle()
    }
    try {
      await check({ bus, clock, reports, arrive })
    } finally {
      bus.close()
      maker.dispose?.()
    }
  }
  return { title, run }
}

async function brings({ bus, arrive }: Scene): Promise<void> {
  const heard: unknown[] = []
  bus.subscribe('a.b', ({ subject, data }) => void heard.push([subject, data]))
  for (let n = 0; n < 500; n++) bus.publish('a.b', n)
  bus.publish('a.c', 'not for it')
  assert.deepEqual(heard, [])
  for (let at = 0; at < 5; at++) await arrive()
  assert.deepEqual(
    heard,
    Array.from({ length: 500 }, (_, n) => ['a.b', n]),
  )
}

async function matches({ bus, arrive }: Scene): Promise<void> {
  const patterns = ['a', 'a.*', '*.b', 'a.>', '>', 'a.*.c', '*.*.>', 'A.b']
  const heard: string[] = []
  for (const pattern of patterns) bus.subscribe(pattern, ({ subject }) => void heard.push(`${pattern} ${subject}`))
  for (const subject of ['a', 'a.b', 'a.b.c']) bus.publish(subject)
  await arrive()
  assert.deepEqual(heard.sort(), [
    ...['*.*.> a.b.c', '*.b a.b', '> a', '> a.b', '> a.b.c', 'a a', 'a.* a.b', 'a.*.c a.b.c', 'a.> a.b', 'a.> a.b.c'],
  ])
}

async function keepsToTheTime({ bus, arrive }: Scene): Promise<void> {
  const heard: unknown[] = []
  bus.subscribe('other', () => undefined)
  bus.publish('a', 'before')
  const undo = bus.subscribe('a', ({ data }) => void heard.push(data))
  bus.publish('a', 'during')
  await arrive()
  bus.publish('a', 'never arrived')
  undo()
  undo()
  bus.publish('a', 'after')
  await arrive()
  assert.deepEqual(heard, ['during'])
  assert.equal(bus.listenerCount, 1)
}

function refuses({ bus }: Scene): void {
  const isInvalid = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === 'ARC_BUS_INVALID'
  for (const subject of ['', 'a.', '.a', 'a..b', 'a.*', '>', 'a b', 'a.\n', 'é', 'x'.repeat(5_000), 7, null]) {
    assert.throws(() => bus.publish(subject as string), isInvalid, String(subject))
  }
  for (const pattern of ['', 'a.', '>.a', 'a*', 'a.>b', 'a b', undefined]) {
    assert.throws(() => bus.subscribe(pattern as string, () => undefined), isInvalid, String(pattern))
  }
  assert.throws(() => bus.subscribe('a', 'b' as never), isInvalid)
  const circle: unknown[] = []
  circle.push(circle)
  for (const data of [circle, 1n, () => 1, 'x'.repeat(2_000_000)])
    assert.throws(() => bus.publish('a', data), isInvalid)
  assert.equal(bus.listenerCount, 0)
}

async function contains({ bus, reports, arrive }: Scene): Promise<void> {
  const heard: unknown[] = []
  bus.subscribe('a', () => {
    throw new Error('broken')
  })
  bus.subscribe('a', () => Promise.reject(new Error('rejected')))
  bus.subscribe('a', ({ data }) => void heard.push(data))
  bus.publish('a', 1)
  await arrive()
  assert.deepEqual(heard, [1])
  assert.equal(reports.length, 2)
  assert.match(reports.join(), /broken.*rejected/)
}

async function sharesNothing({ bus, arrive }: Scene): Promise<void> {
  const heard: unknown[] = []
  const data = { list: [1] }
  const meddle = ({ data: got }: Message): void => {
    heard.push(got)
    ;(got as { list: number[] }).list.push(9)
  }
  bus.subscribe('a', meddle)
  bus.subscribe('a', ({ data: got }) => void heard.push(got))
  bus.publish('a', data)
  data.list.push(2)
  await arrive()
  assert.deepEqual(heard, [{ list: [1] }, { list: [1] }])
}

async function answers({ bus, arrive, clock }: Scene): Promise<void> {
  bus.subscribe('sum', (message) => {
    const numbers = message.data as number[]
    message.respond(numbers.reduce((a, b) => a + b))
    message.respond('a second answer is ignored')
  })
  bus.subscribe('tell', (message) => message.respond('not a request'))
  const asked = bus.request('sum', [1, 2, 3])
  bus.publish('tell')
  await arrive()
  await arrive()
  assert.equal((await asked).data, 6)
  await clock.settle()
  assert.equal(bus.listenerCount, 2)
}

async function noResponder({ bus }: Scene): Promise<void> {
  const code = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === 'ARC_BUS_NO_RESPONDER'
  bus.subscribe('b.>', () => undefined)
  await assert.rejects(bus.request('a.b', 1), code)
  const undo = bus.subscribe('a.*', () => undefined)
  undo()
  await assert.rejects(bus.request('a.b', 1), code)
  assert.equal(bus.listenerCount, 1)
}

async function givesUp({ bus, clock, arrive }: Scene): Promise<void> {
  const undo = bus.subscribe('a', () => undefined)
  const asked = assert.rejects(bus.request('a', 1, { timeoutMs: 100 }), /No answer to "a" came within 100 ms/)
  const abort = new AbortController()
  const stopped = assert.rejects(bus.request('a', 1, { signal: abort.signal }), /enough/)
  abort.abort(new Error('enough'))
  await stopped
  await assert.rejects(bus.request('a', 1, { signal: abort.signal }), /enough/)
  await arrive()
  clock.advance(100)
  await asked
  assert.equal(bus.listenerCount, 1)
  undo()
  assert.equal(clock.timers, 0)
}

async function survivesEcho({ bus, arrive }: Scene): Promise<void> {
  // Far more than a stack could hold, if each answer were delivered from within the one before.
  const enough = 5_000
  let count = 0
  bus.subscribe('ping', () => {
    if (++count < enough) bus.publish('ping')
  })
  bus.publish('ping')
  await arrive()
  assert.equal(count, enough)
}

async function closes({ bus, clock, arrive }: Scene): Promise<void> {
  const heard: unknown[] = []
  bus.subscribe('a', ({ data }) => void heard.push(data))
  const asked = assert.rejects(bus.request('a', 1), /closed/)
  bus.publish('a', 2)
  bus.close()
  bus.close()
  await asked
  await arrive()
  assert.deepEqual(heard, [])
  assert.equal(bus.listenerCount, 0)
  assert.equal(clock.timers, 0)
  assert.throws(() => bus.publish('a', 3), /closed/)
  assert.throws(() => bus.subscribe('a', () => undefined), /closed/)
}
