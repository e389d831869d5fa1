// The clock that all tests of time rely on.

import { describe, expect, it } from 'vitest'
import { FakeClock } from './fake-clock.ts'

describe('a fake clock', () => {
  it('does not move until it is advanced, then moves both times equally', () => {
    const clock = new FakeClock({ wall: 1_000 })
    expect([clock.now(), clock.wall()]).toEqual([0, 1_000])
    clock.advance(2.5)
    expect([clock.now(), clock.wall()]).toEqual([2.5, 1_002.5])
  })

  it('calls back in the order of time, each at its own time, and leaves later ones alone', () => {
    const clock = new FakeClock()
    const calls: [string, number][] = []
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['late', 41],
      ['b', 10],
    ] as const) {
      clock.after(ms, () => calls.push([name, clock.now()]))
    }
    clock.advance(40)
    expect(calls).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 30],
    ])
    expect([clock.now(), clock.timers]).toEqual([40, 1])
  })

  it('runs a timer that a callback sets, when it falls due on the way', () => {
    const clock = new FakeClock()
    const calls: number[] = []
    clock.after(10, () => clock.after(10, () => calls.push(clock.now())))
    clock.advance(25)
    expect(calls).toEqual([20])
  })

  it('forgets a timer that is undone, also when undone twice or from an earlier callback', () => {
    const clock = new FakeClock()
    const undo = clock.after(20, () => expect.unreachable())
    clock.after(10, undo)
    clock.advance(30)
    undo()
    expect(clock.timers).toBe(0)
  })

  it('calls back soon before it moves, and after each timer', () => {
    const clock = new FakeClock()
    const calls: number[] = []
    clock.soon(() => calls.push(clock.now()))
    clock.after(10, () => clock.soon(() => calls.push(clock.now())))
    clock.advance(20)
    expect(calls).toEqual([0, 10])
  })

  it('settles promise callbacks and what they ask for soon, without moving', async () => {
    const clock = new FakeClock()
    const calls: string[] = []
    void Promise.resolve().then(() => clock.soon(() => void Promise.resolve().then(() => calls.push('done'))))
    await clock.settle()
    expect([calls, clock.now()]).toEqual([['done'], 0])
  })

  it('may be advanced by a callback and never moves back', () => {
    const clock = new FakeClock()
    clock.after(10, () => clock.advance(100))
    clock.advance(20)
    expect(clock.now()).toBe(110)
  })

  it('lets the wall clock be set without touching monotonic time', () => {
    const clock = new FakeClock({ wall: 1_000 })
    clock.setWall(10)
    clock.advance(5)
    expect([clock.now(), clock.wall()]).toEqual([5, 15])
  })
})
