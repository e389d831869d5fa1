// Work against a deadline: which of them ends first, and what remains afterwards.

import { describe, expect, it } from 'vitest'
import { deferred, NEVER } from '../../test/engine-fixture.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { DeadlineError, pause, withDeadline } from './deadline.ts'

describe('work with a deadline', () => {
  it('gives its result in time, and leaves no timer', async () => {
    const clock = new FakeClock()
    await expect(withDeadline({ clock, limitMs: 10 }, async () => 'done')).resolves.toBe('done')
    expect(clock.timers).toBe(0)
  })

  it('passes its own error on, and leaves no timer', async () => {
    const clock = new FakeClock()
    const fail = () => Promise.reject(new Error('bug'))
    await expect(withDeadline({ clock, limitMs: 10 }, fail)).rejects.toThrow('bug')
    expect(clock.timers).toBe(0)
  })

  it('is aborted and given up at the limit', async () => {
    const clock = new FakeClock()
    let given: AbortSignal | undefined
    const hang = (signal: AbortSignal) => {
      given = signal
      return NEVER
    }
    const result = withDeadline({ clock, limitMs: 10 }, hang)
    const caught = result.catch((error) => error)
    clock.advance(9)
    expect(given?.aborted).toBe(false)
    clock.advance(1)
    expect(await caught).toEqual(new DeadlineError('no answer within 10 ms'))
    expect([given?.aborted, given?.reason, clock.timers]).toEqual([true, await caught, 0])
  })

  it('is given up when the signal is aborted, before or during the work', async () => {
    const clock = new FakeClock()
    const during = new AbortController()
    const result = withDeadline({ clock, limitMs: 10, signal: during.signal }, () => NEVER)
    during.abort(new Error('stopped'))
    await expect(result).rejects.toThrow('stopped')
    await expect(withDeadline({ clock, limitMs: 10, signal: AbortSignal.abort('gone') }, () => NEVER)).rejects.toThrow(
      'gone',
    )
    expect(clock.timers).toBe(0)
  })

  it('may have another result instead of the error', async () => {
    const clock = new FakeClock()
    const result = withDeadline(
      { clock, limitMs: 10 },
      () => NEVER,
      ({ message }) => message,
    )
    clock.advance(10)
    expect(await result).toBe('no answer within 10 ms')
  })

  it('may fail after the deadline without an unhandled rejection', async () => {
    const clock = new FakeClock()
    const gate = deferred<string>()
    const result = withDeadline(
      { clock, limitMs: 10 },
      () => gate.promise,
      () => 'late',
    )
    clock.advance(10)
    expect(await result).toBe('late')
    gate.reject(new Error('too late'))
    await clock.settle()
  })
})

describe('a pause', () => {
  it('ends after its time, or when the signal is aborted', async () => {
    const clock = new FakeClock()
    const whole = pause(10, { clock })
    clock.advance(10)
    await whole
    const controller = new AbortController()
    const short = pause(10, { clock, signal: controller.signal })
    controller.abort()
    await short
    await pause(10, { clock, signal: AbortSignal.abort() })
    expect(clock.timers).toBe(0)
  })
})
